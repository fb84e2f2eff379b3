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

  /// - Throws: `badBlock(.badKey)` for a key that is not acceptable or an exchange key that is not 32 bytes.
  package init(key: [UInt8], exchange: [UInt8], role: Role) throws(CoreError) {
    guard Ed25519.isAcceptable(key), exchange.count == 32 else { throw .badBlock(.badKey) }
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
  static func revoke(_ reader: FieldReader) throws(CoreError) -> ControlEntry {
    try reader.expect(pairs: 4)
    let instance = try reader.instance("instance")
    var index = try reader.cursor("index")
    var digest = try reader.cursor("digest")
    if index.null() {
      guard digest.null() else { throw digest.fail(.badReserved) }
      return .revoke(instance: instance, last: nil)
    }
    let number = try index.expect(0)
    guard number <= UInt64(UInt32.max) else { throw index.fail(.outOfRange) }
    let bytes = try digest.data(exactly: Digest.size)
    let last = BlockRef(
      instance: instance, index: UInt32(number), digest: Digest(UnsafeRawPointer(bytes.baseAddress!)))
    return .revoke(instance: instance, last: last)
  }

  static func writeRevoke(_ instance: UUID, _ last: BlockRef?, into writer: inout ByteWriter) {
    writer.cborMap(4)
    writer.cborText("index")
    if let last { writer.cborHead(0, UInt64(last.index)) } else { writer.cborNull() }
    writer.cborText("digest")
    if let last { last.digest.withBytes { writer.cborData($0) } } else { writer.cborNull() }
    writer.cborText("control")
    writer.cborText("revoke")
    writer.cborText("instance")
    instance.withBytes { writer.cborData($0) }
  }
}
