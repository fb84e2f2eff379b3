import SeaCore
import SeaEngine

/// The code common to all forms of `sea log`: authors, times, filters and output.
struct LogOutput {
  let session: Session
  let only: UUID?
  let moment: Moment?
  /// How much detail to show about changes; nil to show no changes.
  let detail: ChangeText.Detail?
  private let since: Milliseconds?, until: Milliseconds?
  private let limit: Int?
  private let names: [UUID: String]
  private let arguments: Arguments

  init(_ session: Session, _ arguments: Arguments, _ database: Database) throws {
    self.session = session
    names = try database.members.names()
    only = try arguments.text(LogCommand.instance).map { try database.members.instance(named: $0) }
    since = try arguments.text(LogCommand.since).map { try session.time($0) }
    until = try arguments.text(LogCommand.until).map { try session.time($0) }
    detail = arguments.has(LogCommand.patch) ? .values : arguments.has(LogCommand.changes) ? .names : nil
    limit = arguments.integer(LogCommand.limit)
    moment = try session.moment(arguments, database)
    self.arguments = arguments
  }

  func list(_ columns: [Column], _ fields: [String]) throws -> Listing {
    try Listing(session.terminal, columns, fields: fields, arguments)
  }

  /// Runs a scan that offers items one by one with their blocks, and shows the selected items. An offer returns false
  /// when no further items are wanted.
  func each(_ scan: ((BlockRow?, () throws -> Void) throws -> Bool) throws -> Void) throws {
    var left = limit ?? .max
    guard left > 0 else { return }
    try scan { block, show in
      guard isWanted(block) else { return true }
      try show()
      left -= 1
      return left > 0
    }
  }

  func isWanted(_ block: BlockRow?) -> Bool {
    if only == nil, since == nil, until == nil { return true }
    guard let block else { return false }
    return (only ?? block.instance) == block.instance && block.time >= since ?? .min && block.time <= until ?? .max
  }

  // MARK: Authors

  func author(_ block: BlockRow?) -> Item {
    guard let block else { return [:] }
    return [
      "instance": .id(block.instance), "name": .text(names[block.instance] ?? ""), "time": .time(block.time),
      "label": .text(block.label),
    ]
  }

  func shownName(_ block: BlockRow?) -> String {
    guard let block else { return "-" }
    let name = names[block.instance] ?? ""
    return name.isEmpty ? session.terminal.short(block.instance) : name
  }

  func shownPlace(_ block: BlockRow) -> String {
    shownName(block) + block.tail
  }

  /// Returns the reason why a block is not applied; nil if the block is applied.
  func state(of block: BlockRow) -> String? {
    if block.isRemoved { return "removed" }
    switch block.state {
    case .applied: return block.isHidden ? "unread" : nil
    case .unread: return "unread"
    case .held, .heldBack: return "held"
    case .badLamport: return "wrong"
    case .purged: return "removed"
    }
  }

  func time(_ block: BlockRow?) -> String { block.map { session.terminal.text($0.time) } ?? "-" }
}
