import SeaEngine
import SeaCore

/// A `--format` template with placeholders such as `%(field)`, `%(field:modifier)`, `%(/json/pointer)`, `%%` and `%0a`.
package struct Template: Sendable {
  enum Part: Sendable {
    case literal([UInt8])
    case field(name: String, modifier: Modifier?)
  }

  enum Modifier: Equatable, Sendable {
    case short(Int?)
    case iso, unix, relative, json, shell, base64
  }

  private let parts: [Part]
  private let ending: [UInt8]
  private let quotesAll: Bool

  /// - Parameters:
  ///   - fields: the valid field names; nil if every name is valid.
  ///   - pointers: whether JSON pointers are permitted.
  ///   - zero: whether items end with NUL instead of LF. If the template itself ends with `%00`, no terminator is
  ///     added.
  package init(
    _ text: String, fields: [String]?, pointers: Bool = false, shell: Bool = false, zero: Bool = false
  ) throws(UsageFault) {
    parts = try Template.parse(text, fields: fields, pointers: pointers)
    quotesAll = shell
    ending = text.hasSuffix("%00") ? [] : [zero ? 0 : 0x0A]
  }

  package func bytes(_ source: some FieldSource, _ terminal: Terminal) -> [UInt8] {
    var result: [UInt8] = []
    for part in parts {
      switch part {
      case .literal(let bytes): result += bytes
      case .field(let name, let modifier):
        let value = name.hasPrefix("/") ? source.pointer(name) : source.field(name)
        var shown = value.shown(modifier, terminal)
        if quotesAll || modifier == .shell { shown = Array(Escape.shell(String(decoding: shown, as: UTF8.self)).utf8) }
        result += shown
      }
    }
    return result + ending
  }

  fileprivate var isFixed: Bool {
    !parts.contains { part in
      if case .field = part { true } else { false }
    }
  }

  package var pointers: [String] { fields.filter { $0.hasPrefix("/") } }

  var fields: [String] {
    parts.compactMap { part in
      if case .field(let name, _) = part { name } else { nil }
    }
  }

  private static func parse(_ text: String, fields: [String]?, pointers: Bool) throws(UsageFault) -> [Part] {
    var parts: [Part] = []
    var literal: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == 0x25 else {
        literal.append(byte)
        continue
      }
      if rest.first == 0x25 {
        literal.append(0x25)
        rest = rest.dropFirst()
      } else if rest.first == 0x28 {
        guard let end = rest.firstIndex(of: 0x29) else { throw .badFormat(text) }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        literal = []
        let inner = String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)
        try parts.append(part(inner, text, fields: fields, pointers: pointers))
        rest = rest[(end + 1)...]
      } else if rest.count >= 2, let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        literal.append(code)
        rest = rest.dropFirst(2)
      } else {
        throw .badFormat(text)
      }
    }
    if !literal.isEmpty { parts.append(.literal(literal)) }
    return parts
  }

  private static func part(
    _ inner: String, _ text: String, fields: [String]?, pointers: Bool
  ) throws(UsageFault) -> Part {
    if inner.hasPrefix("/") {
      guard pointers else { throw .unknownField(inner, known: fields ?? []) }
      // A pointer may contain colons, so split only if a known modifier follows the last colon.
      if let colon = inner.lastIndex(of: ":"), let modifier = modifier(inner[inner.index(after: colon)...]) {
        return .field(name: String(inner[..<colon]), modifier: modifier)
      }
      return .field(name: inner, modifier: nil)
    }
    let pieces = inner.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(pieces[0])
    if let fields, !fields.contains(name) { throw .unknownField(name, known: fields) }
    guard pieces.count == 2 else { return .field(name: name, modifier: nil) }
    guard let modifier = modifier(pieces[1]) else { throw .badFormat(text) }
    return .field(name: name, modifier: modifier)
  }

  private static func modifier(_ text: Substring) -> Modifier? {
    switch text {
    case "short": .short(nil)
    case "iso": .iso
    case "unix": .unix
    case "relative": .relative
    case "json": .json
    case "shell": .shell
    case "b64": .base64
    default: text.hasPrefix("short=") ? UInt8(text.dropFirst(6)).map { .short(Int($0)) } : nil
    }
  }
}

extension Template {
  /// Parses the template given with `--format`. Prints a notice if the template has no fields, because it may be a
  /// keyword of another program.
  init(
    _ text: String, fields: [String], pointers: Bool = false, shell: Bool = false, for terminal: Terminal
  ) throws(UsageFault) {
    try self.init(text, fields: fields, pointers: pointers, shell: shell, zero: terminal.options.zero)
    guard isFixed else { return }
    let forms = (terminal.command?.options ?? []) + GlobalOptions.all
    let meant = forms.first { $0.long == text }.map { "did you mean: \($0.dashed)" }
    terminal.notice(
      "the format contains no field, so all items look the same",
      hint: meant ?? "to print a field, use %(\(fields.first ?? "id"))")
  }
}

extension Field {
  fileprivate func shown(_ modifier: Template.Modifier?, _ terminal: Terminal) -> [UInt8] {
    switch (self, modifier) {
    case (.absent, _), (.null, _): return []
    case (.aside(let text), .json): return Array(Field.string(text).encoded.utf8)
    case (_, .json): return Array(encoded.utf8)
    case (.bytes(let bytes), .base64): return Array(Field.base64(bytes).utf8)
    case (_, .base64): return Array(Field.base64(Array(plain.utf8)).utf8)
    case (.bytes(let bytes), _): return bytes
    case (.name(let name), .short(let digits)): return Array(Abbreviation.short(name, digits ?? terminal.abbrev).utf8)
    case (.moment(let time), .unix): return Array(terminal.text(time, .unix).utf8)
    case (.moment(let time), .relative): return Array(terminal.text(time, .relative).utf8)
    case (.moment(let time), nil): return Array((terminal.dateStyle.map { terminal.text(time, $0) } ?? plain).utf8)
    default: return Array(plain.utf8)
    }
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    var writer = ByteWriter()
    bytes.withUnsafeBufferPointer { Base64.write($0, into: &writer) }
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

package enum Abbreviation {
  /// Returns the first `digits` characters of an id. For a revision, returns the depth and the first `digits` digits of
  /// the hash.
  package static func short(_ name: String, _ digits: Int) -> String {
    let parts = name.split(separator: "-", maxSplits: 1)
    if parts.count == 2, parts[1].utf8.count == 64, UInt32(parts[0]) != nil {
      return "\(parts[0])-\(parts[1].prefix(digits))"
    }
    return name.utf8.count == 36 && Array(name.utf8)[8] == 0x2D ? String(name.prefix(digits)) : name
  }
}
