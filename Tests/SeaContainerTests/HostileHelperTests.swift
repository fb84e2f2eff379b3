import Glibc
import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// Helpers that do not do what sea-helpers(5) says: each is seen through, in time, and with a fault that names it.
@Suite struct HostileHelperTests {
  /// What a helper says to each kind of request; nil: nothing, and the line is closed.
  struct Script: Sendable {
    var greeting: [UInt8]? = Array("sea-helper 1\n".utf8)
    var listing: [UInt8]? = Array("ok\n".utf8)
    var info: [UInt8]? = {
      let text = Specimen.info.text
      return Array("ok \(text.utf8.count)\n\(text)".utf8)
    }()
    var other: [UInt8]? = Array("error not-found\n".utf8)
    /// Says this again and again after the listing.
    var flood: [UInt8]?
    /// Keeps the line open when it has nothing to say.
    var hangs = false

    init(_ change: (inout Script) -> Void = { _ in }) { change(&self) }

    func run(_ far: FarEnd) {
      while let line = far.line() {
        let answer =
          line.hasPrefix("sea-helper")
          ? greeting : line == "list ." ? listing : line.hasPrefix("get info.json") ? info : other
        guard let answer else { return hangs ? far.waitForEnd() : () }
        far.say(answer)
        if let flood, line == "list ." { while far.say(flood) {} }
      }
    }
  }

  private func container(_ script: Script, _ change: (Helpers) -> Void = { _ in }) -> HelperContainer {
    let helpers = Helpers.threads { script.run($0) }
    change(helpers)
    return HelperContainer(HelperPlace("thread:")!, helpers)
  }

  private func fault(_ body: () throws -> Void) -> HelperFault? {
    do { try body() } catch ContainerError.helper(let fault, "thread:") { return fault } catch {
      Issue.record("\(error)")
    }
    return nil
  }

  private func isUnruly(_ fault: HelperFault?) -> Bool {
    if case .protocolViolation = fault { true } else { false }
  }

  @Test func invalidListingIsProtocolViolation() {
    let long = String(repeating: "a", count: 256)
    let lines = [
      "file 1 2 ../a", "file 1 2 /a", "file 1 2 a/../b", "file 1 2 a/./b", "file 1 2 a//b", "file 1 2 a/", "file 1 2 .",
      "file 1 2 a\u{0}b", "file 1 2 a%00b", "file 1 2 a%0Ab", "file 1 2 %2E%2E/a", "file 1 2 %2e%2e/a",
      "file 1 2 a%2Fb",
      "file 1 2 a%", "file 1 2 a%4", "file 1 2 %41", "file 1 2 %FF", "file 1 2 \u{1B}[2J", "file 1 2 ü",
      "file 1 2 \(long)", "file -1 0 a", "file 01 0 a", "file 9999999999999999999 0 a", "file 1 a", "ok 5", "ok x",
      "hello", "", "\u{1B}[2J", "sea-helper 1", "get info.json 0 1", "\u{0}", String(repeating: "x", count: 1100),
    ]
    for line in lines {
      let container = container(Script { $0.listing = Array("\(line)\nok\n".utf8) })
      #expect(isUnruly(fault { _ = try container.info() }), "\(line.debugDescription)")
      // It is not asked again.
      #expect(isUnruly(fault { _ = try container.chains() }), "\(line.debugDescription)")
    }
  }

  @Test func otherVersionOrGreetingIsRefused() {
    for (greeting, version) in [
      ("sea-helper 2 x", 2), ("sea-helper 0", 0), ("sea-helper 999999999999999999", 999_999_999_999_999_999),
    ] as [(String, Int64)] {
      let container = container(Script { $0.greeting = Array("\(greeting)\n".utf8) })
      #expect(fault { _ = try container.info() } == .version(version))
    }
    for greeting in ["sea-helper", "sea-helper x", "SEA-HELPER 1", "ok", "ok 0", "wait", "file 1 2 a", "220 ready"] {
      let container = container(Script { $0.greeting = Array("\(greeting)\n".utf8) })
      let fault = fault { _ = try container.info() }
      #expect(isUnruly(fault), "\(greeting) \(String(describing: fault))")
    }
    let refusing = container(Script { $0.greeting = Array("error gone no key\n".utf8) })
    #expect(fault { _ = try refusing.info() } == .refused(.gone, "no key"))
    // What a later version may say.
    let later = container(Script { $0.listing = Array("error tired of you\n".utf8) })
    #expect(fault { _ = try later.info() } == .refused(.failed, "of you"))
  }

  @Test func helperThatEndsEarlyIsReported() throws {
    let whole = Script()
    let all = whole.greeting! + whole.listing! + whole.info!
    for count in 0..<all.count {
      let container = container(
        Script {
          $0.greeting = Array(all[..<count])
          ($0.listing, $0.info) = (nil, nil)
        })
      let fault = fault { _ = try container.info() }
      #expect(fault == .ended(status: 0, greeted: count >= whole.greeting!.count), "\(count)")
    }
  }

  @Test func silentHelperTimesOut() {
    let changes: [(inout Script) -> Void] = [
      { $0.greeting = nil }, { $0.listing = nil }, { $0.info = nil }, { $0.other = nil },
      { ($0.greeting, $0.listing) = (Array("sea-hel".utf8), nil) },
      { ($0.info, $0.other) = (Array("ok 7\nabc".utf8), nil) },
      { ($0.listing, $0.info, $0.other) = (Array("file 1 2 a\n".utf8), nil, nil) },
    ]
    for (number, change) in changes.enumerated() {
      let container = container(
        Script {
          $0.hangs = true
          change(&$0)
        }
      ) { $0.silence = 1 }
      let start = Clock.monotonic()
      #expect(
        fault { try container.write(String(repeating: "ab", count: 32), [1], in: .keys) } == .silent(seconds: 1),
        "\(number)")
      #expect(Clock.monotonic() - start < 20_000_000_000, "\(number)")
    }
  }

  /// What comes a byte at a time, or a line, has no end: neither the bytes of a line nor those of an answer are waited for so long.
  @Test(arguments: ["greeting", "listing", "lines", "bytes"]) func drippingHelperTimesOut(what: String) {
    let helpers = Helpers.threads { far in
      func drip(_ text: String) { while far.say(text) { Clock.sleep(nanoseconds: 300_000_000) } }
      while let line = far.line() {
        switch (what, line.hasPrefix("sea-helper"), line == "list .") {
        case ("greeting", true, _): drip("s")
        case (_, true, _): far.say("sea-helper 1\n")
        case ("listing", _, true): drip("f")
        case ("lines", _, true): drip("file 1 2 a\n")
        case ("bytes", _, true): far.say("ok\n")
        default:
          far.say("ok 60000\n")
          drip("x")
        }
      }
    }
    helpers.silence = 1
    let container = HelperContainer(HelperPlace("thread:")!, helpers)
    let start = Clock.monotonic()
    let fault = fault { _ = try container.info() }
    #expect(fault == .silent(seconds: 1), "\(String(describing: fault))")
    #expect(Clock.monotonic() - start < 20_000_000_000)
  }

  /// Leave is taken in a few seconds, however long a helper may be silent.
  @Test func closeDoesNotWaitForHangingHelper() throws {
    let container = container(
      Script {
        $0.hangs = true
        $0.other = nil
      }
    ) { $0.silence = 1000 }
    #expect(try container.info() == Specimen.info)
    let start = Clock.monotonic()
    container.close()
    #expect(Clock.monotonic() - start < 25_000_000_000)
  }

  @Test func floodingHelperIsStopped() {
    for text in ["file 1 2 a\n", "x", "ok\n", "file 1 2 \(String(repeating: "b", count: 200))\n", "wait"] {
      let container = container(
        Script {
          $0.listing = []
          $0.flood = Array(String(repeating: text, count: 100).utf8)
        }
      ) { $0.mostFiles = 5000 }
      #expect(isUnruly(fault { _ = try container.info() }), "\(text)")
    }
    for text in ["ok 65538\n", "ok 999999999999999999\n", "ok\n"] {
      let container = container(Script { $0.info = Array(text.utf8) + [UInt8](repeating: 7, count: 100_000) })
      #expect(isUnruly(fault { _ = try container.info() }), "\(text)")
    }
  }

  /// Ten minutes, as the manual says; here one second.
  @Test func endlessWaitAnswersTimeOut() {
    let container = container(
      Script {
        $0.listing = []
        $0.flood = Array(String(repeating: "wait\n", count: 1000).utf8)
      }
    ) { $0.longestWait = 1 }
    let start = Clock.monotonic()
    #expect(fault { _ = try container.info() } == .protocolViolation("timed out"))
    #expect(Clock.monotonic() - start < 60_000_000_000)
  }

  @Test func floodDuringAwaitEndsConnection() throws {
    for text in ["wait\n", "news a\n"] {
      let helpers = Helpers.threads { far in
        while let line = far.line() {
          guard !line.hasPrefix("sea-helper") else { far.say("sea-helper 1 await\n"); continue }
          far.say("wait\n")
          while far.say(String(repeating: text, count: 1000)) {}
        }
      }
      let news = try HelperNews(HelperPlace("thread:")!, helpers)
      let ends = Clock.monotonic() + 60_000_000_000
      while news.state != .gone, Clock.monotonic() < ends { _ = news.poll() }
      #expect(news.state == .gone)
    }
  }

  /// Names of every kind count, wherever they belong, and so do their bytes.
  @Test func listingBeyondFileLimitIsRefused() {
    for path in ["assets/\(alpha.instance)/1/", "transactions/\(alpha)/1/", "other"] {
      let names = (0..<11).map { "file 1 2 \(path)\($0)\n" }.joined()
      let container = container(Script { $0.listing = Array("\(names)ok\n".utf8) }) { $0.mostFiles = 10 }
      guard case .protocolViolation(let text) = fault({ _ = try container.info() }) else {
        Issue.record("\(path)")
        continue
      }
      #expect(text.hasPrefix("listed more than 10 files"))
    }
    #expect(Wire.mostFiles == 500_000 && Wire.mostPathBytes == 64 << 20)
  }

  @Test func unrequestedAnswersAreProtocolViolations() {
    for more in ["ok\n", "ok 0\n", "error failed\n", "file 1 2 a\n", "wait\n", "sea-helper 1\n", "x"] {
      let container = container(Script { $0.info! += Array(more.utf8) })
      #expect(
        isUnruly(
          fault {
            _ = try container.info()
            try container.remove(String(repeating: "ab", count: 32), in: .keys)
            try container.remove(String(repeating: "ab", count: 32), in: .keys)
          }), "\(more)")
    }
  }

  /// Sizes that nothing has, files named twice, and indices that are none.
  @Test func impossibleSizesAndIndicesAreTolerated() throws {
    var listing = ""
    let folder = "transactions/\(alpha)"
    for index in 0..<1000 { listing += "file 999999999999999999 999999999999999999 \(folder)/1/\(index)\n" }
    listing +=
      "file 999999999999999999 0 \(folder)/2/1.blocks\nfile 999999999999999999 0 assets/\(alpha.instance)/1/0\n"
    for name in ["4/4/294/967/295", "4/4/294/967/296", "1/0", "1/0", "1/1000", "2/0/1", "1/00", "5/1/1/1/1/1", "x/1"] {
      listing += "file 0 0 \(folder)/\(name)\n"
    }
    listing += "file 999999999999999999 0 5 \nok\n".replacing(" 5 ", with: " 5%20%28copy%29")
    let other = "ok 3\nabc"
    let container = container(
      Script {
        $0.listing = Array(listing.utf8)
        $0.other = Array(other.utf8)
      })
    #expect(try container.chains().chains == [alpha])
    #expect(try container.lastIndex(of: alpha) == .max)
    #expect(try container.firstIndex(of: alpha) == 0)
    let survey = try container.survey(alpha)
    #expect(survey.singles.count == 1001 && survey.folded.count == 1 && survey.strays.count == 6)
    #expect(survey.count(from: 0) == 2001)
    #expect(survey.singles.reduce(0) { $0 + $1.size } > 0)
    #expect(try container.fold(alpha) == 0)
    #expect(try container.content(AssetPlace(instance: alpha.instance, index: 0)) == Array("abc".utf8))
  }

  /// Bytes that are no blocks, whatever their sizes: nothing is handed over.
  @Test func invalidBlocksAreNeverReturned() throws {
    for (said, have) in [("0", 0), ("5", 5), ("84", 84), ("999999999999999999", 84), ("67108948", 0)] {
      let block = [UInt8](repeating: 7, count: have)
      let container = container(
        Script {
          $0.listing = Array("file \(said) 0 transactions/\(alpha)/1/0\nok\n".utf8)
          $0.other = Array("ok \(have)\n".utf8) + block
        })
      let fault = fault {
        let (indices, end) = try container.read()
        #expect(indices.isEmpty)
        switch end {
        case .incomplete, .damaged: break
        default: Issue.record("\(said): \(end)")
        }
      }
      // `list` of the chain is answered with bytes.
      #expect(fault == nil || isUnruly(fault), "\(said)")
    }
  }

  /// The line breaks behind every byte, either way: what was there stays, nothing that is no block comes to be there, and the same
  /// again goes on.
  @Test(arguments: [true, false]) func writeBrokenAfterAnyByteCanBeRepeated(isIn: Bool) throws {
    let folder = try ScratchFolder(inMemory: true)
    var count = 0
    var isDone = false
    while !isDone {
      let path = folder.path("\(count)")
      func work(_ helpers: Helpers) throws {
        let container = HelperContainer(HelperPlace("thread:")!, helpers)
        do throws(ContainerError) { try container.create(Specimen.info) } catch {
          guard case .exists = error else { throw error }
        }
        try container.write(0..<3)
        try container.write(String(repeating: "ab", count: 32), [1, 2, 3], in: .keys)
        try container.write([1, 2, 3], at: AssetPlace(instance: alpha.instance, index: 0))
        container.forget()
        #expect(try container.read() == (0..<3, .end(next: 3)))
        #expect(try container.content(AssetPlace(instance: alpha.instance, index: 0)) == [1, 2, 3])
      }
      isDone = fault { try work(.folder(path, cutAfter: isIn ? (count, .max) : (.max, count))) } == nil
      let left = (try? folder.files("\(count)")) ?? []
      #expect(left.allSatisfy { !$0.contains("..") }, "\(left)")
      if left.contains("\(count)/info.json") {
        let end = try DirectoryContainer(path).read().end
        #expect([.end(next: 0), .end(next: 1), .end(next: 2), .end(next: 3)].contains(end), "\(count): \(end)")
      }
      try work(.folder(path))
      #expect(try DirectoryContainer(path).read() == (0..<3, .end(next: 3)), "\(count)")
      try ScratchFolder.removeAll(path)
      count += 1
    }
    #expect(count > 100)
  }
}
