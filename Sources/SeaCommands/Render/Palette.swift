import SeaCore
import SeaEngine

package struct Palette: Sendable {
  private var colors: [ColorSlot: ColorWords] = [:]

  /// - Parameter words: returns the value of a color setting. If the value is nil or invalid, the standard color is
  ///   used.
  init(_ words: (ColorSlot) -> String?) {
    for slot in ColorSlot.allCases {
      colors[slot] = ColorWords(words(slot) ?? slot.standard).flatMap { $0.codes.isEmpty ? nil : $0 }
    }
  }

  subscript(slot: ColorSlot) -> ColorWords? { colors[slot] }
}

extension Palette {
  static func of(_ terminal: Terminal) -> Palette? {
    isWanted(terminal) ? Palette { terminal.setting($0.setting) } : nil
  }

  /// Returns whether to color the output. The command line takes precedence over variables, settings and the terminal.
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

package struct Painter {
  fileprivate let terminal: Terminal

  package func line(_ text: Painted) throws {
    try part(text)
    try terminal.output.byte(0x0A)
  }

  package func part(_ text: Painted) throws {
    let palette = terminal.palette
    for span in text.spans {
      try terminal.output.write(terminal.shown(span.text), span.slot.flatMap { palette?[$0] })
    }
  }

  /// Prints JSON on one line. Large content is generated and printed in parts.
  package func json(_ field: Field) throws {
    let drain = OutputDrain(terminal.output)
    var writer = drain.writer()
    var out = JSONOutput(style: terminal.jsonStyle)
    field.write(&out, &writer)
    writer.byte(0x0A)
    try drain.end(writer)
  }

  package func line(_ text: String, _ value: StoredValue, _ slot: ColorSlot?) throws {
    try terminal.output.paint(slot.flatMap { terminal.palette?[$0] }) {
      try terminal.output.write(terminal.shown(text))
      let drain = OutputDrain(terminal.output)
      var writer = drain.writer()
      value.write(into: &writer)
      try drain.end(writer)
    }
    try terminal.output.byte(0x0A)
  }

  package func wrapped(_ text: Painted, indent: Int = 2) throws {
    guard let width = terminal.width else { return try line(text) }
    for one in text.wrapped(to: width, indent: indent) { try line(one) }
  }

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
