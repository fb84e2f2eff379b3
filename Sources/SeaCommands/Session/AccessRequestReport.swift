import SeaCore
import SeaEngine

/// Reports access requests. Used by every command that may receive one.
struct AccessRequestReport {
  /// The maximum number of requests to show. Every writer of a container can add requests.
  static let most = 5

  let terminal: Terminal
  let asking: AccessRequests

  func report() throws {
    if terminal.options.quiet { return }
    for one in terminal.options.json ? asking.all[...] : shown {
      try terminal.show(item(one), wraps: true) { words(one) }
    }
    if let rest { try terminal.remark(rest) }
  }

  var lines: [String] { shown.flatMap(words) + (rest.map { [$0] } ?? []) }

  /// Prints a notice for each request that is not in `reported`. Used by commands that wait for new requests.
  func reportNew(_ reported: inout Set<UUID>) {
    for one in shown where reported.insert(one.instance).inserted {
      terminal.notice(words(one)[0], below: one.words.description)
    }
  }

  private var shown: ArraySlice<Candidate> { asking.all.prefix(AccessRequestReport.most) }

  private func item(_ one: Candidate) -> Item {
    Item(
      event: "asking",
      [
        "instance": .id(one.instance), "name": .text(one.name),
        "fingerprint": .text(one.words.words.joined(separator: " ")),
      ])
  }

  /// Describes a request. The description includes the id, because several requests may have the same name.
  private func words(_ one: Candidate) -> [String] {
    let id = terminal.short(one.instance)
    let who = one.name.isEmpty ? id : "\(one.name) (\(id))"
    let way =
      asking.mayAuthorize
      ? "compare the fingerprint with its owner, then run" : "an admin compares the fingerprint, then runs"
    return ["access request from \(who); \(way): sea authorize \(id)", "        \(one.words)"]
  }

  private var rest: String? {
    let count = asking.all.count - AccessRequestReport.most
    if count <= 0 { return nil }
    return "\(Count(count, "more access request")); to list them, run: sea instances --pending --fingerprint"
  }
}

struct WaitingNotice {
  let session: Session
  let database: Database
  private var requests: JoinRequests { database.access.requests }

  init(_ session: Session, _ database: Database) { (self.session, self.database) = (session, database) }

  /// Reports pending requests of other instances, and whether this instance is itself pending.
  func report() throws {
    try AccessRequestReport(terminal: session.terminal, asking: requests.asking()).report()
    try noticeIfUnauthorized()
  }

  /// If other instances do not accept this instance's changes yet, prints a notice with the fingerprint to compare.
  func noticeIfUnauthorized() throws {
    guard database.hasMembers, try !database.isPending(), try requests.isWaiting() else { return }
    session.terminal.notice(
      "your changes are pending until an admin authorizes \(session.terminal.shown(try database.name())); fingerprint",
      below: try database.access.ownCandidate().words.description, hint: "an admin runs: \(command)")
  }

  /// If this instance is not authorized and has no keys yet, prints a notice with its fingerprint and the command to
  /// run.
  func noticeIfKeyless() throws {
    guard try database.isPending() else { return }
    session.terminal.notice(
      "this instance is not authorized yet, so no records can be read; fingerprint",
      below: try database.access.ownCandidate().words.description,
      hint: "an admin runs: \(command); afterwards run: sea sync")
  }

  private var command: String { "sea authorize \(session.terminal.short(database.instance))" }
}
