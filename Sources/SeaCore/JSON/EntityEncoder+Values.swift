extension EntityEncoder {
  /// Writes the value of a property.
  /// - Returns: when it was set.
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
      guard case .date = said?.unlabelled else { throw fail(.notADate, EntityName.datestamp, node) }
    }
    return stamp
  }

  /// Writes a value that is an object.
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
    if let label { EntityEncoder.labelled(label, into: &w) }
    let begin = w.count
    try plain(kind, key + 1, into: &w)
    // Only a double that is not whole is a float; the others need somebody to say that they are one.
    guard kind == .double, w.base[begin] >> 5 != 7 else { return }
    if label != nil {
      lostDoubles += 1
      return
    }
    let number = Array(Text(rebasing: w.bytes[begin...]))
    w.truncate(to: start)
    var word = kind.rawValue
    word.withUTF8 { EntityEncoder.labelled($0, into: &w) }
    w.append(number)
  }

  private static func labelled(_ label: Text, into w: inout ByteWriter) {
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
    case .entity: preconditionFailure("a reference is written by who knows what it is as")
    }
  }

  /// Digits are an integer, anything else is the closest double, since the form has no other numbers.
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

  /// A datestamp: text, or an object with `date`.
  private func moment(_ node: Int) throws(CoreError) -> Int64 {
    guard tape.nodes[node].kind == .object else { return try date(node) }
    let keys = keys(node)
    guard keys.count == 1, tape.bytes(Int(keys[0])).says(EntityKind.date.rawValue) else {
      throw fail(.notADate, EntityName.datestamp, node)
    }
    return try date(Int(keys[0]) + 1)
  }
}
