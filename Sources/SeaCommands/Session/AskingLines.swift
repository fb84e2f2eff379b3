import SeaCore
import SeaEngine

/// Reports requests for access, for any command that may have received one.
struct AskingLines {
  /// Anyone who can write to a container can add requests, so only a few are shown.
  static let most = 5

  let terminal: Terminal
  let asking: Asking

  /// - Throws: the errors of the output.
  func report() throws {
    if terminal.options.quiet { return }
    for one in terminal.options.json ? asking.all[...] : shown {
      try terminal.show(item(one), wraps: true) { words(one) }
    }
    if let rest { try terminal.remark(rest) }
  }

  /// All requests as text for people.
  var lines: [String] { shown.flatMap(words) + (rest.map { [$0] } ?? []) }

  /// Prints a notice for each request that is not in `told`, for a command that waits for requests.
  func tellNews(_ told: inout Set<UUID>) {
    for one in shown where told.insert(one.instance).inserted {
      terminal.notice(words(one)[0], below: one.words.description)
    }
  }

  private var shown: ArraySlice<Candidate> { asking.all.prefix(AskingLines.most) }

  private func item(_ one: Candidate) -> Item {
    Item(
      event: "asking",
      [
        "instance": .id(one.instance), "name": .text(one.name),
        "fingerprint": .text(one.words.words.joined(separator: " ")),
      ])
  }

  /// Returns the text of a request. It contains the id, because names may be used twice.
  private func words(_ one: Candidate) -> [String] {
    let id = terminal.short(one.instance)
    let who = one.name.isEmpty ? id : "\(one.name) (\(id))"
    let way =
      asking.mayAnswer
      ? "compare the fingerprint with its owner, then run" : "an admin compares the fingerprint, then runs"
    return ["access request from \(who); \(way): sea authorize \(id)", "        \(one.words)"]
  }

  private var rest: String? {
    let count = asking.all.count - AskingLines.most
    if count <= 0 { return nil }
    return "\(Count(count, "more access request")); to list them, run: sea instances --pending --fingerprint"
  }
}

/// Notices about waiting requests of other instances, or of this one.
struct WaitingNotice {
  let session: Session
  let database: Database
  private var requests: JoinRequests { database.access.requests }

  init(_ session: Session, _ database: Database) { (self.session, self.database) = (session, database) }

  /// Reports waiting requests, and whether this instance waits itself.
  func tell() throws {
    try AskingLines(terminal: session.terminal, asking: requests.asking()).report()
    try tellIfUncounted()
  }

  /// Prints a notice if changes of this instance do not count yet, with the fingerprint to compare.
  func tellIfUncounted() throws {
    guard database.hasMembers, try !database.isPending(), try requests.isWaiting() else { return }
    session.terminal.notice(
      "your changes are pending until an admin authorizes \(session.terminal.shown(try database.name())); fingerprint",
      below: try database.access.ownCandidate().words.description, hint: "an admin runs: \(command)")
  }

  /// Prints a notice, with the fingerprint and the command, if this instance has no keys before it is authorized.
  func tellIfKeyless() throws {
    guard try database.isPending() else { return }
    session.terminal.notice(
      "this instance is not authorized yet, so no records can be read; fingerprint",
      below: try database.access.ownCandidate().words.description,
      hint: "an admin runs: \(command); afterwards run: sea sync")
  }

  private var command: String { "sea authorize \(session.terminal.short(database.instance))" }
}
