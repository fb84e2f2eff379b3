import SeaCore
import SeaEngine

/// The colours of a run that shows some.
package struct Palette: Sendable {
  private var colors: [ColorSlot: ColorWords] = [:]

  /// - Parameter words: what a setting says of one; nil for nothing, and for what is no colour.
  init(_ words: (ColorSlot) -> String?) {
    for slot in ColorSlot.allCases {
      colors[slot] = ColorWords(words(slot) ?? slot.standard).flatMap { $0.codes.isEmpty ? nil : $0 }
    }
  }

  subscript(slot: ColorSlot) -> ColorWords? { colors[slot] }
}

extension Palette {
  /// The colours of a run; nil if it has none.
  static func of(_ terminal: Terminal) -> Palette? {
    isWanted(terminal) ? Palette { terminal.setting($0.setting) } : nil
  }

  /// Whether what people see on standard output has colours: as the command line says, then the variables, then the settings, and
  /// else if it is a terminal that has some.
  private static func isWanted(_ terminal: Terminal) -> Bool {
    let (options, host) = (terminal.options, terminal.host)
    if options.isForPrograms || options.zero { return false }
    switch options.color {
    case .always?: return true
    case .never?: return false
    case .auto?, nil: break
    }
    if host.given("NO_COLOR") != nil { return false }
    if let forced = host.given("FORCE_COLOR"), options.color == nil { return forced != "0" }
    if options.color == nil, let said = terminal.setting("color.ui"), said != "auto" { return said == "always" }
    return host.isTerminal(1) && host.drawsAtTerminal
  }
}

/// Prints what may have colours.
package struct Painter {
  fileprivate let terminal: Terminal

  /// A line of the result that is made safe here, in colour where there are colours.
  package func line(_ text: Painted) throws {
    try part(text)
    try terminal.output.byte(0x0A)
  }

  /// The beginning of one.
  package func part(_ text: Painted) throws {
    let palette = terminal.palette
    for span in text.spans {
      try terminal.output.write(terminal.shown(span.text), span.slot.flatMap { palette?[$0] })
    }
  }

  /// JSON on a line of its own, of which what is much goes out while it is made.
  package func json(_ field: Field) throws {
    let drain = OutputDrain(terminal.output)
    var writer = drain.writer()
    var out = JSONOutput(style: .compact)
    field.write(&out, &writer)
    writer.byte(0x0A)
    try drain.end(writer)
  }

  /// A line that ends with a value as JSON, which is safe to show.
  package func line(_ text: String, _ value: StoredValue, _ slot: ColorSlot) throws {
    try terminal.output.paint(terminal.palette?[slot]) {
      try terminal.output.write(terminal.shown(text))
      let drain = OutputDrain(terminal.output)
      var writer = drain.writer()
      value.write(into: &writer)
      try drain.end(writer)
    }
    try terminal.output.byte(0x0A)
  }

  /// The same, in as many lines as it takes at a terminal, broken between words.
  package func wrapped(_ text: Painted, indent: Int = 2) throws {
    guard let width = terminal.width else { return try line(text) }
    for one in text.wrapped(to: width, indent: indent) { try line(one) }
  }

  /// As `Terminal.show`.
  package func show(
    _ item: @autoclosure () throws -> Item, frozen: [String] = [], lines: () throws -> [Painted]
  ) throws {
    if terminal.options.isForPrograms {
      return try terminal.show(item(), frozen: frozen, lines: { [] })
    }
    for text in try lines() { try wrapped(text, indent: 4) }
  }
}

extension Terminal {
  package var painter: Painter { Painter(terminal: self) }
}
