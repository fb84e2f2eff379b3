import SeaCore
import SeaEngine
import SeaSystem

struct StoredBlock {
  /// `INSTANCE/INDEX`, or `FILE:INDEX` if the file does not name the instance.
  let name: String
  let instance: UUID?
  let header: BlockHeader
  let bytes: [UInt8]
  var keys: () throws -> KeyRing? = { nil }

  /// The author of the chain. If the author is unknown, no key can decrypt the block.
  var author: UUID { instance ?? UUID(high: 0, low: 0) }
}

/// Finds blocks in files and in the database. The database is opened on first use, because files do not need it.
final class BlockSource {
  private let session: Session
  private var database: Database?

  init(_ session: Session) { self.session = session }

  /// Finds the blocks in the file at the path `name`. If there is no such file, finds the block with that name in the
  /// database.
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

  /// Reads the blocks in a file one by one. Each block must be complete, match its payload digest and follow the
  /// previous block. `sea verify` checks signatures.
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
