import SeaCore
import SeaEngine

/// Who asks to be let in, told by whatever may have heard of it.
struct AskingLines {
  /// Anybody who can write to a container can ask, as often as they like.
  static let most = 5

  let terminal: Terminal
  let asking: Asking

  /// - Throws: what the output throws.
  func report() throws {
    if terminal.options.quiet { return }
    for one in terminal.options.json ? asking.all[...] : shown {
      try terminal.show(item(one), wraps: true) { words(one) }
    }
    if let rest { try terminal.remark(rest) }
  }

  /// For people, all of it.
  var lines: [String] { shown.flatMap(words) + (rest.map { [$0] } ?? []) }

  /// Tells of those who are not in `told`, for who waits for them.
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

  /// By its id: another one may call itself the same.
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

/// What is told of who waits to be let in: others, or this instance.
struct WaitingNotice {
  let session: Session
  let database: Database
  private var requests: JoinRequests { database.access.requests }

  init(_ session: Session, _ database: Database) { (self.session, self.database) = (session, database) }

  /// Who asks to be let in; or that this instance does.
  func tell() throws {
    try AskingLines(terminal: session.terminal, asking: requests.asking()).report()
    try tellIfUncounted()
  }

  /// That what a new instance writes does not count yet, and what somebody has to compare.
  func tellIfUncounted() throws {
    guard database.hasMembers, try !database.isPending(), try requests.isWaiting() else { return }
    session.terminal.notice(
      "your changes wait until somebody authorises \(session.terminal.shown(try database.name())) and compares",
      below: try database.access.ownCandidate().words.description, hint: "an admin types: \(command)")
  }

  /// That nothing is found before somebody lets this instance in, what they compare, and what they type.
  func tellIfKeyless() throws {
    guard try database.isPending() else { return }
    session.terminal.notice(
      "nothing is found before somebody lets this instance in, and compares",
      below: try database.access.ownCandidate().words.description,
      hint: "a member types: \(command); after that here: sea sync")
  }

  private var command: String { "sea authorize \(session.terminal.short(database.instance))" }
}
