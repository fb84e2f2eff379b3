import SeaEngine
import SeaSystem

/// Provides the passwords that a run needs, from options, environment variables, settings or a prompt.
package final class Passwords {
  private static let tries = 3

  private let terminal: Terminal
  private var host: Environment { terminal.host }
  private var options: GlobalOptions { terminal.options }
  var setting: () throws -> String? = { nil }
  private var files: [Int32: File] = [:]
  /// The password lines read from each source that cannot be read twice; nil for a line that is too long.
  private var lines: [String: [UInt8]?] = [:]
  private var warned: Set<String> = []
  private var isTyped = false
  private var wasEmpty = false
  private var mistyped = 0
  private var remark = ""

  init(_ terminal: Terminal) {
    self.terminal = terminal
    terminal.input.first = { [unowned self] in try readFirstLine() }
  }

  /// Returns the password without its newline. The caller must wipe it. Returns nil if there is neither a source nor a
  /// user to prompt, or if the user enters nothing when prompted for an existing password.
  /// - Parameter arguments: the arguments of a command that changes a password. If given, the new password is returned.
  package func password(for use: PasswordUse, new arguments: Arguments? = nil) throws -> [UInt8]? {
    guard let source = try source(new: arguments) else { return nil }
    isTyped = source == .terminal
    ThisProcess.disableCoreDumps()
    switch source {
    case .descriptor(let number, let name): return try line(descriptor: number, name)
    case .file("-", let name): return try line(descriptor: "0", name)
    case .file(let file, let name): return try line(file: file, name)
    case .command(let text, let name):
      guard let words = CommandWords.split(text) else { throw PasswordError.badCommand(source: name) }
      return try checked(answer(words), name)
    case .askpass(let program):
      return try asked(for: use) { prompt in
        guard let line = try answer([program, prompt]) else { throw PasswordError.tooLong(source: program) }
        return line
      }
    case .terminal: return try asked(for: use, at: host.ask)
    }
  }

  /// Returns the same password as `password`, but throws an error if no password is available.
  package func needed(for use: PasswordUse, new arguments: Arguments? = nil) throws -> [UInt8] {
    guard let password = try password(for: use, new: arguments) else {
      throw wasEmpty ? PasswordError.notTyped : PasswordError.none(use)
    }
    return password
  }

  /// Returns the password without prompting; nil if no option, variable or setting provides it.
  var given: (() throws -> [UInt8]?)? {
    let isGiven = PasswordSource.said(options, host, new: nil) != nil || ((try? setting()) ?? nil) != nil
    return isGiven ? { [unowned self] in try password(for: .open(place: "")) } : nil
  }

  var isOnStandardInput: Bool { PasswordSource.said(options, host, new: nil)?.isInput ?? false }

  /// Records that the last password was wrong. Returns whether to prompt again.
  package func asksAgain() -> Bool {
    guard isTyped else { return false }
    mistyped += 1
    remark = "Wrong passphrase.\n"
    return mistyped < Passwords.tries
  }

  package func retrying<Result>(_ body: () throws -> Result) throws -> Result {
    while true {
      do { return try body() } catch KitError.badPassword(let place) {
        guard asksAgain() else { throw KitError.badPassword(place: place) }
      }
    }
  }

  private func source(new arguments: Arguments?) throws -> PasswordSource? {
    for name in ["SEA_PASSWORD", "SEA_NEW_PASSWORD"] where host.variable(name) != nil {
      throw UsageFault.secretVariable(name)
    }
    return try PasswordSource.find(options, host, new: arguments, setting: setting)
  }

  // MARK: Given

  private func line(descriptor text: String, _ name: String) throws -> [UInt8] {
    if let known = lines[name] { return try checked(known, name) }
    guard let number = Int32(text), number >= 0 else { throw PasswordError.noDescriptor(source: name) }
    let line: [UInt8]?
    if number == 0 {
      line = try standardLine()
    } else {
      guard let file = files[number] ?? File.inherited(number) else { throw PasswordError.noDescriptor(source: name) }
      files[number] = file
      line = try SecretLine.read(file, limit: Environment.longestPassword)
    }
    lines[name] = .some(line)
    return try checked(line, name)
  }

  /// Reads the password from the first line of standard input, before the command reads the rest.
  private func readFirstLine() throws {
    guard let source = PasswordSource.said(options, host, new: nil), source.isInput, lines[source.name] == nil else {
      return
    }
    lines[source.name] = .some(try standardLine())
  }

  private func standardLine() throws -> [UInt8]? {
    terminal.input.first = nil
    do {
      var line = try terminal.input.line(limit: Environment.longestPassword) ?? []
      if line.last == 0x0D { line.removeLast() }
      return line.count > Environment.longestPassword ? nil : line
    } catch is LineTooLong {
      return nil
    }
  }

  private func line(file text: String, _ name: String) throws -> [UInt8] {
    let file: File
    do throws(SystemError) { file = try File(options.path(text)) } catch {
      guard error.isMissing else { throw error }
      let isMoved = !options.directories.isEmpty && !text.hasPrefix("/")
      throw PasswordError.noFile(
        source: name, path: options.path(text), isBelow: isMoved ? String(options.path(".").dropLast(2)) : nil)
    }
    let status = try file.status()
    if status.kind == .file, status.mode & 0o044 != 0, !Path.meansOpenFile(text), warned.insert(text).inserted {
      terminal.warning(
        "password-file-open", "other users can read '\(text)'",
        hint: "to fix this, run: chmod 600 \(Escape.shellWord(text))")
    }
    return try checked(try SecretLine.read(file, limit: Environment.longestPassword), name)
  }

  private func checked(_ line: [UInt8]?, _ name: String) throws(PasswordError) -> [UInt8] {
    guard let line else { throw .tooLong(source: name) }
    guard !line.isEmpty else { throw .empty(source: name) }
    // An editor may have added a byte order mark, which users cannot see.
    if line.starts(with: [0xEF, 0xBB, 0xBF]) { throw .marked(source: name) }
    for end in [line[0], line[line.count - 1]] where end == 0x20 || (0x09...0x0D).contains(end) {
      throw .blanks(source: name)
    }
    return line
  }

  private func answer(_ words: [String]) throws -> [UInt8]? {
    let name = words[0]
    try terminal.clear()
    do {
      var (line, status) = try host.answer(Program(path: name, arguments: words))
      guard status == 0 else {
        if line != nil { SecretLine.wipe(&line!) }
        throw CommandError.programFailed(name, status)
      }
      return line
    } catch let error as SystemError {
      throw CommandError.notStarted(name, error)
    }
  }

  // MARK: Prompts

  /// The minimum length in bytes, because an attacker with access to a container can guess shorter passwords.
  private static let short = 10

  private func asked(for use: PasswordUse, at ask: (String) throws -> [UInt8]?) throws -> [UInt8]? {
    try terminal.clear()
    switch use {
    case .open(let place, let orAsks):
      defer { remark = "" }
      let other = orAsks ? " (to request access, press Return)" : ""
      let typed = try ask("\(remark)Passphrase for \(Escape.shown(place))\(other): ")
      guard host.stopSignal() == nil else { throw Stopped(.nothing) }
      wasEmpty = typed?.isEmpty ?? false
      return wasEmpty ? nil : typed
    case .new(let place): return try askedTwice("New passphrase for \(Escape.shown(place)): ", at: ask)
    }
  }

  private func askedTwice(_ prompt: String, at ask: (String) throws -> [UInt8]?) throws -> [UInt8]? {
    var remark = ""
    for _ in 0..<Passwords.tries {
      guard var first = try ask(remark + prompt) else { return nil }
      guard !first.isEmpty else {
        remark = "The passphrase cannot be empty.\n"
        continue
      }
      var second = try ask("Repeat: ") ?? []
      defer { SecretLine.wipe(&second) }
      if first == second {
        if first.count < Passwords.short {
          terminal.notice(
            "the passphrase is short (\(Count(first.count, "byte"))): anyone who has a container could guess it"
          )
        }
        return first
      }
      SecretLine.wipe(&first)
      remark = "The passphrases do not match.\n"
    }
    throw PasswordError.notRepeated
  }
}
