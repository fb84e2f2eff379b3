/// What a member may do.
package enum Role: String, Sendable, CaseIterable, Comparable {
  case read, write, admin

  package static func < (x: Role, y: Role) -> Bool { x.number < y.number }
  private var number: Int { self == .read ? 0 : self == .write ? 1 : 2 }
}

/// The role that an admin gives to an instance, with the keys that it knows the instance by.
package struct Authorisation: Hashable, Sendable {
  package let instance: UUID
  /// Ed25519; gives the name of the instance.
  package let key: [UInt8]
  /// X25519.
  package let exchange: [UInt8]
  package let role: Role

  /// - Throws: `badBlock(.badKey)` for a key that is not acceptable or an exchange key that is not.
  package init(key: [UInt8], exchange: [UInt8], role: Role) throws(CoreError) {
    guard Ed25519.isAcceptable(key), X25519.isAcceptable(exchange) else { throw .badBlock(.badKey) }
    instance = Identity.instance(key: key)
    self.key = key
    self.exchange = exchange
    self.role = role
  }

  init(_ reader: ControlEntry.FieldReader) throws(CoreError) {
    try reader.expect(pairs: 5)
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
    writer.cborText("authorise")
    writer.cborText("exchange")
    exchange.withUnsafeBytes { writer.cborData($0) }
    writer.cborText("instance")
    instance.withBytes { writer.cborData($0) }
  }
}

extension ControlEntry {
  /// How many successors a revocation can leave alone.
  package static let mostKept = 1000

  static func instance(_ reader: FieldReader) throws(CoreError) -> ControlEntry {
    var certificate: Certificate?
    if reader.fields["follows"] != nil {
      try reader.expect(pairs: 5)
      var pair = try reader.cursor("follows")
      guard try pair.expect(4) == 2 else { throw pair.fail(.wrongLength) }
      let key = Array(try pair.data(exactly: 32))
      certificate = Certificate(key: key, signature: Array(try pair.data(exactly: Ed25519.signatureSize)))
    } else {
      try reader.expect(pairs: 4)
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

  /// An array of instanceIDs, sorted, each once.
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
    try reader.expect(pairs: 5)
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
