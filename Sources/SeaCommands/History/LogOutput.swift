import SeaCore
import SeaKit

/// What the forms of `sea log` share: who wrote what and when, which of it is asked for, and in what form.
struct LogOutput {
  let context: Context
  /// The instance that is asked for.
  let only: UUID?
  private let since: Milliseconds?, until: Milliseconds?
  private let limit: Int?
  private let names: [UUID: String]
  private let format: String?
  private let shell: Bool

  init(_ context: Context, _ arguments: Arguments, _ database: Database) throws {
    self.context = context
    names = try database.instanceNames()
    only = try arguments.text(LogCommand.instance).map { try database.instance(named: $0).instance }
    since = try arguments.text(LogCommand.since).map { try context.time($0) }
    until = try arguments.text(LogCommand.until).map { try context.time($0) }
    limit = arguments.integer(LogCommand.limit)
    format = arguments.text(.format)
    shell = arguments.has(.shell)
  }

  func template(_ fields: [String]) throws -> Template? {
    try format.map { try Template($0, fields: fields, shell: shell, zero: context.options.zero) }
  }

  func table(_ columns: [Table.Column]) -> Table { Table(columns, width: context.width, output: context.output) }

  /// Runs a scan that offers items with the blocks they came in; an item that is asked for is shown. The scan goes on
  /// as long as an offer gives true.
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

  private func isWanted(_ block: BlockRow?) -> Bool {
    if only == nil, since == nil, until == nil { return true }
    guard let block else { return false }
    return (only ?? block.instance) == block.instance && block.time >= since ?? .min && block.time <= until ?? .max
  }

  /// One item: as the template says, as an object, or as `text`.
  func print(_ item: FieldTable, _ fields: [String], _ template: Template?, text: () throws -> Void) throws {
    if let template { return try context.output.write(template.bytes(item, context)) }
    guard context.options.json else { return try text() }
    try context.object { object in
      for field in fields {
        switch item[field] {
        case .integer(let number)?: object.integer(field, number)
        case .flag(let flag)?: object.flag(field, flag)
        case .time(let time)?: object.text(field, DateStyle.machine(time))
        case .json(let json)?: object.raw(field, json.utf8)
        case .text(let text)?, .name(let text)?: object.text(field, text)
        case .bytes?, nil: break
        }
      }
    }
  }

  // MARK: Authors

  func author(_ block: BlockRow?, into item: inout FieldTable) {
    guard let block else { return }
    item["instance"] = .name(block.instance.description)
    item["name"] = .text(names[block.instance] ?? "")
    item["time"] = .time(block.time)
    item["label"] = block.label.map { .text($0) }
  }

  /// The instance's name, or the beginning of its id if it has none.
  func shownName(_ block: BlockRow?) -> String {
    guard let block else { return "-" }
    let name = names[block.instance] ?? ""
    return name.isEmpty ? context.short(block.instance) : name
  }

  func time(_ block: BlockRow?) -> String { block.map { context.text($0.time) } ?? "-" }
}
