import SeaEngine

/// A column of a table: its title, and what of an item stands in it.
package struct Column: Sendable {
  let title: String
  let right: Bool
  let isWhole: Bool
  /// The colour of a cell in which that stands.
  let slot: (@Sendable (String) -> ColorSlot?)?
  let cell: @Sendable (Item, Terminal) -> String

  /// The field of that name.
  /// - Parameter none: stands where there is nothing.
  package init(
    _ title: String, _ field: String, right: Bool = false, isWhole: Bool = false, none: String = "-",
    slot: (@Sendable (String) -> ColorSlot?)? = nil
  ) {
    self.init(title, right: right, isWhole: isWhole, slot: slot) { $0[field].cell($1) ?? none }
  }

  /// The moment in the field of that name, one of several in a line: at a terminal it is short, if `--date` does not say how it is.
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

/// Things of one kind, one after the other as they come: as JSON Lines, as `--format` says, as lines of the frozen form,
/// or as a table.
package final class Listing {
  private let terminal: Terminal
  private let columns: [Column]
  private let frozen: [String]
  private let template: Template?
  private var table: Table

  /// - Parameters:
  ///   - fields: the names that `--format` knows.
  ///   - frozen: the names of the fields of a frozen line.
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

  /// Whether only what stands in the columns is shown.
  package var isTable: Bool { template == nil && !terminal.options.isForPrograms }

  package func add(_ item: Item) throws {
    if let template { return try terminal.output.write(template.bytes(item, terminal)) }
    if terminal.options.isForPrograms { return try terminal.show(item, frozen: frozen) { [] } }
    try add(cells: columns.map { $0.cell(item, terminal) })
  }

  /// Adds what stands in the columns of a table, where nothing else is shown: an item costs as much as reading it.
  package func add(cells: [String]) throws {
    try table.row(cells, table.hasColors ? zip(columns, cells).map { $0.slot?($1) } : [])
  }

  /// Prints what is still held back. Must be called once, after the last item.
  package func end() throws { try table.end() }
}

extension Field {
  /// A cell of a table; nil where there is nothing.
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
