import SeaCore
import SeaStore

extension Value {
  var isNumber: Bool {
    switch self {
    case .integer, .bigInteger, .double, .decimal: true
    default: false
    }
  }

  /// Returns the text that a command prints for a single value.
  func plain() throws(CoreError) -> String {
    var encoded = ByteWriter()
    var printed = ByteWriter()
    encode(into: &encoded)
    try JSONWriter.writePlain(value: encoded.bytes, into: &printed)
    return String(decoding: printed.bytes, as: UTF8.self)
  }
}

package enum RecordText {
  /// Returns whether a string of at least four characters may be the beginning of a UUID.
  static func couldBeGenerated(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count >= 4, bytes.count <= 36 else { return false }
    return bytes.enumerated().allSatisfy { k, byte in
      [8, 13, 18, 23].contains(k) ? byte == 0x2D : Hex.value(byte) != nil
    }
  }

  /// A record name of the form `TYPE:PROP=VALUE`.
  package struct Match: Sendable {
    package var type: String
    package var path: PropertyPath
    package var value: String
    /// The value, if the text also states its kind.
    package var json: Value?
    /// The value as a number, and its sort key; nil if the value is not a number.
    let number: Value?
    let size: SortKey?

    /// Returns nil if the string has another form. With `TYPE:PROP:=JSON`, the value has a kind.
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

    /// Returns whether a value is equal even though it is written differently: a number with other digits, or a date in
    /// another form.
    func means(_ found: Value) throws -> Bool {
      if case .date(let time) = found { return date == time }
      return try found.isNumber && size != nil && SortKey(found.encoding) == size
    }

    var date: Int64? { Array(value.utf8).withUnsafeBufferPointer { Instant.parse($0) } }

    func other(_ kind: PropertyKind) throws -> Value? {
      switch kind {
      case .date: return date.map { .date($0) }
      case .day: return CalendarDay.parse(value).map { .day($0) }
      case .boolean: return value == "true" ? .bool(true) : value == "false" ? .bool(false) : nil
      case .reference:
        try Name.check(value)
        return .reference(id: value, kind: nil)
      default: return nil
      }
    }
  }
}
