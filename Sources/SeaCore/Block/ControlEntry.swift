/// What a chain says about itself, beside the changes of records: a CBOR map with the key `control`.
package enum ControlEntry: Equatable, Sendable {
  /// The first item of block 0, and only there: the instance's name, its Ed25519 key and its X25519 key.
  /// `follows` says whose place it takes; nobody has looked at it.
  case instance(name: String, key: [UInt8], exchange: [UInt8], follows: Certificate? = nil)
  /// A setting shared by all instances; nil takes it back.
  case shared(key: String, value: String?)
  /// Makes an instance a member, or changes its role. The key is held against the name when it is read.
  case authorise(Authorisation)
  /// Ends the membership of an instance: of its chain counts what `last` stands on, or nothing.
  /// `keeps` names those of its successors that it does not touch, sorted.
  case revoke(instance: UUID, last: BlockRef?, keeps: [UUID] = [])
  /// Slots of an epoch that are valid from now on, and slots of any epoch that are valid no more.
  case epoch(EpochChange)
  /// The payload of a block is to go.
  case purge(PurgeOrder)
  /// Known to a newer program only: the block is kept and relayed, and not applied.
  case unknown(String)

  package static let longestName = 255

  /// Reads the map at the cursor, whose head with `pairs` has been read already.
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
    let reader = FieldReader(map: cursor, fields: fields, pairs: pairs)
    let name = try reader.text("control", atMost: .max)
    switch name {
    case "instance": self = try ControlEntry.instance(reader)
    case "shared":
      try reader.expect(pairs: 3)
      var value = try reader.cursor("value")
      self = .shared(key: try reader.text("key"), value: value.null() ? nil : try reader.text("value"))
    case "authorise": self = .authorise(try Authorisation(reader))
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
    case .authorise(let authorisation): authorisation.write(into: &writer)
    case .revoke(let instance, let last, let keeps):
      ControlEntry.writeRevoke(instance, last, keeps, into: &writer)
    case .epoch(let change): change.write(into: &writer)
    case .purge(let order): order.write(into: &writer)
    case .unknown: preconditionFailure("an entry that is not known is never written")
    }
  }

  /// Where the values of a map begin.
  struct Fields {
    private var known: [(name: String, offset: Int)] = []
    mutating func add(_ name: String, _ offset: Int) { known.append((name, offset)) }
    subscript(_ name: String) -> Int? { known.first { UTF8Text.equal($0.name, name) }?.offset }
  }

  /// Reads the values of one entry by their keys.
  struct FieldReader {
    let map: CBORCursor
    let fields: Fields
    let pairs: Int

    func expect(pairs count: Int) throws(CoreError) {
      guard pairs == count else { throw map.fail(.badReserved) }
    }

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
