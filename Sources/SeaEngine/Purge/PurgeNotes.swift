import SeaContainer
import SeaCore
import SeaStore

/// Which files of a container were looked at for copies of what was purged, and had none: as long as they have their names, sizes and
/// times, they are looked at again in their turn only.
struct PurgeNotes {
  private let store: Store
  private let key: String
  private let now: Int64
  private let isFar: Bool
  private let before: [UInt8]
  /// What was looked for.
  private let version: UInt64
  private var turn: UInt8 = 0
  private var turned: Int64 = 0
  /// Whether a part of what is known has its turn now.
  private var isTurn = false
  private var known: Set<UInt64> = []
  private var met: Set<UInt64> = []
  /// Bytes that are still read in this sync.
  private var budget: Int64
  /// How many are in one; no larger file is read a second time.
  private var most: Int64 { isFar ? ContentTurns.mostBytes : PurgeNotes.mostHere }

  /// So many files are remembered.
  private static let mostFiles = 100_000
  private static let least: Int64 = 1 << 16
  /// What is read in one sync of a folder of this machine: a stranger can put files there that have any number of bytes.
  private static let mostHere: Int64 = 1 << 30

  /// - Parameter version: what copies are looked for; of another one nothing was looked at.
  init(_ store: Store, _ name: String, version: Digest, now: Int64, isFar: Bool, isFull: Bool) throws {
    (self.store, self.now, self.isFar) = (store, now, isFar)
    key = "purge:" + name
    self.version = version.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    budget = .max
    before = try store.metaBlob(key) ?? []
    if !isFull { budget = most }
    var reader = ByteReader(before)
    guard reader.uint64() == self.version, let turn = reader.byte(), let turned = reader.int64() else { return }
    (self.turn, self.turned) = (turn, turned)
    if !ContentTurns.isTooSoon(now, after: turned) {
      self.turn = UInt8((Int64(turn) + 1) % ContentTurns.part)
      self.turned = now
      isTurn = true
    }
    while !isFull, let mark = reader.uint64() { known.insert(mark) }
  }

  /// Whether a file is known, or waits for a later sync, and is not read in this one.
  mutating func leaves(_ file: Stray) -> Leave? {
    let mark = file.closeMark
    let isKnown = known.contains(mark)
    let isAgain = isTurn && file.size <= most
    let isDue = isAgain && mark % UInt64(ContentTurns.part) == UInt64(turn)
    if isKnown, !isDue || budget <= 0 {
      note(file)
      return .known
    }
    guard budget > 0 else { return .later }
    return nil
  }

  enum Leave {
    case known, later
  }

  /// It is read. To ask for a small one takes its time, too.
  mutating func read(_ file: Stray) {
    guard budget < .max else { return }
    budget -= isFar ? max(file.size, PurgeNotes.least) : file.size
  }

  /// It has nothing.
  mutating func note(_ file: Stray) { if met.count < PurgeNotes.mostFiles { met.insert(file.closeMark) } }

  func keep() throws {
    var writer = ByteWriter()
    writer.uint64(version)
    writer.byte(turn)
    writer.int64(turned == 0 ? now : turned)
    for mark in met.sorted() { writer.uint64(mark) }
    let bytes = writer.array()
    if bytes != before { try store.write { try store.setMeta(key, .blob(bytes)) } }
  }
}
