import SeaCore
import SeaEngine

/// What a name stands for: its kind, its full form, and a shorter one that still names nothing else.
struct FullName {
  private let kind: String
  private let full: String
  private let short: String?
  /// The record of a revision.
  private var id: String?

  /// - Parameter digits: how many to print at least; nil: all.
  init(_ named: Named, _ database: Database, _ digits: Int?) throws {
    switch named {
    case .record(let row): (kind, full) = ("record", row.id)
    case .revision(let found): (kind, full, id) = ("revision", found.leaf.revision.description, found.row.id)
    case .block(let row): (kind, full) = ("block", row.place)
    case .instance(let instance): (kind, full) = ("instance", instance.description)
    }
    short = try digits.map { try named.abbreviated(in: database.records, digits: $0) }
  }

  func print(_ spec: String, _ session: Session) throws {
    guard session.options.json else { return try session.terminal.item(short ?? full) }
    try session.terminal.object([
      "spec": .text(spec), "kind": .text(kind), "name": .id(full), "short": .text(short), "id": .text(id),
    ])
  }
}
