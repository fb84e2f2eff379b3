/// A statement in a chain that is not a change to a record. Entries are encoded as CBOR maps with the key `control`.
/// Keys that this version does not know are ignored.
package enum ControlEntry: Equatable, Sendable {
  /// The first item of block 0, which occurs nowhere else. `follows` is an unverified certificate from the instance
  /// that the new instance replaces.
  case instance(name: String, key: [UInt8], exchange: [UInt8], follows: Certificate? = nil)
  /// A setting shared by all instances; nil removes the setting.
  case shared(key: String, value: String?)
  /// Makes an instance a member or changes its role. On reading, the key is checked against the instance id.
  case authorize(Authorization)
  /// Ends the membership of an instance. Only blocks up to `last` remain valid, or no blocks if `last` is nil. The
  /// successors in the sorted list `keeps` stay members.
  case revoke(instance: UUID, last: BlockRef?, keeps: [UUID] = [])
  case epoch(EpochChange)
  case purge(PurgeOrder)
  /// An entry that only a newer version knows. The block is stored and passed on, but not applied.
  case unknown(String)

  package static let longestName = 255
  /// The maximum number of bytes in the name and in the value of a shared setting.
  package static let longestKey = 1024
  package static let longestValue = 65_536

  /// Reads a map of `pairs` pairs whose head the cursor has already passed.
  init(_ cursor: inout CBORCursor, pairs: Int) throws(CoreError) {
    var fields = Fields()
    var previousKey: UnsafeBufferPointer<UInt8>?
    var after = cursor
    for _ in 0..<pairs {
      let key = try after.text()
      try after.follows(&previousKey, key)
      let start = after.offset
      try after.skipPlain()
      fields.add(String(decoding: key, as: UTF8.self), start)
    }
    let reader = FieldReader(map: cursor, fields: fields)
    let name = try reader.text("control", atMost: .max)
    switch name {
    case "instance": self = try ControlEntry.instance(reader)
    case "shared":
      var value = try reader.cursor("value")
      self = .shared(
        key: try reader.text("key", atMost: ControlEntry.longestKey),
        value: value.null() ? nil : try reader.text("value", atMost: ControlEntry.longestValue))
    case "authorize": self = .authorize(try Authorization(reader))
    case "revoke": self = try ControlEntry.revoke(reader)
    case "epoch": self = .epoch(try EpochChange(reader))
    case "purge": self = .purge(try PurgeOrder(reader))
    default:
      self = .unknown(name)
    }
    cursor = after
  }

  package func write(into writer: inout ByteWriter) {
    switch self {
    case .instance(let name, let key, let exchange, let follows):
      ControlEntry.writeInstance(name, key, exchange, follows, into: &writer)
    case .shared(let key, let value):
      writer.cborMap(3)
      writer.cborText("key")
      writer.cborText(key)
      writer.cborText("value")
      if let value { writer.cborText(value) } else { writer.cborNull() }
      writer.cborText("control")
      writer.cborText("shared")
    case .authorize(let authorization): authorization.write(into: &writer)
    case .revoke(let instance, let last, let keeps):
      ControlEntry.writeRevoke(instance, last, keeps, into: &writer)
    case .epoch(let change): change.write(into: &writer)
    case .purge(let order): order.write(into: &writer)
    case .unknown: preconditionFailure("an entry that is not known is never written")
    }
  }

  struct Fields {
    private var known: [(name: String, offset: Int)] = []
    mutating func add(_ name: String, _ offset: Int) { known.append((name, offset)) }
    subscript(_ name: String) -> Int? { known.first { UTF8Text.equal($0.name, name) }?.offset }
  }

  struct FieldReader {
    let map: CBORCursor
    let fields: Fields

    func cursor(_ name: String) throws(CoreError) -> CBORCursor {
      guard let start = fields[name] else { throw map.fail(.badReserved) }
      var cursor = map
      cursor.offset = start
      return cursor
    }

    func bytes(_ name: String, exactly count: Int) throws(CoreError) -> [UInt8] {
      var field = try cursor(name)
      return Array(try field.data(exactly: count))
    }

    func text(_ name: String, atMost limit: Int = 1024) throws(CoreError) -> String {
      var field = try cursor(name)
      let text = try field.text()
      guard text.count <= limit else { throw field.fail(.tooMany) }
      return String(decoding: text, as: UTF8.self)
    }

    func instance(_ name: String) throws(CoreError) -> UUID {
      var field = try cursor(name)
      return try field.uuid()
    }
  }
}

extension ControlEntry {
  package init?(stored bytes: [UInt8]) {
    let read = bytes.withUnsafeBufferPointer { bytes -> ControlEntry? in
      var cursor = CBORCursor(bytes)
      guard let head = try? cursor.head(), head.major == 5, head.value >= 1, head.value <= 16 else { return nil }
      guard let entry = try? ControlEntry(&cursor, pairs: Int(head.value)), cursor.atEnd else { return nil }
      return entry
    }
    guard let read else { return nil }
    self = read
  }
}

extension ControlEntry {
  /// Whether the entry stays within all limits of the format, so that it can be read back once encoded.
  package var isReadable: Bool {
    var writer = ByteWriter()
    write(into: &writer)
    return ControlEntry(stored: Array(writer.bytes)) != nil
  }
}

package enum Role: String, Sendable, CaseIterable, Comparable {
  case read, write, admin

  package static func < (x: Role, y: Role) -> Bool { x.number < y.number }
  private var number: Int { self == .read ? 0 : self == .write ? 1 : 2 }
}

/// The role that an admin gives an instance, along with the instance's keys.
package struct Authorization: Hashable, Sendable {
  package let instance: UUID
  package let key: [UInt8]
  package let exchange: [UInt8]
  package let role: Role

  /// - Throws: `badBlock(.badKey)` if a key is weak or malformed.
  package init(key: [UInt8], exchange: [UInt8], role: Role) throws(CoreError) {
    guard Ed25519.isAcceptable(key), X25519.isAcceptable(exchange) else { throw .badBlock(.badKey) }
    instance = Identity.instance(key: key)
    self.key = key
    self.exchange = exchange
    self.role = role
  }

  init(_ reader: ControlEntry.FieldReader) throws(CoreError) {
    guard let role = Role(rawValue: try reader.text("role")) else { throw reader.map.fail(.badReserved) }
    try self.init(key: reader.bytes("key", exactly: 32), exchange: reader.bytes("exchange", exactly: 32), role: role)
    guard instance == (try reader.instance("instance")) else { throw reader.map.fail(.badReserved) }
  }

  func write(into writer: inout ByteWriter) {
    writer.cborMap(5)
    writer.cborText("key")
    key.withUnsafeBytes { writer.cborData($0) }
    writer.cborText("role")
    writer.cborText(role.rawValue)
    writer.cborText("control")
    writer.cborText("authorize")
    writer.cborText("exchange")
    exchange.withUnsafeBytes { writer.cborData($0) }
    writer.cborText("instance")
    instance.withBytes { writer.cborData($0) }
  }
}

extension ControlEntry {
  package static let mostKept = 1000

  static func instance(_ reader: FieldReader) throws(CoreError) -> ControlEntry {
    var certificate: Certificate?
    if reader.fields["follows"] != nil {
      var pair = try reader.cursor("follows")
      guard try pair.expect(4) == 2 else { throw pair.fail(.wrongLength) }
      let key = Array(try pair.data(exactly: 32))
      certificate = Certificate(key: key, signature: Array(try pair.data(exactly: Ed25519.signatureSize)))
    }
    return .instance(
      name: try reader.text("name"), key: try reader.bytes("key", exactly: 32),
      exchange: try reader.bytes("exchange", exactly: 32), follows: certificate)
  }

  static func writeInstance(
    _ name: String, _ key: [UInt8], _ exchange: [UInt8], _ follows: Certificate?, into writer: inout ByteWriter
  ) {
    writer.cborMap(follows == nil ? 4 : 5)
    writer.cborText("key")
    key.withUnsafeBytes { writer.cborData($0) }
    writer.cborText("name")
    writer.cborText(name)
    writer.cborText("control")
    writer.cborText("instance")
    if let follows {
      writer.cborText("follows")
      writer.cborArray(2)
      follows.key.withUnsafeBytes { writer.cborData($0) }
      follows.signature.withUnsafeBytes { writer.cborData($0) }
    }
    writer.cborText("exchange")
    exchange.withUnsafeBytes { writer.cborData($0) }
  }

  /// Reads a sorted array of distinct instance ids.
  static func instances(_ list: inout CBORCursor, atMost limit: Int) throws(CoreError) -> [UUID] {
    let count = try list.count(4, least: 17)
    guard count <= limit else { throw list.fail(.tooMany) }
    var instances: [UUID] = []
    for _ in 0..<count {
      let instance = try list.uuid()
      if let last = instances.last, !(last < instance) { throw list.fail(.wrongOrder) }
      instances.append(instance)
    }
    return instances
  }

  static func write(_ instances: [UUID], into writer: inout ByteWriter) {
    writer.cborArray(instances.count)
    for instance in instances { instance.withBytes { writer.cborData($0) } }
  }

  static func revoke(_ reader: FieldReader) throws(CoreError) -> ControlEntry {
    var list = try reader.cursor("keeps")
    let keeps = try instances(&list, atMost: mostKept)
    let instance = try reader.instance("instance")
    var index = try reader.cursor("index")
    var digest = try reader.cursor("digest")
    if index.null() {
      guard digest.null() else { throw digest.fail(.badReserved) }
      return .revoke(instance: instance, last: nil, keeps: keeps)
    }
    let number = try index.expect(0)
    guard number <= UInt64(UInt32.max) else { throw index.fail(.outOfRange) }
    let last = BlockRef(instance: instance, index: UInt32(number), digest: try digest.digest())
    return .revoke(instance: instance, last: last, keeps: keeps)
  }

  static func writeRevoke(_ instance: UUID, _ last: BlockRef?, _ keeps: [UUID], into writer: inout ByteWriter) {
    writer.cborMap(5)
    writer.cborText("index")
    if let last { writer.cborHead(0, UInt64(last.index)) } else { writer.cborNull() }
    writer.cborText("keeps")
    write(keeps, into: &writer)
    writer.cborText("digest")
    if let last { last.digest.withBytes { writer.cborData($0) } } else { writer.cborNull() }
    writer.cborText("control")
    writer.cborText("revoke")
    writer.cborText("instance")
    instance.withBytes { writer.cborData($0) }
  }
}
