import SeaCore

/// A value in a command's output: complete for programs, and shortened for people.
package enum Field: Sendable {
  /// A missing value, whose key is omitted.
  case absent
  case null
  case string(String)
  /// An id, revision or block. Shortening it for people keeps the text before the last dash.
  case name(String)
  case number(Int64)
  case truth(Bool)
  case moment(Milliseconds)
  case bytes([UInt8])
  /// A path. Programs see a JSON Pointer; people see names separated by dots.
  case path(PropertyPath)
  case json(String)
  /// JSON that is generated piece by piece, because it may be large.
  case written(@Sendable (inout JSONOutput, inout ByteWriter) -> Void)
  case array([Field])
  case object(Item)
  /// Text only for people and templates. For programs, other fields contain the same information.
  case aside(String)

  // The following functions convert nil to `.absent`.

  package static func text(_ value: (some CustomStringConvertible)?) -> Field {
    value.map { .string($0.description) } ?? .absent
  }

  package static func id(_ value: (some CustomStringConvertible)?) -> Field {
    value.map { .name($0.description) } ?? .absent
  }

  package static func integer(_ value: (some BinaryInteger)?) -> Field { value.map { .number(Int64($0)) } ?? .absent }
  package static func flag(_ value: Bool) -> Field { .truth(value) }
  package static func mark(_ value: Bool) -> Field { value ? .truth(true) : .absent }
  package static func time(_ value: Milliseconds?) -> Field { value.map { .moment($0) } ?? .absent }
  package static func value(_ value: Value?) throws -> Field { stored(value) }

  /// Like `value`, but generates the JSON piece by piece during output.
  package static func stored(_ value: Value?) -> Field {
    value.map { value in .written { out, w in StoredValue(value).write(&out, &w) } } ?? .absent
  }

  package static func value(_ value: StoredValue?) -> Field {
    value.map { value in .written { out, w in value.write(&out, &w) } } ?? .absent
  }

  package static func texts(_ values: some Sequence<some CustomStringConvertible>) -> Field {
    .array(values.map { .string($0.description) })
  }

  package static func items<T>(_ values: some Sequence<T>, _ item: (T) throws -> Item) rethrows -> Field {
    .array(try values.map { .object(try item($0)) })
  }

  package var orNull: Field { if case .absent = self { .null } else { self } }

  /// The text for programs, as in templates and porcelain lines.
  package var plain: String {
    switch self {
    case .absent, .null: ""
    case .string(let text), .name(let text), .json(let text), .aside(let text): text
    case .number(let number): String(number)
    case .truth(let flag): flag ? "true" : "false"
    case .path(let path): path.description
    case .moment(let time): DateStyle.machine(time)
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .array(let fields): fields.map(\.plain).joined(separator: " ")
    case .object, .written: encoded
    }
  }

  var encoded: String {
    var writer = ByteWriter()
    var out = JSONOutput(style: .compact)
    write(&out, &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  func write(_ out: inout JSONOutput, _ w: inout ByteWriter) {
    switch self {
    case .absent, .null, .aside: w.append("null")
    case .string(let text), .name(let text): out.string(text, &w)
    case .number(let number):
      if number < 0 { w.byte(0x2D) }
      out.number(number.magnitude, &w)
    case .truth(let flag): w.append(flag ? "true" : "false")
    case .path(let path): out.string(path.pointer, &w)
    case .moment(let time):
      w.byte(0x22)
      Instant.write(time, into: &w)
      w.byte(0x22)
    case .bytes(let bytes):
      w.byte(0x22)
      bytes.withUnsafeBufferPointer { Base64.write($0, into: &w) }
      w.byte(0x22)
    case .json(let text): w.append(text)
    case .written(let write): write(&out, &w)
    case .array(let fields):
      out.open(0x5B, &w)
      for field in fields {
        out.item(&w)
        field.write(&out, &w)
      }
      out.close(0x5D, &w)
    case .object(let item): item.write(&out, &w)
    }
  }
}
