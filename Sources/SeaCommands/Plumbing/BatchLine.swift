import SeaCore

/// A line of `sea batch`: a word, and what follows it.
struct BatchLine {
  let verb: String
  private(set) var rest: ArraySlice<UInt8>

  /// Nil of an empty line.
  init?(_ bytes: [UInt8]) {
    var bytes = bytes[...]
    if bytes.last == 0x0D { bytes.removeLast() }
    rest = bytes.drop(while: BatchLine.isSpace)
    if rest.isEmpty { return nil }
    verb = String(decoding: rest.prefix { !BatchLine.isSpace($0) }, as: UTF8.self)
    rest = rest.dropFirst(verb.utf8.count).drop(while: BatchLine.isSpace)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  var isEmpty: Bool { rest.isEmpty }

  /// The next word. One that begins with a quotation mark is a text as JSON has it.
  mutating func word(_ name: String) throws -> String {
    guard let first = rest.first else { throw UsageFault.missingOperand(name) }
    var count = 0
    if first == UInt8(ascii: "\"") {
      var isEscaped = false
      count = 1
      for byte in rest.dropFirst() {
        count += 1
        if !isEscaped, byte == UInt8(ascii: "\"") { break }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      }
    } else {
      count = rest.prefix { !BatchLine.isSpace($0) }.count
    }
    guard let text = String(validating: rest.prefix(count), as: UTF8.self) else {
      throw CoreError.badName(.notUTF8, "")
    }
    rest = rest.dropFirst(count).drop(while: BatchLine.isSpace)
    guard first == UInt8(ascii: "\"") else { return text }
    guard case .string(let quoted) = try Value.json(text) else { throw UsageFault.missingOperand(name) }
    return quoted
  }

  func end() throws {
    if !rest.isEmpty { throw UsageFault.extraOperand(String(decoding: rest.prefix(40), as: UTF8.self)) }
  }
}
