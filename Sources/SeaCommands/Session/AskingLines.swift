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
    let way = asking.mayAnswer ? "if its owner reads these words" : "an admin compares these words and types"
    return ["waiting: \(who) asks to be let in; \(way): sea authorize \(id)", "        \(one.words)"]
  }

  private var rest: String? {
    let count = asking.all.count - AskingLines.most
    if count <= 0 { return nil }
    return "waiting: \(count) more \(count == 1 ? "asks" : "ask") to be let in: sea instances --pending --fingerprint"
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
      "your changes wait until somebody authorises \(session.terminal.shown(try database.name())) and compares",
      below: try database.access.ownCandidate().words.description, hint: "an admin types: \(command)")
  }

  /// Prints a notice, with the fingerprint and the command, if this instance has no keys before it is authorized.
  func tellIfKeyless() throws {
    guard try database.isPending() else { return }
    session.terminal.notice(
      "nothing is found before somebody lets this instance in, and compares",
      below: try database.access.ownCandidate().words.description,
      hint: "a member types: \(command); after that here: sea sync")
  }

  private var command: String { "sea authorize \(session.terminal.short(database.instance))" }
}
