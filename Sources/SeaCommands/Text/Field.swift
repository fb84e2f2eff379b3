import SeaCore

/// One value of what a command says: programs get it whole, people get what they can take in.
package enum Field: Sendable {
  /// Not there: the key is left out.
  case absent
  case null
  case string(String)
  /// An id, a revision, a block: what precedes the last dash is kept where it is cut for people.
  case name(String)
  case number(Int64)
  case truth(Bool)
  case moment(Milliseconds)
  case bytes([UInt8])
  /// A pointer for programs, names with points between for people.
  case path(PropertyPath)
  /// JSON text.
  case json(String)
  /// JSON that is made when it is written, since there may be much of it.
  case written(@Sendable (inout JSONOutput, inout ByteWriter) -> Void)
  case array([Field])
  case object(Item)
  /// For people and templates alone: it says in other words what other fields say.
  case aside(String)

  // What is nil is absent.

  package static func text(_ value: (some CustomStringConvertible)?) -> Field {
    value.map { .string($0.description) } ?? .absent
  }

  package static func id(_ value: (some CustomStringConvertible)?) -> Field {
    value.map { .name($0.description) } ?? .absent
  }

  package static func integer(_ value: (some BinaryInteger)?) -> Field { value.map { .number(Int64($0)) } ?? .absent }
  package static func flag(_ value: Bool) -> Field { .truth(value) }
  /// True, or not there.
  package static func mark(_ value: Bool) -> Field { value ? .truth(true) : .absent }
  package static func time(_ value: Milliseconds?) -> Field { value.map { .moment($0) } ?? .absent }
  package static func value(_ value: Value?) throws -> Field { try value.map { .json(try $0.json()) } ?? .absent }

  /// The same, made when it is written.
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

  /// Null stands where there is nothing.
  package var orNull: Field { if case .absent = self { .null } else { self } }

  /// As text for programs: for templates and frozen lines.
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

  /// As JSON.
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
