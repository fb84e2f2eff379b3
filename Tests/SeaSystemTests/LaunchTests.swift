import Glibc
import SeaSystem
import SeaTestSupport
import Testing

/// What a program that is run finds, and how it can end. One at a time: signals belong to the whole process.
@Suite(.serialized) struct LaunchTests {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func shell(_ script: String, _ change: (inout Launch) -> Void = { _ in }) throws -> Launch.Ending {
    var launch = Launch("sh", ["sh", "-c", script, "sh", folder.path("out")])
    launch.input = .none
    change(&launch)
    // Threads that run tests may have signals blocked.
    var (none, before) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    return try launch.run()
  }

  private func output() throws -> String { String(decoding: try folder.bytes("out"), as: UTF8.self) }

  @Test func exitStatusAndSignalsAreReported() throws {
    for limit in [nil, 30.0] {
      #expect(try shell("exit 0") { $0.seconds = limit } == .exited(0))
      #expect(try shell("exit 131") { $0.seconds = limit } == .exited(131))
      #expect(try shell("kill -KILL $$") { $0.seconds = limit } == .signaled(SIGKILL))
      #expect(try shell("kill -TERM $$") { $0.seconds = limit } == .signaled(SIGTERM))
    }
    #expect(Launch.Ending.exited(7).status == 7 && Launch.Ending.signaled(9).status == 137)
    #expect(Launch.Ending.timedOut.status == 143)
    for path in ["/no/such", folder.path, "no-such-program"] {
      #expect(throws: SystemError.self) { try Launch(path, [path]).run() }
    }
  }

  @Test func inputIsDeliveredAndMayStayUnread() throws {
    let bytes = [UInt8](repeating: 0x61, count: 1 << 20) + [0x0A, 0, 0x62]
    for limit in [nil, 30.0] {
      let ending = try shell(#"cat >"$1""#) {
        $0.input = .bytes(bytes)
        $0.seconds = limit
      }
      #expect(ending == .exited(0))
      #expect(try folder.bytes("out") == bytes)
      #expect(try shell("exit 3") { $0.input = .bytes(bytes) } == .exited(3))
      #expect(try shell("head -c 1 >/dev/null") { $0.input = .bytes(bytes) } == .exited(0))
    }
    #expect(try shell(#"cat >"$1"; ls -l /proc/self/fd/0 >>"$1""#) { _ in } == .exited(0))
    #expect(try output().hasSuffix("/dev/null\n"))
  }

  @Test func variablesAreSetAndHidden() throws {
    setenv("LAUNCHED_HIDDEN", "seen", 1)
    setenv("LAUNCHED_CHANGED", "old", 1)
    defer {
      unsetenv("LAUNCHED_HIDDEN")
      unsetenv("LAUNCHED_CHANGED")
    }
    let ending = try shell(#"env | grep ^LAUNCHED_ | sort >"$1"; pwd >>"$1""#) {
      $0.variables = [("LAUNCHED_CHANGED", "new=\n$(x)"), ("LAUNCHED_ADDED", "ä")]
      $0.isHidden = { $0 == "LAUNCHED_HIDDEN" }
      $0.directory = "/proc"
    }
    #expect(ending == .exited(0))
    #expect(try output() == "LAUNCHED_ADDED=ä\nLAUNCHED_CHANGED=new=\n/proc\n")
    #expect(throws: SystemError.self) { try shell("exit 0") { $0.directory = "/no/such" } }
  }

  @Test func outputCanGoToStandardError() throws {
    #expect(try shell(#"x=$(readlink /proc/$$/fd/2); echo "$x" >"$1""#) == .exited(0))
    let error = try output()
    let ending = try shell(#"x=$(readlink /proc/$$/fd/1); echo "$x" >"$1""#) { $0.printsToError = true }
    #expect(ending == .exited(0))
    let second = try output()
    #expect(second == error)
  }

  @Test func programStartsWithDefaultSignals() throws {
    var ignore = sigaction()
    ignore.__sigaction_handler.sa_handler = SIG_IGN
    var before = sigaction()
    sigaction(SIGPIPE, &ignore, &before)
    defer { sigaction(SIGPIPE, &before, nil) }
    for limit in [nil, 30.0] {
      let ending = try shell(#"exec grep -E '^Sig(Blk|Ign):' /proc/self/status >"$1""#) { $0.seconds = limit }
      #expect(ending == .exited(0))
      // Other tests may ignore signals of the terminal for as long as they run a program.
      for (line, signals) in zip(try output().split(separator: "\n"), [[SIGPIPE, SIGINT, SIGQUIT], [SIGPIPE]]) {
        let mask = try #require(UInt64(line.split(separator: "\t")[1], radix: 16))
        #expect(signals.allSatisfy { mask & 1 << UInt64($0 - 1) == 0 }, "\(line)")
      }
    }
  }

  @Test func timeoutEndsWholeProcessGroup() throws {
    let start = Clock.monotonic()
    let ending = try shell(#"sleep 300 & echo $! >"$1"; trap '' TERM; while :; do sleep 300; done"#) {
      $0.seconds = 0.3
    }
    #expect(ending == .timedOut)
    #expect(Clock.monotonic() - start < 20_000_000_000)
    let child = try #require(pid_t(output().split(separator: "\n")[0]))
    // Gone, or waiting for somebody to ask how it ended.
    var isRunning = true
    for _ in 0..<100 where isRunning {
      let state = try? String(decoding: File("/proc/\(child)/stat").readAll(limit: 4096) ?? [], as: UTF8.self)
      isRunning = state.map { !$0.contains(") Z ") } ?? false
      Clock.sleep(nanoseconds: 20_000_000)
    }
    #expect(!isRunning)
  }

  @Test func survivingChildIsNotAwaited() throws {
    for limit in [nil, 30.0] {
      let start = Clock.monotonic()
      let ending = try shell(#"sleep 20 & echo $! >"$1""#) {
        $0.seconds = limit
        $0.input = .bytes([0x61])
      }
      #expect(ending == .exited(0))
      #expect(Clock.monotonic() - start < 10_000_000_000)
      kill(try #require(pid_t(output().split(separator: "\n")[0])), SIGKILL)
    }
  }

  @Test func outputIsReadToItsEnd() throws {
    for limit in [nil, 30.0] {
      for prints in [false, true] {
        var heard: [UInt8] = []
        var launch = Launch("sh", ["sh", "-c", "yes 12345678 | head -c 1000000 >&2; printf 'a\\033b'; printf end >&2"])
        (launch.input, launch.seconds, launch.printsToError) = (.none, limit, prints)
        let ending = try launch.run { heard += $0 }
        #expect(ending == .exited(0))
        let end = prints ? "a\u{1B}bend" : "end"
        #expect(heard.count == 1_000_000 + end.utf8.count)
        #expect(heard.suffix(end.utf8.count).elementsEqual(end.utf8))
      }
      // Who is left behind and says nothing keeps nobody waiting, nor does one that closes its streams.
      let start = Clock.monotonic()
      var heard: [UInt8] = []
      var launch = Launch("sh", ["sh", "-c", #"sleep 20 & echo $! >"$0"; echo x >&2; exit 4"#, folder.path("out")])
      (launch.input, launch.seconds) = (.none, limit)
      #expect(try launch.run { heard += $0 } == .exited(4))
      kill(try #require(pid_t(output().split(separator: "\n")[0])), SIGKILL)
      #expect(heard == [0x78, 0x0A])
      launch.arguments[2] = "exec >&- 2>&-; sleep 0.3; exit 5"
      #expect(try launch.run { heard += $0 } == .exited(5))
      #expect(Clock.monotonic() - start < 15_000_000_000)
    }
    var launch = Launch("sh", ["sh", "-c", "yes >&2"])
    (launch.input, launch.seconds) = (.none, 0.3)
    #expect(try launch.run { _ in } == .timedOut)
  }
}
