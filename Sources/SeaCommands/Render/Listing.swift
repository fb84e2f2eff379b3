import SeaEngine

package struct Column: Sendable {
  let title: String
  let right: Bool
  let isWhole: Bool
  let slot: (@Sendable (String) -> ColorSlot?)?
  let cell: @Sendable (Item, Terminal) -> String

  package init(
    _ title: String, _ field: String, right: Bool = false, isWhole: Bool = false, none: String = "-",
    slot: (@Sendable (String) -> ColorSlot?)? = nil
  ) {
    self.init(title, right: right, isWhole: isWhole, slot: slot) { $0[field].cell($1) ?? none }
  }

  /// Creates a column that shows the time in a field. On a terminal, the time is short unless `--date` sets a style.
  package init(_ title: String, brief field: String) {
    self.init(title, isWhole: true) { item, terminal in
      guard case .moment(let time) = item[field] else { return "-" }
      return terminal.dateStyle == nil && terminal.width != nil ? terminal.text(time, .brief) : terminal.text(time)
    }
  }

  package init(
    _ title: String = "", right: Bool = false, isWhole: Bool = false,
    slot: (@Sendable (String) -> ColorSlot?)? = nil,
    _ cell: @escaping @Sendable (Item, Terminal) -> String
  ) {
    self.title = title
    self.right = right
    self.isWhole = isWhole
    self.slot = slot
    self.cell = cell
  }
}

/// Prints a list of items one by one: as JSON Lines, in the form set with `--format`, as stable lines for programs, or
/// as a table.
package final class Listing {
  private let terminal: Terminal
  private let columns: [Column]
  private let frozen: [String]
  private let template: Template?
  private var table: Table

  package init(
    _ terminal: Terminal, _ columns: [Column], fields: [String] = [], frozen: [String] = [],
    _ arguments: Arguments? = nil
  ) throws {
    self.terminal = terminal
    self.columns = columns
    self.frozen = frozen
    template = try arguments?.text(.format).map {
      try Template($0, fields: fields, shell: arguments?.has(.shell) ?? false, for: terminal)
    }
    table = Table(columns.map { .init($0.title, right: $0.right, isWhole: $0.isWhole) }, terminal, folds: true)
  }

  package var isTable: Bool { template == nil && !terminal.options.isForPrograms }

  package func add(_ item: Item) throws {
    if let template { return try terminal.output.write(template.bytes(item, terminal)) }
    if terminal.options.isForPrograms { return try terminal.show(item, frozen: frozen) { [] } }
    try add(cells: columns.map { $0.cell(item, terminal) })
  }

  /// Adds a table row without an item. Call this only if `isTable` is true.
  package func add(cells: [String]) throws {
    try table.row(cells, table.hasColors ? zip(columns, cells).map { $0.slot?($1) } : [])
  }

  /// Prints the remaining rows. Call this after the last item.
  package func end() throws { try table.end() }
}

extension Field {
  /// Returns the text for a table cell; nil if the field is empty.
  func cell(_ terminal: Terminal) -> String? {
    switch self {
    case .absent, .null: nil
    case .name(let name): Abbreviation.short(name, terminal.abbrev)
    case .truth(let flag): flag ? "yes" : "no"
    case .moment(let time): terminal.text(time)
    default: plain
    }
  }
}
