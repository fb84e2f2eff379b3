/// Parses the JSON in `info.json`, a single object. Only its strings, integers and Booleans are kept.
///
/// Other members must be well formed but are skipped, so that later versions can add members.
enum FlatJSON {
  enum Value: Equatable {
    case text(String)
    case integer(Int64)
    case flag(Bool)
    case other
  }

  static func members(of bytes: [UInt8]) throws(InfoFault) -> [String: Value] {
    var reader = Reader(bytes: bytes)
    let members = try reader.object(depth: 0)
    reader.skipSpace()
    guard reader.position == bytes.count else { throw .notJSON }
    return members
  }

  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{0}"..<"\u{20}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  private struct Reader {
    let bytes: [UInt8]
    var position = 0

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    mutating func skipSpace() {
      while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    mutating func accept(_ character: Character) -> Bool {
      guard next == character.asciiValue else { return false }
      position += 1
      return true
    }

    mutating func expect(_ text: String) throws(InfoFault) {
      for character in text { guard accept(character) else { throw .notJSON } }
    }

    mutating func object(depth: Int) throws(InfoFault) -> [String: Value] {
      guard depth < 32 else { throw .notJSON }
      var members: [String: Value] = [:]
      skipSpace()
      try expect("{")
      skipSpace()
      if accept("}") { return members }
      repeat {
        skipSpace()
        let name = try string()
        skipSpace()
        try expect(":")
        guard members.updateValue(try value(depth: depth + 1), forKey: name) == nil else { throw .duplicateMember }
        skipSpace()
      } while accept(",")
      try expect("}")
      return members
    }

    mutating func array(depth: Int) throws(InfoFault) {
      guard depth < 32 else { throw .notJSON }
      try expect("[")
      skipSpace()
      if accept("]") { return }
      repeat {
        _ = try value(depth: depth + 1)
        skipSpace()
      } while accept(",")
      try expect("]")
    }

    mutating func value(depth: Int) throws(InfoFault) -> Value {
      skipSpace()
      switch next.map({ Character(UnicodeScalar($0)) }) {
      case "\"": return .text(try string())
      case "{":
        _ = try object(depth: depth)
        return .other
      case "[":
        try array(depth: depth)
        return .other
      case "t":
        try expect("true")
        return .flag(true)
      case "f":
        try expect("false")
        return .flag(false)
      case "n": try expect("null")
      default: return try number()
      }
      return .other
    }

    mutating func digits() throws(InfoFault) {
      guard let first = next, (0x30...0x39).contains(first) else { throw .notJSON }
      while let digit = next, (0x30...0x39).contains(digit) { position += 1 }
    }

    mutating func number() throws(InfoFault) -> Value {
      let start = position
      _ = accept("-")
      if !accept("0") { try digits() }
      let whole = position
      if accept(".") { try digits() }
      if accept("e") || accept("E") {
        if !accept("+") { _ = accept("-") }
        try digits()
      }
      guard position == whole else { return .other }
      guard let integer = Int64(String(decoding: bytes[start..<whole], as: UTF8.self)) else { return .other }
      return .integer(integer)
    }

    mutating func string() throws(InfoFault) -> String {
      try expect("\"")
      var text: [UInt8] = []
      while let byte = next {
        position += 1
        switch byte {
        case 0x22:
          guard let result = String(validating: text, as: UTF8.self) else { throw .notJSON }
          return result
        case 0x5C: try escape(into: &text)
        case 0..<0x20: throw .notJSON
        default: text.append(byte)
        }
      }
      throw .notJSON
    }

    mutating func escape(into text: inout [UInt8]) throws(InfoFault) {
      guard let byte = next else { throw .notJSON }
      position += 1
      switch Character(UnicodeScalar(byte)) {
      case "\"", "\\", "/": text.append(byte)
      case "b": text.append(0x08)
      case "f": text.append(0x0C)
      case "n": text.append(0x0A)
      case "r": text.append(0x0D)
      case "t": text.append(0x09)
      case "u":
        var units = [try unit()]
        if (0xD800..<0xDC00).contains(units[0]) {
          try expect("\\u")
          units.append(try unit())
        }
        guard let decoded = String(validating: units, as: UTF16.self) else { throw .notJSON }
        text.append(contentsOf: decoded.utf8)
      default: throw .notJSON
      }
    }

    mutating func unit() throws(InfoFault) -> UInt16 {
      guard position + 4 <= bytes.count else { throw .notJSON }
      var result: UInt16 = 0
      for _ in 0..<4 {
        guard let digit = Character(UnicodeScalar(bytes[position])).hexDigitValue else { throw .notJSON }
        result = result << 4 | UInt16(digit)
        position += 1
      }
      return result
    }
  }
}

extension InfoFault: Error {}
