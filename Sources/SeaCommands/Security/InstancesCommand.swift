import SeaKit

/// `sea instances`: who is known, and what each may.
enum InstancesCommand: Command {
  static var name: String { "instances" }
  static var group: Group { .security }
  static var kind: Kind { .porcelain }
  static var summary: String { "list the instances of the database" }
  static var synopsis: [String] { ["[--pending] [--fingerprint]"] }
  static let pending = Option("pending", help: "only those that wait to be let in")
  static let fingerprint = Option("fingerprint", help: "also the words by which people compare keys")
  static var options: [Option] { [pending, fingerprint] }
  static var needs: Needs { .database }

  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    let database = try context.reading()
    defer { database.close() }
    let views = try database.instances().filter { !arguments.has(pending) || $0.state == .pending }
    if context.options.json {
      for view in views { try context.object { describe(view, in: &$0) } }
      return .success
    }
    if arguments.has(fingerprint) { return try fingerprints(views, context) }
    let columns = ["NAME", "ID", "STATE", "ROLE", "HEAD", "EPOCHS", "LAST SEEN"].map { Table.Column($0) }
    var table = Table(columns, width: context.width, output: context.output)
    for view in views {
      let state = view.held > 0 ? "\(view.state.rawValue), \(view.held) held" : view.state.rawValue
      try table.row([
        view.name.isEmpty ? "-" : view.name, context.short(view.instance), state, view.role?.rawValue ?? "-",
        view.head.map { String($0) } ?? "-", epochs(view.epoch), view.seen.map { context.text($0) } ?? "never",
      ])
    }
    try table.end()
    return .success
  }

  private static func fingerprints(_ views: [InstanceView], _ context: Context) throws -> ExitStatus {
    for view in views {
      let name = view.name.isEmpty ? "" : "\(view.name)  "
      try context.line(context.shown("\(name)\(context.short(view.instance))  \(view.state.rawValue)"))
      if let words = view.words { try context.line("        \(words)") }
    }
    return .success
  }

  private static func epochs(_ newest: UInt32?) -> String {
    guard let newest else { return "-" }
    return newest == 1 ? "1" : "1-\(newest)"
  }

  private static func describe(_ view: InstanceView, in object: inout JSONObject) {
    object.text("event", "instance")
    object.text("instance", view.instance.description)
    object.text("name", view.name)
    object.text("state", view.state.rawValue)
    object.text("role", view.role?.rawValue)
    if let head = view.head { object.integer("head", head) }
    if let epoch = view.epoch { object.integer("epoch", epoch) }
    object.integer("held", view.held)
    object.text("last_seen", view.seen.map { DateStyle.machine($0) })
    object.text("fingerprint", view.words?.words.joined(separator: " "))
    object.text("authorised_by", view.authorisedBy?.description)
    object.text("revoked_by", view.revokedBy?.description)
  }
}
