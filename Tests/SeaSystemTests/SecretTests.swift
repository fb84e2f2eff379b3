import Glibc
import SeaSystem
import SeaTestSupport
import Testing

@_silgen_name("posix_openpt") private func openMaster(_ flags: Int32) -> Int32
@_silgen_name("grantpt") private func grant(_ master: Int32) -> Int32
@_silgen_name("unlockpt") private func unlock(_ master: Int32) -> Int32
@_silgen_name("ptsname") private func slaveName(_ master: Int32) -> UnsafePointer<CChar>?

/// What only the system can show of secrets: terminals, descriptors and programs.
@Suite struct SecretTests {
  @Test func typedSecretIsNotEchoed() throws {
    let master = openMaster(O_RDWR | O_NOCTTY)
    #expect(master >= 0 && grant(master) == 0 && unlock(master) == 0)
    defer { close(master) }
    let slave = try #require(slaveName(master).flatMap { String(validatingCString: $0) })
    let held = open(slave, O_RDWR | O_NOCTTY)
    defer { close(held) }
    var before = termios()
    #expect(tcgetattr(held, &before) == 0)
    let failures = Threads.run(2) { number in
      if number == 0 {
        let terminal = try #require(ControllingTerminal(slave))
        #expect(try terminal.ask("Passphrase: ", limit: 100) == Array("sécret".utf8))
        #expect(try terminal.ask("Repeat: ", limit: 3) == nil)
        return
      }
      let screen = File(descriptor: master, path: "master", owned: false)
      var seen = ""
      for (prompt, typed) in [("Passphrase: ", "sécret\n"), ("Repeat: ", "sécret\n")] {
        while !seen.hasSuffix(prompt) {
          var piece = [UInt8](repeating: 0, count: 100)
          let count = try piece.withUnsafeMutableBytes { try screen.readSome(into: $0) }
          seen += String(decoding: piece[..<count], as: UTF8.self)
        }
        var now = termios()
        #expect(tcgetattr(held, &now) == 0 && now.c_lflag & tcflag_t(ECHO) == 0)
        try screen.write(typed)
      }
      #expect(seen == "Passphrase: \r\nRepeat: ")
    }
    #expect(failures.isEmpty, "\(failures)")
    var after = termios()
    #expect(tcgetattr(held, &after) == 0 && after.c_lflag == before.c_lflag)
    #expect(ControllingTerminal("/dev/null") == nil && ControllingTerminal("/no/such") == nil)
  }

  @Test func readConsumesExactlyOneLine() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let input = File(descriptor: ends[1], path: "pipe", owned: false)
    let long = String(repeating: "x", count: 9000)
    try input.write("first\nsecond\n\(long)\nabcd\nrest")
    let file = try #require(File.inherited(ends[0]))
    #expect(try SecretLine.read(file, limit: 100) == Array("first".utf8))
    #expect(try SecretLine.read(file, limit: 6) == Array("second".utf8))
    #expect(try SecretLine.read(file, limit: 9000) == Array(long.utf8))
    #expect(try SecretLine.read(file, limit: 3) == nil)
    // What was handed over is not handed on, and not taken twice for a stranger's.
    #expect(fcntl(ends[0], F_GETFD) & FD_CLOEXEC != 0 && File.inherited(ends[0]) == nil)
    #expect(try File.inherited(File("/dev/null").descriptor) == nil && File.inherited(4000) == nil)
  }

  @Test func programAnswerIsItsFirstLine() throws {
    func answer(_ script: String, limit: Int = 100) throws -> (line: [UInt8]?, status: Int32) {
      var launch = Launch("sh", ["sh", "-c", script])
      launch.isHidden = { $0 == "HOME" }
      return try launch.answer(limit: limit)
    }
    func check(_ script: String, _ line: String?, _ status: Int32, limit: Int = 100) throws {
      let (found, ended) = try answer(script, limit: limit)
      #expect(found == line.map { Array($0.utf8) } && ended == status, "\(script)")
    }
    try check("echo a b; echo; seq 100000", "a b", 0)
    try check("printf x; exit 3", "x", 3)
    try check("exit 0", "", 0)
    try check("cat", "", 0)
    try check("echo abcdef", nil, 0, limit: 5)
    try check("echo ${HOME-none}${PATH:+here}", "nonehere", 0)
    #expect(throws: SystemError.self) { try Launch("/no/such", [""]).answer(limit: 1) }
  }

  @Test func wipedSecretIsEmpty() {
    var bytes: [UInt8] = [1, 2, 3]
    SecretLine.wipe(&bytes)
    #expect(bytes == [])
    SecretLine.wipe(&bytes)
  }
}
