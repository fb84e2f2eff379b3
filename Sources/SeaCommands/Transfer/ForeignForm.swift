import SeaCore

/// The kinds of values that a property has in the records of one table.
struct ForeignKinds: OptionSet {
  let rawValue: Int
  static let integer = ForeignKinds(rawValue: 1)
  /// An integer that is too large for SQLite.
  static let large = ForeignKinds(rawValue: 2)
  static let double = ForeignKinds(rawValue: 4)
  static let text = ForeignKinds(rawValue: 8)
  static let data = ForeignKinds(rawValue: 16)
  static let bool = ForeignKinds(rawValue: 32)
  static let decimal = ForeignKinds(rawValue: 64)
  static let date = ForeignKinds(rawValue: 128)
  static let reference = ForeignKinds(rawValue: 256)
  static let counter = ForeignKinds(rawValue: 512)
  static let set = ForeignKinds(rawValue: 1024)
  static let other = ForeignKinds(rawValue: 2048)
  static let day = ForeignKinds(rawValue: 4096)

  init(rawValue: Int) { self.rawValue = rawValue }

  init(_ value: Value) {
    self =
      switch value {
      case .integer: .integer
      case .bigInteger: .large
      case .double: .double
      case .string: .text
      case .data: .data
      case .bool: .bool
      case .decimal: .decimal
      case .date: .date
      case .day: .day
      case .reference(_, nil): .reference
      case .counter: .counter
      case .set: .set
      default: .other
      }
  }
}

/// How a column stores the values of a property, so that `load` can restore exactly these values.
enum ForeignForm: Equatable {
  /// A native SQLite value. The declared type must not convert the value.
  case plain(declared: String)
  case truth
  case text(CellType)

  init(_ kinds: ForeignKinds) {
    self =
      switch kinds {
      case .text: .plain(declared: "TEXT")
      case .integer: .plain(declared: "INTEGER")
      case .double: .plain(declared: "REAL")
      case .data: .plain(declared: "BLOB")
      case [.integer, .double]: .plain(declared: "NUMERIC")
      case .bool: .truth
      case .large, [.large, .integer]: .text(.int)
      case .decimal: .text(.decimal)
      case .date: .text(.date)
      case .day: .text(.day)
      case .reference: .text(.ref)
      case .counter: .text(.counter)
      case .set: .text(.set)
      case _ where kinds.isSubset(of: [.text, .integer, .double, .data]): .plain(declared: "")
      default: .text(.json)
      }
  }

  var declared: String {
    switch self {
    case .plain(let declared): declared
    case .truth: "BOOLEAN"
    case .text(let type): ForeignColumns.declared.first { $0.value == type }?.key ?? ""
    }
  }

  /// Passes the cell for a value to `body`. The cell is valid only during the call.
  func cell(_ value: Value, _ body: (ForeignCell) -> Void) throws {
    switch (self, value) {
    case (.plain, .integer(let number)): body(.integer(number))
    case (.plain, .double(let number)): body(.double(number))
    case (.plain, .data(let data)): data.withUnsafeBufferPointer { body(.data($0)) }
    case (.plain, .string(var text)): text.withUTF8 { body(.text($0)) }
    case (.truth, .bool(let flag)): body(.integer(flag ? 1 : 0))
    default:
      var text = try self.text(value)
      text.withUTF8 { body(.text($0)) }
    }
  }

  private func text(_ value: Value) throws -> String {
    let json = try value.json()
    switch self {
    case .text(.counter), .text(.set):
      // Write the bare value, unless reading it would produce a different form.
      let inner = json.drop { $0 != ":" }.dropFirst().dropLast()
      return inner.first == "{" ? json : String(inner)
    case .text(.json): return json
    default:
      var writer = ByteWriter(capacity: 64)
      try value.encoding.withUnsafeBufferPointer { try JSONWriter.writePlain(value: $0, into: &writer) }
      return String(decoding: writer.bytes, as: UTF8.self)
    }
  }
}
