import SeaCore
import SeaStore

extension Value {
  var isNumber: Bool {
    switch self {
    case .integer, .bigInteger, .double, .decimal: true
    default: false
    }
  }

  /// As it is printed alone.
  func plain() throws(CoreError) -> String {
    var encoded = ByteWriter()
    var printed = ByteWriter()
    encode(into: &encoded)
    try JSONWriter.writePlain(value: encoded.bytes, into: &printed)
    return String(decoding: printed.bytes, as: UTF8.self)
  }
}

/// The forms in which a record may be named.
package enum RecordText {
  /// Four or more characters of a UUID from its beginning.
  static func couldBeGenerated(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count >= 4, bytes.count <= 36 else { return false }
    return bytes.enumerated().allSatisfy { k, byte in
      [8, 13, 18, 23].contains(k) ? byte == 0x2D : Hex.value(byte) != nil
    }
  }

  /// `TYPE:PROP=VALUE`
  package struct Match: Sendable {
    package var type: String
    package var path: PropertyPath
    /// As it is printed.
    package var value: String
    /// What it is, if that was said.
    package var json: Value?
    /// The number that it is, if it is one, and what that is compared by.
    let number: Value?
    let size: SortKey?

    /// `TYPE:PROP:=JSON` says of what kind the value is.
    package init?(_ text: String) throws {
      guard let colon = text.firstIndex(of: ":"),
        let equals = text[text.index(after: colon)...].firstIndex(of: "="), colon != text.startIndex
      else { return nil }
      type = String(text[..<colon])
      value = String(text[text.index(after: equals)...])
      let path = text[text.index(after: colon)..<equals]
      let parsed = try? Value.json(value)
      number = parsed.flatMap { $0.isNumber ? $0 : nil }
      size = try number.map { try SortKey($0.encoding) }
      guard path.hasSuffix(":"), let json = parsed else {
        self.path = try PropertyPath(String(path))
        return
      }
      self.path = try PropertyPath(String(path.dropLast()))
      self.json = json
      value = try json.plain()
    }

    /// Whether a value that is printed in another way is the same: a number of other digits, a date that is written in another form.
    func means(_ found: Value) throws -> Bool {
      if case .date(let time) = found { return date == time }
      return try found.isNumber && size != nil && SortKey(found.encoding) == size
    }

    var date: Int64? { Array(value.utf8).withUnsafeBufferPointer { Instant.parse($0) } }

    /// The text as a value of another kind than text and number.
    func other(_ kind: PropertyKind) throws -> Value? {
      switch kind {
      case .date: return date.map { .date($0) }
      case .boolean: return value == "true" ? .bool(true) : value == "false" ? .bool(false) : nil
      case .reference:
        try Name.check(value)
        return .reference(id: value, kind: nil)
      default: return nil
      }
    }
  }
}
