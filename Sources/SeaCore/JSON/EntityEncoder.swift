package struct EntityInput {
  package var record: RecordInput
  /// The number of integral doubles that became integers because no semantic type marks them as doubles.
  package var lostDoubles: Int
}

/// Converts an entity in Datastore's interchange format (sea-datastore(5)) to a record. Appends the record's body to
/// `writer` and returns the record's other parts. The tape must have been created for entities.
///
/// If the entity contains a null property, the body is a draft; see `RecordInput.needsState`.
package func encodeEntity(
  _ tape: borrowing JSONTape, _ bytes: UnsafeBufferPointer<UInt8>, into writer: inout ByteWriter,
  limits: RecordLimits = RecordLimits()
) throws(CoreError) -> EntityInput {
  guard tape.isObject else { throw .badJSON(.notAnObject, offset: tape.origin) }
  var encoder = EntityEncoder(tape: TapeEncoder(tape, bytes, limits))
  let input = try encoder.entity(into: &writer)
  return EntityInput(record: input, lostDoubles: encoder.lostDoubles)
}

/// The kinds of values in an entity. If several kinds apply to a value, the first one in this order is used.
enum EntityKind: String, CaseIterable {
  case string, integer, double, boolean, date, entity, data
}

enum EntityName {
  static let identifier = "identifier"
  static let type = "type"
  static let datestamp = "datestamp"
  static let entities = "entities"
  /// The name of the property that contains the datestamps of the other properties.
  static let datestamps = "datestamps"
  static let sea = "sea"
  static let escape: UInt8 = 0x24

  static func isTaken(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
    [identifier, type, datestamp].contains { name.says($0) }
  }
}

extension UnsafeBufferPointer<UInt8> {
  func says(_ word: String) -> Bool { elementsEqual(word.utf8) }
}

struct EntityEncoder {
  typealias Text = UnsafeBufferPointer<UInt8>
  var tape: TapeEncoder
  var lostDoubles = 0
  private var stamps: [(name: Text, date: Int64)] = []

  init(tape: TapeEncoder) { self.tape = tape }

  func fail(_ fault: EntityFault, _ key: String, _ node: Int) -> CoreError {
    .badEntity(fault, key, offset: tape.offset(of: node))
  }

  func keys(_ object: Int) -> UnsafeBufferPointer<UInt32> {
    let list = Int(tape.nodes[object].end)
    return UnsafeBufferPointer(start: tape.order + list + 1, count: Int(tape.order[list]))
  }

  mutating func entity(into w: inout ByteWriter) throws(CoreError) -> RecordInput {
    var input = RecordInput()
    let properties = try properties(&input)
    var values = ByteWriter(capacity: 256)
    var ends: [Int] = []
    var own: Range<Int>?
    for (name, key) in properties {
      let start = values.count
      let stamp = try property(name, key, into: &values)
      if let stamp { stamps.append((name, stamp)) }
      if name.says(EntityName.datestamps) { own = start..<values.count }
      ends.append(values.count)
    }
    var dates: [UInt8]?
    if !stamps.isEmpty { dates = try datestamps(own.map { Text(rebasing: values.bytes[$0]) }, properties) }
    input.hasReferences = tape.hasReferences
    input.needsState = tape.needsState
    let start = w.count
    w.cborMap(properties.count + (dates != nil && own == nil ? 1 : 0))
    var from = 0
    for (k, (name, _)) in properties.enumerated() {
      if let place = dates, own == nil, EntityEncoder.precedes(EntityName.datestamps, name) {
        w.cborText(EntityName.datestamps)
        w.append(place)
        dates = nil
      }
      w.cborText(name)
      if let place = dates, name.says(EntityName.datestamps) {
        w.append(place)
      } else {
        w.append(Text(rebasing: values.bytes[from..<ends[k]]))
      }
      from = ends[k]
    }
    if let dates, own == nil {
      w.cborText(EntityName.datestamps)
      w.append(dates)
    }
    input.body = start..<w.count
    return input
  }

  private static func precedes(_ word: String, _ name: Text) -> Bool {
    var word = word
    return word.withUTF8 { $0.count != name.count ? $0.count < name.count : UTF8Text.compare($0, name) < 0 }
  }

  private func properties(_ input: inout RecordInput) throws(CoreError) -> [(name: Text, key: Int)] {
    var all: [(name: Text, key: Int)] = []
    var isSorted = true
    for key in keys(0).lazy.map({ Int($0) }) {
      var name = tape.bytes(key)
      if name.says(EntityName.identifier) {
        input.id = try tape.name(.id, key + 1)
      } else if name.says(EntityName.type) {
        input.type = try tape.name(.type, key + 1)
      } else {
        if name.first == EntityName.escape, EntityName.isTaken(Text(rebasing: name[1...])) {
          name = Text(rebasing: name[1...])
          isSorted = false
        } else if let fault = Name.propertyFault(in: name) {
          throw tape.fail(.property, fault, name, key)
        }
        all.append((name, key))
      }
    }
    if !isSorted {
      all.sort {
        $0.name.count != $1.name.count ? $0.name.count < $1.name.count : UTF8Text.compare($0.name, $1.name) < 0
      }
      for k in all.indices.dropFirst() where all[k].name.elementsEqual(all[k - 1].name) {
        throw tape.fail(.duplicateKey, max(all[k].key, all[k - 1].key))
      }
    }
    return all
  }

  /// Combines the datestamps of the entity's values with the entries of its `datestamps` property.
  private func datestamps(_ own: Text?, _ properties: [(name: Text, key: Int)]) throws(CoreError) -> [UInt8] {
    var members = Members()
    if let own {
      let node = properties.first { $0.name.says(EntityName.datestamps) }?.key ?? 0
      guard let value = try? Value.decode(value: own), let given = value.members,
        given.entries.allSatisfy({ if case .date = $0.value { true } else { false } })
      else { throw fail(.datestamps, EntityName.datestamps, node) }
      members = given
    }
    for (name, date) in stamps { members[String(decoding: name, as: UTF8.self)] = .date(date) }
    return Value.dictionary(members).encoding
  }
}

extension EntityEncoder {
  /// Writes the value of a property and returns the value's datestamp, if any.
  mutating func property(
    _ name: Text, _ key: Int, into w: inout ByteWriter
  ) throws(CoreError) -> Int64? {
    let isDatestamp = tape.bytes(key).says(EntityName.datestamp)
    let node = key + 1
    let start = w.count
    var stamp: Int64?
    switch tape.nodes[node].kind {
    case .null:
      w.cborNull()
      tape.needsState = true
      return nil
    case .string, .unescaped: if isDatestamp { w.cborDate(try date(node)) } else { w.cborText(tape.bytes(node)) }
    case .integer, .number: try number(node, into: &w)
    case .no: w.byte(0xF4)
    case .yes: w.byte(0xF5)
    case .array: throw fail(.array, String(decoding: name, as: UTF8.self), node)
    case .object: stamp = try value(name, node, into: &w)
    }
    if isDatestamp {
      let said = try? Value.decode(value: Text(rebasing: w.bytes[start...]))
      guard case .date = said?.unlabeled else { throw fail(.notADate, EntityName.datestamp, node) }
    }
    return stamp
  }

  private mutating func value(
    _ name: Text, _ object: Int, into w: inout ByteWriter
  ) throws(CoreError) -> Int64? {
    var found: (kind: EntityKind, key: Int)?
    var (role, stamp, sea): (Int?, Int64?, Int?)
    for key in keys(object).lazy.map({ Int($0) }) {
      let text = String(decoding: tape.bytes(key).prefix(64), as: UTF8.self)
      let isNull = tape.nodes[key + 1].kind == .null
      if let kind = EntityKind(rawValue: text) {
        if found.map({ EntityEncoder.rank(kind) < EntityEncoder.rank($0.kind) }) ?? true { found = (kind, key) }
      } else if text == EntityName.type {
        if !isNull { role = key + 1 }
      } else if text == EntityName.datestamp {
        if !isNull { stamp = try moment(key + 1) }
      } else if text == EntityName.sea {
        sea = key + 1
      } else {
        throw fail(.unknownKey, text, key)
      }
    }
    if let sea {
      guard tape.nodes[sea].kind != .null else { throw tape.fail(.nullValue, sea) }
      try tape.value(sea, 1, into: &w)
    } else if let (kind, key) = found {
      try value(kind, key, role, into: &w)
    } else {
      throw fail(.noValue, String(decoding: name, as: UTF8.self), object)
    }
    return stamp
  }

  private static func rank(_ kind: EntityKind) -> Int { EntityKind.allCases.firstIndex(of: kind)! }

  private mutating func value(
    _ kind: EntityKind, _ key: Int, _ role: Int?, into w: inout ByteWriter
  ) throws(CoreError) {
    var label: Text?
    if let role {
      let text = tape.string(role)
      guard let text, kind == .entity ? ReferenceText.isKind(text) : SemanticType.isValid(text) else {
        throw fail(.badType, "", role)
      }
      if !text.says(kind.rawValue) { label = text }
    }
    guard kind != .entity else {
      w.cborMap(label == nil ? 1 : 2)
      if let label {
        w.cborText("as")
        w.cborText(label)
      }
      return try tape.reference(key, into: &w)
    }
    let start = w.count
    if let label { EntityEncoder.labeled(label, into: &w) }
    let begin = w.count
    try plain(kind, key + 1, into: &w)
    // An integral double is encoded as an integer, so only a semantic type can mark it as a double.
    guard kind == .double, w.base[begin] >> 5 != 7 else { return }
    if label != nil {
      lostDoubles += 1
      return
    }
    let number = Array(Text(rebasing: w.bytes[begin...]))
    w.truncate(to: start)
    var word = kind.rawValue
    word.withUTF8 { EntityEncoder.labeled($0, into: &w) }
    w.append(number)
  }

  private static func labeled(_ label: Text, into w: inout ByteWriter) {
    w.cborMap(2)
    w.cborText("$label")
    w.cborText(label)
    w.cborText("$value")
  }

  private func plain(_ kind: EntityKind, _ node: Int, into w: inout ByteWriter) throws(CoreError) {
    let given = tape.nodes[node].kind
    switch kind {
    case .string:
      guard let text = tape.string(node) else { throw fail(.notText, kind.rawValue, node) }
      w.cborText(text)
    case .integer:
      guard given == .integer || given == .number else { throw fail(.notInteger, kind.rawValue, node) }
      let start = w.count
      try number(node, into: &w)
      guard w.base[start] >> 5 != 7 else { throw fail(.notInteger, kind.rawValue, node) }
    case .double:
      guard given == .integer || given == .number else { throw fail(.notNumber, kind.rawValue, node) }
      try number(node, into: &w)
    case .boolean:
      guard given == .yes || given == .no else { throw fail(.notBoolean, kind.rawValue, node) }
      w.byte(given == .yes ? 0xF5 : 0xF4)
    case .date: w.cborDate(try date(node))
    case .data: try tape.data(node, into: &w)
    case .entity: preconditionFailure("the caller writes references")
    }
  }

  /// Writes an integer if the number consists only of digits; otherwise, writes the closest double.
  private func number(_ node: Int, into w: inout ByteWriter) throws(CoreError) {
    guard tape.nodes[node].kind == .number else {
      var tape = tape
      return try tape.integer(node, 1, into: &w)
    }
    guard let double = Double(String(decoding: tape.bytes(node), as: UTF8.self)), double.isFinite else {
      throw tape.fail(.numberOutOfRange, node)
    }
    w.cborNumber(double)
  }

  private func date(_ node: Int) throws(CoreError) -> Int64 {
    guard let text = tape.string(node), let date = Instant.parse(text) else { throw tape.fail(.badDate, node) }
    return date
  }

  /// Parses a datestamp, which is either a string or an object with the key `date`.
  private func moment(_ node: Int) throws(CoreError) -> Int64 {
    guard tape.nodes[node].kind == .object else { return try date(node) }
    let keys = keys(node)
    guard keys.count == 1, tape.bytes(Int(keys[0])).says(EntityKind.date.rawValue) else {
      throw fail(.notADate, EntityName.datestamp, node)
    }
    return try date(Int(keys[0]) + 1)
  }
}
