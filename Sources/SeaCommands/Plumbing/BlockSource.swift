import SeaCore
import SeaEngine
import SeaSystem

/// A block as it is stored, with the name under which it was found.
struct StoredBlock {
  /// `INSTANCE/INDEX`, or `FILE:INDEX` where a file does not tell the instance.
  let name: String
  let instance: UUID?
  let header: BlockHeader
  let bytes: [UInt8]
  /// What opens it, if it is sealed.
  var keys: () throws -> KeyRing? = { nil }

  /// Whose chain it is of; without a name it opens under no key.
  var author: UUID { instance ?? UUID(high: 0, low: 0) }
}

/// Where blocks come from: the database, opened when it is first needed, and files, which need none.
final class BlockSource {
  private let session: Session
  private var database: Database?

  init(_ session: Session) { self.session = session }

  /// The blocks that a name stands for: those of a file, if there is one at that path, else the one in the database.
  func each(_ name: String, _ body: (StoredBlock) throws -> Void) throws {
    if name.utf8.contains(UInt8(ascii: "/")), try Path.statusFollowing(session.path(name))?.kind == .file {
      return try file(name, body)
    }
    let database = try self.database ?? session.reading()
    self.database = database
    let row = try database.records.block(named: name)
    let bytes = try database.records.bytes(of: row)
    try body(
      StoredBlock(
        name: row.place, instance: row.instance,
        header: try bytes.withUnsafeBytes { try BlockHeader($0) }, bytes: bytes, keys: { try database.keychain.ring() })
    )
  }

  /// The blocks in a file, one after another. Each must be whole and have the payload that its header names, and the
  /// one before it in front of it; who signed it is for `sea verify`.
  func file(_ name: String, _ body: (StoredBlock) throws -> Void) throws {
    let input = try session.reader(name)
    let place = name == "-" ? "standard input" : name
    var previous: (index: UInt32, digest: Digest)?
    var offset = 0
    func checked<Result>(_ body: () throws -> Result) throws -> Result {
      do { return try body() } catch CoreError.badBlock(let fault) {
        throw CommandError.badBlock(name: place, offset: offset, fault)
      }
    }
    while true {
      var bytes = try input.bytes(BlockHeader.size)
      if bytes.isEmpty, offset > 0 { return }
      let header = try checked { try bytes.withUnsafeBytes { try BlockHeader($0) } }
      bytes += try input.bytes(header.blockSize - BlockHeader.size)
      try checked { try BlockSource.check(bytes, header, previous) }
      previous = (header.index, header.hash)
      try body(StoredBlock(name: "\(place):\(header.index)", instance: nil, header: header, bytes: bytes))
      offset += bytes.count
    }
  }

  private static func check(
    _ bytes: [UInt8], _ header: BlockHeader, _ previous: (index: UInt32, digest: Digest)?
  ) throws(CoreError) {
    guard bytes.count == header.blockSize else { throw .badBlock(.truncated) }
    guard bytes.withUnsafeBytes({ header.hash(ofIntact: $0) }) != nil else { throw .badBlock(.badData) }
    guard let previous else { return }
    guard header.index == previous.index &+ 1 else { throw .badBlock(.badIndex) }
    guard header.previous == previous.digest else { throw .badBlock(.badPrevious) }
  }
}
