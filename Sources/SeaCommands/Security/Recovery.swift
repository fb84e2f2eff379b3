import SeaCore
import SeaEngine
import SeaSystem

extension Option {
  static let recoveryWords = Option(
    "recovery", nil, .text, "FILE", "use the recovery key whose words are in FILE ('-': standard input)")
}

extension Session {
  /// Returns the recovery identity if the user entered its recovery words.
  /// - Throws: `notRecovery` if the database has no recovery key or a different one.
  func recovery(_ arguments: Arguments, _ database: Database) throws -> Identity? {
    let identity = try recovery(arguments)
    guard identity == nil || database.folder.proof?.recovery == identity?.key else { throw KitError.notRecovery }
    return identity
  }

  func recovery(_ arguments: Arguments) throws -> Identity? {
    guard let text = arguments.text(.recoveryWords) else { return nil }
    let read = try text == "-" ? terminal.input.all(limit: 4096) : File(path(text)).readAll(limit: 4096)
    guard var bytes = read, let typed = String(validating: bytes, as: UTF8.self) else { throw CoreError.badRecovery }
    defer { Secret.wipe(&bytes) }
    return try RecoveryWords(typed: typed).identity()
  }
}

extension Database {
  func acting<Result>(as recovery: Identity?, _ body: () throws -> Result) throws -> Result {
    guard let recovery else { return try body() }
    return try author.act(as: recovery, named: "recovery", body)
  }
}
