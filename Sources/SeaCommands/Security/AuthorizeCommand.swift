import SeaCore
import SeaEngine
import SeaSystem

enum AuthorizeCommand: Command {
  static var title: Title {
    Title(
      "authorize", .security, .porcelain, needs: [.database, .lock],
      "authorize an instance after its fingerprint is compared"
    )
  }
  static var synopsis: [String] {
    ["[--read-only | --admin] [--fingerprint=WORDS] [--recovery=FILE] [-n] INSTANCE | FILE"]
  }
  static let readOnly = Option("read-only", help: "allow it only to read; its changes are ignored")
  static let admin = Option("admin", help: "also allow it to authorize and revoke others")
  static let fingerprint = Option(
    "fingerprint", nil, .text, "WORDS", "compare with these eight words, as read out by its owner")
  static var options: [Option] { [readOnly, admin, fingerprint, .recoveryWords, .dryRun] }
  static var operands: [Operand] { [.one("INSTANCE", .member)] }
  static var exits: [Exit] {
    [
      Exit(.usage, "bad command line, or no terminal and no --fingerprint"),
      Exit(.notFound, "no such instance, or the name is ambiguous"),
      Exit(.corrupt, "FILE is not a join request for this database"),
      Exit(.denied, "the fingerprint differs, this instance is not an admin, or there are no members or no key"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(readOnly), arguments.has(admin) { throw UsageFault.excluded(["--read-only", "--admin"]) }
    let isDry = arguments.has(.dryRun)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    let candidate = try candidate(arguments.operands[0], database, session)
    let recovery = try session.recovery(arguments, database)
    let role: Role = arguments.has(readOnly) ? .read : arguments.has(admin) ? .admin : .write
    if recovery == nil { try database.access.checkMayAuthorize(candidate, as: role) }
    let name = candidate.name.isEmpty ? session.terminal.short(candidate.instance) : candidate.name
    // With the recovery key, this instance can authorize itself without comparing its fingerprint.
    if recovery == nil || candidate.instance != database.instance {
      try compare(candidate, name, arguments, session)
    }
    if isDry {
      try session.terminal.report(
        "would-authorize", ["instance": .id(candidate.instance), "role": .text(role.rawValue)]
      ) {
        "would authorize \(name): \(role.rawValue)"
      }
      return .success
    }
    let change = try database.acting(as: recovery) { try database.access.authorize(candidate, as: role) }
    let hasMembers = database.hasMembers
    try session.terminal.report(
      "authorized",
      [
        "instance": .id(candidate.instance), "name": .text(candidate.name),
        "role": hasMembers ? .text(role.rawValue) : .absent, "epoch": .integer(change.epoch),
        "blocks": .integer(change.blocks), "records": .integer(change.records),
      ]
    ) {
      let rights = [change.epoch.map { _ in "read from key epoch 1" }, hasMembers ? role.rawValue : nil]
      let released =
        change.blocks == 0
        ? "" : ". Applied \(Count(change.blocks, "pending block")), \(Count(change.records, "record")) changed"
      return "authorized \(name): \(rights.compactMap { $0 }.joined(separator: ", "))\(released)"
    }
    session.terminal.summarize(["blocks": .integer(change.blocks), "records": .integer(change.records)])
    return .success
  }

  /// Reads the request from the file if the operand is a path. Otherwise, finds the instance that the operand names.
  private static func candidate(_ text: String, _ database: Database, _ session: Session) throws -> Candidate {
    let path = session.path(text)
    guard try Path.statusFollowing(path)?.kind == .file else { return try database.access.candidate(text) }
    guard let bytes = try File(path).readAll(limit: 1024) else { throw CoreError.badRequest(.badEncoding) }
    return try database.access.candidate(request: bytes, named: Path.name(path))
  }

  /// Asks the user to compare the fingerprint with the one that the other instance's owner reads out.
  private static func compare(
    _ candidate: Candidate, _ name: String, _ arguments: Arguments, _ session: Session
  ) throws {
    if let typed = arguments.text(fingerprint) {
      guard try FingerprintWords(typed: typed) == candidate.words else { throw CommandError.fingerprintDiffers(name) }
      return
    }
    if arguments.has(.dryRun) { return }
    let question = [
      "Ask the owner of \(name) for the fingerprint. It must be", "        \(candidate.words)", "Does it match? [y/N] ",
    ]
    guard let answer = try session.terminal.ask(session.terminal.prose.broken(question)) else {
      throw CommandError.needsFingerprint
    }
    guard ["y", "yes"].contains(String(decoding: answer, as: UTF8.self).lowercased()) else {
      throw CommandError.wordsNotConfirmed
    }
  }
}
