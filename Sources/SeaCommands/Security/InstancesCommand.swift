import SeaEngine
import SeaCore

enum InstancesCommand: Command {
  static var title: Title {
    Title("instances", .security, .porcelain, needs: .database, "list the instances of the database")
  }
  static var synopsis: [String] { ["[--pending] [--fingerprint]"] }
  static let pending = Option("pending", help: "list only instances that request access")
  static let fingerprint = Option("fingerprint", help: "also print fingerprints")
  static var options: [Option] { [pending, fingerprint] }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let database = try session.reading()
    let views = try database.access.instances().filter { !arguments.has(pending) || $0.state == .pending }
    if arguments.has(fingerprint), !session.options.json { return try fingerprints(views, session) }
    let followed = Set(views.lazy.filter(\.isFollowed).map(\.instance.description))
    let list = try Listing(
      session.terminal,
      [
        Column("NAME") { item, _ in
          let name = item["name"].plain.isEmpty ? "-" : item["name"].plain
          return followed.contains(item["instance"].plain) ? "  \(name)" : name
        },
        Column("ID", "instance"),
        Column("STATE") { item, _ in
          let held = item["held"].plain
          let isOwn = item["self"].plain == "true" && item["state"].plain != "self"
          return item["state"].plain + (isOwn ? ", self" : "") + (held == "0" ? "" : ", \(held) not applied")
        },
        Column("ROLE", "role"), Column("HEAD", "head"), Column("EPOCHS") { item, _ in epochs(item["epoch"].plain) },
        Column("LAST SEEN", "last_seen", none: "never"),
      ])
    for view in views { try list.add(view.item(isOwn: view.instance == database.instance)) }
    try list.end()
    return .success
  }

  private static func fingerprints(_ views: [InstanceView], _ session: Session) throws -> ExitStatus {
    for view in views {
      let name = view.name.isEmpty ? "" : "\(view.name)  "
      try session.terminal.line(
        session.terminal.shown("\(name)\(session.terminal.short(view.instance))  \(view.state.rawValue)"))
      if let words = view.words { try session.terminal.line("        \(words)") }
    }
    return .success
  }

  private static func epochs(_ newest: String) -> String {
    newest.isEmpty ? "-" : newest == "1" ? "1" : "1-\(newest)"
  }
}

extension InstanceView {
  fileprivate func item(isOwn: Bool) -> Item {
    Item(
      event: "instance",
      [
        "instance": .id(instance), "name": .text(name), "state": .text(state.rawValue), "self": .mark(isOwn),
        "role": .text(role?.rawValue),
        "head": .integer(head), "epoch": .integer(epoch), "held": .integer(held), "last_seen": .time(seen),
        "fingerprint": .text(words?.words.joined(separator: " ")), "authorized_by": .id(authorizedBy),
        "revoked_by": .id(revokedBy), "follows": .id(follows),
      ])
  }
}
