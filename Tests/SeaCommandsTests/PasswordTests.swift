import SeaCommands
import SeaCore
import SeaEngine
import SeaSystem
import Testing

/// Where passwords come from: the order of the sources, and what each may be.
@Suite struct PasswordTests {
  /// The page says how much work slots may make, and the second reader goes by the page.
  @Test func manPageAndReaderMatchRoundLimits() throws {
    let most = Slot.mostRoundsTogether
    let digits = Array(String(most))
    let text = digits.enumerated().map { at, digit in
      at > 0 && (digits.count - at) % 3 == 0 ? [",", digit] : [digit]
    }.joined()
    #expect(try read("man/sea-format.5").contains("brings the sum of the rounds above \(String(text)).\n"))
    let bounds = "\(Slot.roundBounds.lowerBound), \(Slot.roundBounds.upperBound), \(most)\n"
    let reader = try read("Tests/reader/sea_seal.py").replacing("_", with: "")
    #expect(reader.contains("LEASTROUNDS, MOSTROUNDS, MOSTROUNDSTOGETHER = \(bounds)"))
  }

  private let use = PasswordUse.open(place: "the database")
  private let replaced = PasswordUse.new(place: "the database")

  /// Passwords look up settings in their session, which has to be there.
  private final class Sessions { var all: [Session] = [] }
  private let sessions = Sessions()

  /// A session after this command line; the arguments are those of a command that changes a password.
  private func session(
    _ run: Run, _ words: [String] = [], _ outcome: Run.Box = Run.Box()
  ) throws -> (session: Session, arguments: Arguments) {
    let session = run.session(outcome)
    sessions.all.append(session)
    var parser = Parser(words.filter { !$0.hasPrefix("--new-") })
    _ = try parser.commandName()
    session.options = parser.globals
    var arguments = Arguments()
    for option in Option.newPassword {
      for word in words where word.hasPrefix(option.dashed + "=") {
        arguments.values.append((option.key, String(word.dropFirst(option.dashed.count + 1))))
      }
    }
    return (session, arguments)
  }

  private func file(_ text: String, mode: UInt32 = 0o600) throws -> String {
    let path = Path.join(try scratch(), "password")
    try AtomicFile.write(path, mode: mode, Array(text.utf8), replace: false)
    return path
  }

  private func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  private func failure(_ body: () throws -> [UInt8]?) -> Failure? {
    do {
      _ = try body()
      return nil
    } catch {
      return Failure.describing(error)
    }
  }

  @Test func passwordSourcesHaveFixedOrder() throws {
    var run = Run(input: "by descriptor\n")
    let own = try scratch()
    try AtomicFile.write(
      Path.join(own, "config"), Array("[password]\ncommand = configured\n".utf8), replace: false)
    run.variables = [
      "SEA_PASSWORD_FD": "0", "SEA_PASSWORD_FILE": try file("by variable"), "SEA_PASSWORD_COMMAND": "varied",
      "SEA_CONFIG_GLOBAL": Path.join(own, "config"), "SEA_CONFIG_NOSYSTEM": "1", "SEA_ASKPASS": "/ask",
      "SSH_ASKPASS": "/ssh",
    ]
    run.answers = [
      "given": "by option", "varied": "by command", "configured": "by setting", "/ask": "by askpass", "/ssh": "by ssh",
    ]
    run.typed = ["by hand"]
    var words = ["--password-fd=0", "--password-file=\(try file("by file\nno more"))", "--password-command=given x"]
    for want in ["by descriptor", "by file", "by option"] {
      #expect(text(try session(run, words).session.passwords.password(for: use)) == want)
      words.removeFirst()
    }
    for (name, want) in [
      ("SEA_PASSWORD_FD", "by descriptor"), ("SEA_PASSWORD_FILE", "by variable"),
      ("SEA_PASSWORD_COMMAND", "by command"), ("SEA_CONFIG_GLOBAL", "by setting"), ("SEA_ASKPASS", "by askpass"),
      ("SSH_ASKPASS", "by ssh"),
    ] {
      #expect(text(try session(run).session.passwords.password(for: use)) == want)
      run.variables[name] = ""
    }
    #expect(text(try session(run).session.passwords.password(for: use)) == "by hand")
    #expect(try session(run, ["--no-input"]).session.passwords.password(for: use) == nil)
    run.typed = nil
    #expect(try session(run).session.passwords.password(for: use) == nil)
  }

  @Test func newPasswordHasSeparateSources() throws {
    var run = Run()
    run.variables = [
      "SEA_PASSWORD_COMMAND": "old", "SEA_NEW_PASSWORD_COMMAND": "new", "SEA_CONFIG_NOSYSTEM": "1",
    ]
    run.answers = ["old": "o", "new": "n", "option": "p"]
    let (plain, arguments) = try session(run)
    #expect(text(try plain.passwords.password(for: use)) == "o")
    #expect(text(try plain.passwords.password(for: replaced)) == "o")
    #expect(text(try plain.passwords.password(for: replaced, new: arguments)) == "n")
    let (given, more) = try session(run, ["--new-password-command=option"])
    #expect(text(try given.passwords.password(for: use)) == "o")
    #expect(text(try given.passwords.password(for: replaced, new: more)) == "p")
    run.variables["SEA_NEW_PASSWORD_COMMAND"] = nil
    let (nobody, none) = try session(run, ["--no-input", "-c", "password.command=old"])
    #expect(try nobody.passwords.password(for: replaced, new: none) == nil)
  }

  @Test func passwordCommandSettingIsReadOnlyFromFiles() throws {
    var run = Run()
    let home = try scratch()
    let database = Path.join(home, ".sea")
    try Path.createDirectories(database)
    run.variables = ["HOME": home, "SEA_CONFIG_NOSYSTEM": "1"]
    run.answers = ["x": "by setting"]
    #expect(try session(run, ["-c", "password.command=x"]).session.passwords.password(for: use) == nil)
    run.variables["SEA_CONFIG_COUNT"] = "1"
    run.variables["SEA_CONFIG_KEY_0"] = "password.command"
    run.variables["SEA_CONFIG_VALUE_0"] = "x"
    #expect(try session(run).session.passwords.password(for: use) == nil)
    #expect(try session(run, ["--sea-dir=\(database)"]).session.passwords.password(for: use) == nil)
    try AtomicFile.write(
      Path.join(database, "config"), Array("[password]\ncommand = x\n".utf8), replace: false)
    // A file that merely lies there is nobody's.
    #expect(try session(run, ["--sea-dir=\(database)"]).session.passwords.password(for: use) == nil)
    try AtomicFile.write(Path.join(database, "db"), [], replace: false)
    #expect(text(try session(run, ["--sea-dir=\(database)"]).session.passwords.password(for: use)) == "by setting")
  }

  @Test func passwordInEnvironmentVariableIsRefused() throws {
    for name in ["SEA_PASSWORD", "SEA_NEW_PASSWORD"] {
      var run = Run()
      run.variables[name] = "secret"
      let session = try session(run, ["--password-command=x"]).session
      let failure = failure { try session.passwords.password(for: use) }
      #expect(failure?.status == .usage && failure?.slug == "usage")
      #expect(failure?.message == "\(name) is ignored, because other programs can read it")
      #expect(failure?.hint == "use --password-file, --password-command, --password-fd or the prompt")
      #expect(run("version").status == 0)
    }
  }

  @Test func passwordIsFirstLineVerbatim() throws {
    for (content, want) in [
      ("a", "a"), ("a\n", "a"), ("a\r\n", "a"), ("a  b\n", "a  b"), ("a\nb\n", "a"), ("é\u{1}\n", "é\u{1}"),
    ] {
      let session = try session(Run(), ["--password-file=\(try file(content))"]).session
      #expect(text(try session.passwords.password(for: use)) == want)
      #expect(text(try session.passwords.password(for: replaced)) == want)
    }
    let long = String(repeating: "x", count: 1 << 20)
    #expect(
      text(try session(Run(), ["--password-file=\(try file(long))"]).session.passwords.password(for: use)) == long)
  }

  @Test func emptyAndOverlongPasswordsAreRefused() throws {
    var run = Run()
    run.answers = ["/ask": ""]
    for text in ["", "\n", "\nsecond", String(repeating: "x", count: 1 << 20 + 1)] {
      run.input = Array(text.utf8)
      for words in [["--password-fd=0"], ["--password-file=-"], ["--password-file=\(try file(text))"]] {
        let session = try session(run, words).session
        let failure = failure { try session.passwords.password(for: use) }
        #expect(failure?.slug == "bad-password" && failure?.status == .denied, "\(words)")
      }
    }
    // Who is asked and says nothing has no password.
    run.variables["SEA_ASKPASS"] = "/ask"
    #expect(try self.session(run).session.passwords.password(for: use) == nil)
  }

  @Test func passwordFileReadableByOthersWarns() throws {
    for (mode, warns) in [(0o600, false), (0o640, true), (0o604, true), (0o700, false)] as [(UInt32, Bool)] {
      let box = Run.Box()
      let path = try file("a", mode: mode)
      let session = try session(Run(), ["--password-file=\(path)"], box).session
      for _ in 0..<2 { #expect(text(try session.passwords.password(for: use)) == "a") }
      #expect(box.value.errLines.count == (warns ? 2 : 0), "\(box.value.err)")
      #expect(!warns || box.value.err.hasPrefix("sea: warning[password-file-open]: other users can read '\(path)'"))
    }
    let missing = failure { try self.session(Run(), ["--password-file=/no/such"]).session.passwords.password(for: use) }
    #expect(missing?.status == .system)
  }

  @Test func standardInputContinuesAfterPassword() throws {
    let session = try session(Run(input: "secret\n{\"_id\":\"x\"}\n"), ["--password-fd=0"]).session
    #expect(text(try session.passwords.password(for: use)) == "secret")
    #expect(text(try session.passwords.password(for: use)) == "secret")
    #expect(text(try session.terminal.input.line()) == #"{"_id":"x"}"#)
  }

  /// A command may read its input before it finds that it needs a key.
  @Test func thePasswordIsReadBeforeTheInput() throws {
    for words in [["--password-fd=0"], ["--password-file=-"]] {
      let session = try session(Run(input: "secret\nx\n"), words).session
      #expect(text(try session.terminal.input.all()) == "x\n")
      #expect(text(try session.passwords.password(for: use)) == "secret")
    }
    let empty = try session(Run(input: ""), ["--password-fd=0"]).session
    #expect(try empty.terminal.input.line() == nil)
    #expect(throws: PasswordError.empty(source: "--password-fd")) { try empty.passwords.password(for: use) }
    let long = try session(Run(input: String(repeating: "x", count: 1 << 20 + 1) + "\ny"), ["--password-fd=0"]).session
    #expect(throws: PasswordError.tooLong(source: "--password-fd")) { try long.passwords.password(for: use) }
    let plain = try session(Run(input: "a\nb"), ["--password-fd=3"]).session
    for want in ["a", "b"] { #expect(text(try plain.terminal.input.line()) == want) }
  }

  @Test func passwordDescriptorMustBeInherited() throws {
    let own = try File("/dev/null")
    for number in ["\(own.descriptor)", "4000", "4294967295"] {
      let failure = failure {
        try self.session(Run(), ["--password-fd=\(number)"]).session.passwords.password(for: use)
      }
      #expect(failure?.status == .usage, "\(number)")
    }
    var run = Run()
    run.variables["SEA_PASSWORD_FD"] = "secret"
    let failure = failure { try self.session(run).session.passwords.password(for: use) }
    #expect(failure?.status == .usage && failure?.message.contains("secret") == false)
    #expect(Run()("--password-fd=x", "version").status == 2)
  }

  @Test func commandsAreSplitWithoutAShell() throws {
    for (line, words) in [
      ("a", ["a"]), (" a  b\tc\n", ["a", "b", "c"]), (#"a 'b "c' "d 'e""#, ["a", #"b "c"#, "d 'e"]),
      (#"a\ b c\"d '\' "\\""#, ["a b", #"c"d"#, #"\"#, #"\"#]), (#"a "" '' b""c"#, ["a", "", "", "bc"]),
      ("a $HOME `x` | ;", ["a", "$HOME", "`x`", "|", ";"]),
    ] { #expect(CommandWords.split(line) == words, "\(line)") }
    for line in ["", " \t", "a 'b", #"a "b"#, #"a\"#, #""\"#] { #expect(CommandWords.split(line) == nil, "\(line)") }
    let box = Run.Box()
    var run = Run()
    run.answers["pass"] = "secret"
    let session = try session(run, ["--password-command=pass show 'a b'"], box).session
    #expect(text(try session.passwords.password(for: use)) == "secret")
    #expect(box.value.program == Program(path: "pass", arguments: ["pass", "show", "a b"]))
  }

  @Test func failedCommandIsReportedWithoutArguments() throws {
    let session = try session(Run(), ["--password-command=get secret"]).session
    let failed = failure { try session.passwords.password(for: use) }
    #expect(failed?.slug == "refused" && failed?.message == "'get' failed with status 3")
    let open = failure { try self.session(Run(), ["--password-command='secret"]).session.passwords.password(for: use) }
    #expect(open?.status == .usage && open?.message.contains("secret") == false)
  }

  @Test func askpassReceivesPrompt() throws {
    let box = Run.Box()
    var run = Run()
    run.variables["SSH_ASKPASS"] = "/usr/bin/ask me"
    run.answers["/usr/bin/ask me"] = "secret"
    #expect(text(try session(run, [], box).session.passwords.password(for: .open(place: "a\u{1B}b"))) == "secret")
    let prompt = #"Passphrase for a\x1bb: "#
    #expect(box.value.program == Program(path: "/usr/bin/ask me", arguments: ["/usr/bin/ask me", prompt]))
    #expect(text(try session(run).session.passwords.password(for: replaced)) == "secret")
  }

  @Test func newPasswordIsPromptedTwice() throws {
    func ask(_ use: PasswordUse, _ typed: [String]) throws -> (String?, [String]) {
      let box = Run.Box()
      var run = Run()
      run.typed = typed
      return (text(try session(run, [], box).session.passwords.password(for: use)), box.value.prompts)
    }
    let new = "New passphrase for the database: "
    #expect(try ask(use, ["secret"]) == ("secret", ["Passphrase for the database: "]))
    #expect(try ask(use, [""]) == (nil, ["Passphrase for the database: "]))
    #expect(try ask(replaced, ["a", "a"]) == ("a", [new, "Repeat: "]))
    #expect(
      try ask(replaced, ["a", "b", "", "c", "c"])
        == (
          "c",
          [
            new, "Repeat: ", "The passphrases do not match.\n" + new, "The passphrase cannot be empty.\n" + new,
            "Repeat: ",
          ]
        ))
    #expect(throws: PasswordError.notRepeated) { try ask(replaced, ["a", "b", "c", "d", "e", "f"]) }
    #expect(throws: PasswordError.notRepeated) { try ask(replaced, ["", "", ""]) }
  }

  @Test func missingRequiredPasswordIsAnError() throws {
    let open = failure { try self.session(Run()).session.passwords.needed(for: use) }
    #expect(open?.slug == "no-key" && open?.status == .denied)
    let new = failure { try self.session(Run()).session.passwords.needed(for: replaced) }
    #expect(new?.status == .usage && new?.hint?.contains("--password-fd") == true)
  }

  @Test func passwordVariablesCountAsSecret() {
    for name in [
      "SEA_PASSWORD", "SEA_PASSWORD_FILE", "SEA_PASSWORD_COMMAND", "SEA_PASSWORD_FD", "SEA_NEW_PASSWORD",
      "SEA_NEW_PASSWORD_FILE", "SEA_ASKPASS", "SSH_ASKPASS",
    ] { #expect(SecretVariables.contains(name)) }
    for name in ["SEA_DIR", "PASSWORD", "HOME", "SEA_PASSWORDLESS", "SSH_ASKPASS_REQUIRE"] {
      #expect(!SecretVariables.contains(name))
    }
  }
}
