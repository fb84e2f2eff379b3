/// The header of a key slot, which is a map whose keys are in encoding order.
struct SlotHeader {
  let epoch: UInt32
  let database: UUID
  let kind: Slot.Kind

  static let kdf = "pbkdf2-sha256"

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 256)
    if case .password = kind { writer.cborMap(6) } else { writer.cborMap(4) }
    if case .password(let salt, _) = kind {
      writer.cborText("kdf")
      writer.cborText(SlotHeader.kdf)
      writer.cborText("salt")
      salt.withUnsafeBytes { writer.cborData($0) }
    }
    writer.cborText("slot")
    switch kind {
    case .password: writer.cborText("password")
    case .instance: writer.cborText("instance")
    case .previous: writer.cborText("previous")
    case .other: preconditionFailure("a slot of an unknown kind is never written")
    }
    writer.cborText("epoch")
    writer.cborHead(0, UInt64(epoch))
    if case .password(_, let rounds) = kind {
      writer.cborText("rounds")
      writer.cborInt(Int64(rounds))
    }
    writer.cborText("database")
    database.withBytes { writer.cborData($0) }
    switch kind {
    case .password, .other: break
    case .instance(let instance):
      writer.cborText("instance")
      instance.withBytes { writer.cborData($0) }
    case .previous(let number):
      writer.cborText("previous")
      writer.cborHead(0, UInt64(number))
    }
    return writer.array()
  }

  init(epoch: UInt32, database: UUID, kind: Slot.Kind) {
    self.epoch = epoch
    self.database = database
    self.kind = kind
  }

  /// Whether the header has a known kind and key derivation. Nothing else in the header is checked.
  static func isKnown(_ bytes: UnsafeBufferPointer<UInt8>) throws(CoreError) -> Bool {
    var cursor = CBORCursor(bytes)
    let pairs = try cursor.count(5)
    guard 1...16 ~= pairs else { throw .badSlot(.badEncoding) }
    var last: UnsafeBufferPointer<UInt8>?
    var kind: String?
    var way: String?
    for _ in 0..<pairs {
      let key = try cursor.text()
      try cursor.follows(&last, key)
      var value = cursor
      try cursor.skipPlain()
      if "slot".utf8.elementsEqual(key) { kind = String(decoding: try value.text(), as: UTF8.self) }
      if "kdf".utf8.elementsEqual(key) { way = (try? value.text()).map { String(decoding: $0, as: UTF8.self) } }
    }
    guard cursor.atEnd, let kind else { throw .badSlot(.badEncoding) }
    switch kind {
    case "instance", "previous": return true
    case "password": return way ?? kdf == kdf
    default: return false
    }
  }

  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(CoreError) {
    var cursor = CBORCursor(bytes)
    switch try cursor.count(5) {
    case 6:
      try cursor.skip("kdf")
      try cursor.skip(SlotHeader.kdf)
      try cursor.skip("salt")
      let salt = Array(try cursor.data())
      guard Slot.saltBounds.contains(salt.count) else { throw .badSlot(.badEncoding) }
      try cursor.skip("slot")
      try cursor.skip("password")
      epoch = try cursor.epoch("epoch")
      try cursor.skip("rounds")
      let rounds = Int(clamping: try cursor.expect(0))
      database = try cursor.uuid("database")
      kind = .password(salt: salt, rounds: rounds)
    case 4:
      try cursor.skip("slot")
      let name = String(decoding: try cursor.text(), as: UTF8.self)
      epoch = try cursor.epoch("epoch")
      database = try cursor.uuid("database")
      switch name {
      case "instance": kind = .instance(try cursor.uuid("instance"))
      case "previous":
        let number = try cursor.epoch("previous")
        kind = .previous(number)
      default: throw .badSlot(.badEncoding)
      }
    default: throw .badSlot(.badEncoding)
    }
    guard cursor.atEnd else { throw .badSlot(.badEncoding) }
  }
}

struct SlotParts {
  let header: SlotHeader
  let encodedHeader: [UInt8]
  let commitment: [UInt8]
  let opening: [UInt8]
  let wrapped: [UInt8]

  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(CoreError) {
    var cursor = CBORCursor(bytes)
    guard try cursor.count(4) == 4 else { throw .badSlot(.badEncoding) }
    let inner = try cursor.data()
    header = try SlotHeader(inner)
    encodedHeader = Array(inner)
    commitment = Array(try cursor.data(exactly: Digest.size))
    let openingSize =
      switch header.kind {
      case .instance: X25519.keySize
      case .password, .previous, .other: AESGCM.ivSize
      }
    opening = Array(try cursor.data(exactly: openingSize))
    if case .instance = header.kind, !X25519.isAcceptable(opening) { throw .badSlot(.badEncoding) }
    wrapped = Array(try cursor.data(exactly: Slot.wrappedSize))
    guard cursor.atEnd else { throw .badSlot(.badEncoding) }
    if case .password(_, let rounds) = header.kind, !Slot.roundBounds.contains(rounds) { throw .badSlot(.badRounds) }
  }

  /// Whether the slot has a known kind. Nothing else is checked except the common structure of slots.
  static func isKnown(_ bytes: UnsafeBufferPointer<UInt8>) throws(CoreError) -> Bool {
    var cursor = CBORCursor(bytes)
    let count = try cursor.count(4)
    guard 1...16 ~= count else { throw .badSlot(.badEncoding) }
    let isKnown = try SlotHeader.isKnown(cursor.data())
    for _ in 1..<count { try cursor.skipPlain() }
    guard cursor.atEnd else { throw .badSlot(.badEncoding) }
    return isKnown
  }

  static func encoded(_ parts: [UInt8]...) -> [UInt8] {
    var writer = ByteWriter(capacity: Slot.maxSize)
    writer.cborArray(parts.count)
    for part in parts { part.withUnsafeBytes { writer.cborData($0) } }
    return writer.array()
  }
}

extension CBORCursor {
  fileprivate mutating func skip(_ known: String) throws(CoreError) {
    guard known.utf8.elementsEqual(try text()) else { throw .badSlot(.badEncoding) }
  }

  fileprivate mutating func epoch(_ key: String) throws(CoreError) -> UInt32 {
    try skip(key)
    guard let number = UInt32(exactly: try expect(0)), number > 0 else { throw .badSlot(.badEncoding) }
    return number
  }

  fileprivate mutating func uuid(_ key: String) throws(CoreError) -> UUID {
    try skip(key)
    return try uuid()
  }
}
