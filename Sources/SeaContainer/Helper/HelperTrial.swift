import SeaCore
import SeaSystem

/// Tests a helper against sea-helpers(5), in a location that is empty before and after the test.
package final class HelperTrial {
  package struct Check: Sendable {
    package let name: String
    package let fault: String?
  }

  struct Wrong: Error {
    let what: String
    init(_ what: String) { self.what = what }
  }

  private static let news = "news"

  package struct NotEmpty: Error {}

  static let chain = BranchID(
    UUID(high: 0x5EA0_0000_0000_4000, low: 0x8000_0000_0000_0001), forkedAt: Digest.zero)

  let helpers: Helpers
  let place: HelperPlace
  private(set) var words: Set<String> = []
  private var connection: HelperConnection?

  package var only: Set<String>?

  package init(_ location: String, _ helpers: Helpers) throws {
    guard let place = HelperPlace(location) else { throw ContainerError.helper(.badPlace, place: location) }
    (self.place, self.helpers) = (place, helpers)
  }

  /// - Parameter report: receives each result.
  /// - Throws: `NotEmpty`, errors of `report`, and `ContainerError` if the helper does not answer at all.
  package func run(_ report: (Check) throws -> Void) throws {
    try begin()
    let writes = words.isDisjoint(with: ServerWire.Right.read.words + ServerWire.Right.append.words)
    defer { if writes { try? clean() } }
    for (name, isForAll, check) in checks where (isForAll || writes) && only?.contains(name) ?? true {
      if name == HelperTrial.news, !words.contains(Wire.await) { continue }
      var fault: String?
      do { try check() } catch let wrong as Wrong { fault = wrong.what } catch let error as HelperFault {
        fault = HelperTrial.words(of: error)
      } catch ContainerError.helper(let error, _) {
        fault = HelperTrial.words(of: error)
      } catch {
        fault = "\(error)"
      }
      if fault != nil { connection = nil }
      try report(Check(name: name, fault: fault))
    }
  }

  private var checks: [(String, Bool, () throws -> Void)] {
    [
      ("missing", true, missing), ("unknown", true, unknown), ("put", false, put), ("range", false, range),
      ("once", false, once), ("list", false, list), ("order", false, order), ("replace", false, replace),
      ("move", false, move), ("delete", false, delete), ("large", false, large), ("whole", false, whole),
      ("anew", false, checkPersistence),
      ("container", false, container), (HelperTrial.news, false, news), ("farewell", true, farewell),
      ("end of input", true, endOfInput),
    ]
  }

  // MARK: Connection

  private func begin() throws {
    let line = try helpers.start(place)
    do throws(HelperFault) { try line.finish(line.greet()) } catch {
      throw ContainerError.helper(error, place: place.location)
    }
    (connection, words) = (line, line.words)
    if try !files().isEmpty { throw NotEmpty() }
  }

  func line() throws -> HelperConnection {
    if let connection, connection.fault == nil { return connection }
    let line = try helpers.start(place)
    try line.finish(line.greet())
    connection = line
    return line
  }

  func ask(_ request: Wire.Request, _ body: [UInt8]? = nil) throws -> [UInt8] {
    let line = try line()
    let ticket = body.map { $0.withUnsafeBytes { line.ask(request, $0) } } ?? line.ask(request)
    try line.finish(ticket)
    return ticket.bytes
  }

  func refusal(_ request: Wire.Request, _ body: [UInt8]? = nil) throws -> WireCode? {
    do { _ = try ask(request, body) } catch let error as HelperFault {
      guard case .refused(let code, _) = error else { throw error }
      return code
    }
    return nil
  }

  func files(_ folder: String? = nil) throws -> [WireFile] {
    let line = try line()
    let ticket = line.ask(.list(folder))
    do throws(HelperFault) { try line.finish(ticket) } catch {
      guard case .refused(.notFound, _) = error else { throw error }
    }
    return ticket.files.sorted { $0.path < $1.path }
  }

  func hangUp() throws -> Launch.Ending? {
    let line = try line()
    connection = nil
    return line.hangUp()
  }

  func path(_ index: UInt32) -> String { FilePlace.block(HelperTrial.chain, index).path }

  func need(_ isSo: Bool, _ what: @autoclosure () -> String) throws {
    if !isSo { throw Wrong(what()) }
  }

  func clean() throws {
    for file in try files() { _ = try ask(.delete(file.path)) }
    _ = try ask(.flush)
    try line().close()
    connection = nil
  }

  private static func words(of fault: HelperFault) -> String {
    switch fault {
    case .notStarted(let error): "cannot start it: \(error.reason)"
    case .badPlace: "invalid location"
    case .ended(let status, _): "it exited with status \(status)"
    case .silent(let seconds): "no answer for \(seconds) s"
    case .version(let version): "unsupported protocol version \(version)"
    case .late: "timed out"
    case .protocolViolation(let what): what
    case .refused(let code, let text): "it answered: error \(code.rawValue) \(text)"
    }
  }
}

extension HelperTrial {
  private static func block(_ index: UInt32, _ byte: UInt8 = 1) -> [UInt8] {
    let count = 100 + index % 7
    var writer = ByteWriter(capacity: BlockHeader.size + Int(count))
    BlockHeader(
      mode: index == 0 ? [.signed, .control] : [], payloadSize: count, index: index, lamport: 9, previous: .zero,
      data: .zero
    ).write(into: &writer)
    writer.append([UInt8](repeating: byte, count: Int(count)))
    return writer.array()
  }

  /// Checks those promises of a container that sync relies on. The other promises follow from the way files behave.
  func container() throws {
    let container = HelperContainer(place, helpers)
    defer { container.close() }
    let chain = HelperTrial.chain
    let id = UUID(high: 0x5EA0_0000_0000_4000, low: 0x8000_0000_0000_0002)
    let info = ContainerInfo(container: id, database: id, contentType: "org.example.trial")
    try container.create(info)
    func write(_ range: Range<UInt32>) throws {
      var next = range.lowerBound
      _ = try container.writeBlocks(of: chain, from: next) {
        defer { next += 1 }
        return next < range.upperBound ? HelperTrial.block(next) : nil
      }
    }
    func read(_ want: UInt32) throws {
      var next: UInt32 = 0
      let end = try container.readBlocks(of: chain, from: 0) { index, bytes in
        let isSame = index == next && HelperTrial.block(index).withUnsafeBytes { sameBytes($0, bytes) }
        next += 1
        return isSame
      }
      try need(end == .end(next: want), "blocks 0 to \(want) of a chain differ from what was written")
    }
    try write(0..<1)
    try write(1..<30)
    try read(30)
    try write(0..<30)
    container.forget()
    try need(try container.info() == info, "info.json differs from what was written")
    try read(30)
    do {
      var other: [[UInt8]] = [HelperTrial.block(29, 2)]
      _ = try container.writeBlocks(of: chain, from: 29) { other.popLast() }
      throw Wrong("a block was replaced by another one")
    } catch ContainerError.differs {}
    try container.quarantine(chain, 29, folded: false)
    container.forget()
    try read(29)
    let other = BranchID(id)
    var next: UInt32 = 0
    _ = try container.writeBlocks(of: other, from: 0) {
      defer { next += 1 }
      return next < 1002 ? HelperTrial.block(next) : nil
    }
    container.forget()
    try need(try container.chains().chains == [chain, other].sorted(), "the chains differ from what was written")
    try need(try container.survey(other).folded.map(\.first) == [0], "a thousand blocks were not packed into one file")
    try need(try container.lastIndex(of: other) == 1001, "the last block of a chain is not listed")
    let place = AssetPlace(instance: id, index: 3)
    let content = [UInt8](repeating: 5, count: 2_500_000)
    try container.writeAsset(place, size: Int64(content.count)) { offset, buffer in
      let part = content.dropFirst(Int(offset)).prefix(buffer.count)
      buffer.copyBytes(from: part)
      return part.count
    }
    var found: [UInt8] = []
    _ = try container.readAsset(place, from: 0) { piece in
      found.append(contentsOf: piece)
      return true
    }
    try need(found == content, "an asset file differs from what was written")
  }
}

extension HelperTrial {
  /// Returns bytes that include every byte value, and lines that look like requests.
  private static func content(_ count: Int) -> [UInt8] {
    let tail = Array("\nbye\nok 7\n\0\r\n".utf8)
    return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) } + (count > 0 ? tail : [])
  }

  private func get(_ path: String, _ offset: Int64 = 0, _ count: Int64 = 1 << 20) throws -> [UInt8] {
    try ask(.get(path, offset: offset, count: count))
  }

  func missing() throws {
    for request: Wire.Request in [.get(path(77), offset: 0, count: 10), .get("transactions", offset: 0, count: 10)] {
      do { _ = try ask(request) } catch HelperFault.refused(.notFound, _) { continue }
      throw Wrong("'\(request.line)' of a missing file must fail with not-found")
    }
    try need(try files("transactions").isEmpty, "a missing folder lists files")
  }

  func unknown() throws {
    let line = try line()
    let ticket = line.ask(line: "sing a song")
    do throws(HelperFault) { try line.finish(ticket) } catch {
      guard case .refused(.unsupported, _) = error else { throw error }
      return try missing()
    }
    throw Wrong("an unknown request must fail with unsupported")
  }

  func put() throws {
    for (index, size) in [0, 1, 1000, 100_000].enumerated() {
      let (path, content) = (path(UInt32(index)), HelperTrial.content(size))
      _ = try ask(.put(path, size: Int64(content.count)), content)
      try need(try get(path) == content, "a file of \(content.count) bytes differs from what was put")
    }
    _ = try ask(.flush)
  }

  func range() throws {
    let content = HelperTrial.content(100_000)
    for (offset, count) in [(0, 10), (5, 0), (99_990, 500), (50_000, 20_000), (100_013, 10), (1_000_000, 10)] {
      let part = Array(content.dropFirst(offset).prefix(count))
      try need(
        try get(path(3), Int64(offset), Int64(count)) == part, "get with \(offset) \(count) gives other bytes")
    }
  }

  func once() throws {
    let code = try refusal(.put(path(2), size: 5), Array("flush".utf8))
    try need(code == .exists, "put of an existing file must fail with exists")
    try need(try get(path(2)) == HelperTrial.content(1000), "put has changed an existing file")
  }

  func list() throws {
    let want = [0, 1, 1000, 100_000].enumerated().map { (path(UInt32($0)), HelperTrial.content($1).count) }
    // The name of the missing folder is a prefix of an existing name.
    let beside = try files("transactions/\(HelperTrial.chain.instance)")
    try need(beside.isEmpty, "list of a folder shows files that are not in it")
    for folder in [nil, "transactions", "transactions/\(HelperTrial.chain)/1"] {
      let have = try files(folder)
      try need(
        have.map(\.path) == want.map(\.0).sorted()
          && have.allSatisfy { file in
            want.contains { $0.0 == file.path && $0.1 == file.size }
          }, "list \(folder ?? ".") does not show exactly the existing files with their sizes")
    }
    try need(try files("assets").isEmpty, "list of another folder shows files of this one")
  }

  func order() throws {
    let line = try line()
    var tickets: [(HelperTicket, [UInt8]?)] = []
    for round in 0..<5 as Range<UInt32> {
      let files = (0..<8).map {
        (path: path(100 + 10 * round + $0), bytes: HelperTrial.content(Int(round * 400 + $0 * 50)))
      }
      for file in files {
        let request = Wire.Request.put(file.path, size: Int64(file.bytes.count))
        tickets.append((file.bytes.withUnsafeBytes { line.ask(request, $0) }, nil))
      }
      for file in files { tickets.append((line.ask(.get(file.path, offset: 0, count: 1 << 16)), file.bytes)) }
      for file in files { tickets.append((line.ask(.delete(file.path)), nil)) }
    }
    for (ticket, content) in tickets {
      try line.finish(ticket)
      if let content { try need(ticket.bytes == content, "a request got the answer of another parallel request") }
    }
  }

  func replace() throws {
    let hint = FilePlace.small(.heads, HelperTrial.chain.instance.description).path
    for content in [[], HelperTrial.content(10), HelperTrial.content(3)] {
      _ = try ask(.replace(hint, size: Int64(content.count)), content)
      try need(try get(hint) == content, "replace does not store the given content")
    }
    _ = try ask(.delete(hint))
  }

  func move() throws {
    let aside = Layout.aside(path(2), "00000000")
    _ = try ask(.move(path(2), to: aside))
    try need(try refusal(.get(path(2), offset: 0, count: 1)) == .notFound, "a file is still there after move")
    try need(try get(aside) == HelperTrial.content(1000), "a file differs after move")
    try need(
      try refusal(.move(path(2), to: Layout.aside(path(2), "00000001"))) == .notFound,
      "move of a missing file must fail with not-found")
    _ = try ask(.put(path(2), size: 1), [7])
    try need(try refusal(.move(path(2), to: aside)) == .exists, "move onto a file must fail with exists")
    try need(try get(aside) == HelperTrial.content(1000), "move has replaced a file")
    _ = try ask(.delete(aside))
  }

  func delete() throws {
    _ = try ask(.delete(path(2)))
    try need(try refusal(.get(path(2), offset: 0, count: 1)) == .notFound, "a file is still there after delete")
    try need(try refusal(.delete(path(2))) == nil, "delete of a missing file is refused")
    try need(try refusal(.delete(path(5_000_000))) == nil, "delete in a missing folder is refused")
  }

  func large() throws {
    let content = [UInt8]((0..<9 << 20).map { UInt8(truncatingIfNeeded: $0 >> 3) })
    _ = try ask(.put(path(9), size: Int64(content.count)), content)
    for start in stride(from: 0, to: content.count, by: 4 << 20) {
      let part = Array(content[start..<min(content.count, start + 4 << 20)])
      try need(try get(path(9), Int64(start), 4 << 20) == part, "a file of 9 MiB differs from what was put")
    }
    _ = try ask(.delete(path(9)))
  }

  /// Checks that an incomplete file does not appear and does not replace an existing file.
  func whole() throws {
    let most = [UInt8](repeating: 3, count: 1 << 20)
    _ = try ask(.put(path(8), size: 1), [7])
    for request: Wire.Request in [.put(path(9), size: 9 << 20), .replace(path(8), size: 9 << 20)] {
      let line = try line()
      let ticket = line.ask(request) { feed in most.withUnsafeBytes { feed($0) } }
      try line.finish(ticket, most: 30) { line.isSent }
      _ = try hangUp()
    }
    // A background process of the helper may still be running.
    for _ in 0..<5 {
      try need(
        try refusal(.get(path(9), offset: 0, count: 1)) == .notFound,
        "a file was created from an incomplete upload")
      try need(try get(path(8)) == [7], "replace changed a file after an incomplete upload")
      Clock.sleep(nanoseconds: 100_000_000)
    }
    _ = try ask(.delete(path(8)))
  }

  /// Checks that a second run of the helper sees the changes made by the first run.
  func checkPersistence() throws {
    _ = try ask(.flush)
    try line().close()
    try need(try get(path(1)) == HelperTrial.content(1), "a file that was put is missing for the next process")
    for index in 0..<4 as Range<UInt32> { _ = try ask(.delete(path(index))) }
  }

  /// Checks that one connection is notified of a change that another connection makes.
  func news() throws {
    let path = path(500)
    _ = try ask(.put(path, size: 0), [])
    _ = try ask(.flush)
    let listener = try helpers.start(place)
    try listener.finish(listener.greet())
    let ticket = listener.ask(.await(60))
    try listener.finish(ticket, most: 30) { ticket.waitsSince != nil }
    let before = ticket.news.count
    _ = try ask(.put(self.path(501), size: 0), [])
    try listener.finish(ticket, most: 30) { ticket.news.count > before }
    // A later request ends the waiting.
    try listener.finish(listener.ask(.flush), most: 30)
    listener.close()
    for index: UInt32 in [500, 501] { _ = try ask(.delete(self.path(index))) }
  }

  func farewell() throws {
    let line = try line()
    try line.finish(line.ask(.bye))
    let ending = try hangUp()
    try need(ending == .exited(0), "after bye it exits with status \(ending?.status ?? 0)")
  }

  func endOfInput() throws {
    _ = try line()
    let ending = try hangUp()
    try need(ending == .exited(0), "at the end of its input it exits with status \(ending?.status ?? 0)")
  }
}
