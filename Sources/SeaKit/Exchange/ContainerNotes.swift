import SeaCore

/// What an instance remembers of the files of a container, beside how far branches are there. All of it may be lost: then
/// more is looked at.
struct ContainerNotes: Equatable {
  /// Something that is waited for.
  struct Wait: Equatable {
    var index: UInt32
    /// Milliseconds since 1970.
    var since: Int64
    var syncs: UInt32
  }

  /// The latest change of any file when all were looked at, by the clock of the place.
  var stamp: Int64 = 0
  /// Behind which block the reading of contents goes on.
  var cursor: Place?
  /// The bytes of all blocks that could be looked at.
  var total: Int64 = 0
  /// Of each branch what is waited for.
  var waits: [BranchID: Wait] = [:]
  /// The sizes of folded files that were found right, by the first index.
  var leaves: [BranchID: [UInt32: Int64]] = [:]
  /// Files without a place that were read and hold nothing new.
  var strays: Set<UInt64> = []

  struct Place: Equatable, Comparable {
    var branch: BranchID
    var index: UInt32

    static func < (x: Place, y: Place) -> Bool { (x.branch, x.index) < (y.branch, y.index) }
  }

  static func key(_ container: String) -> String { "notes:" + container }
  private static let version: UInt8 = 1
  static let mostStrays = 20_000
}

extension ContainerNotes {
  /// - Returns: nil for what was written otherwise.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes[...])
    guard reader.integer(1) == UInt64(ContainerNotes.version), let stamp = reader.integer(8) else { return nil }
    self.stamp = Int64(bitPattern: stamp)
    guard let total = reader.integer(8) else { return nil }
    self.total = Int64(bitPattern: total)
    guard let hasCursor = reader.integer(1) else { return nil }
    if hasCursor == 1 {
      guard let branch = reader.branch(), let index = reader.integer(4) else { return nil }
      cursor = Place(branch: branch, index: UInt32(index))
    }
    guard let waitCount = reader.integer(4) else { return nil }
    for _ in 0..<waitCount {
      guard let branch = reader.branch(), let index = reader.integer(4), let since = reader.integer(8),
        let syncs = reader.integer(4)
      else { return nil }
      waits[branch] = Wait(index: UInt32(index), since: Int64(bitPattern: since), syncs: UInt32(syncs))
    }
    guard let branchCount = reader.integer(4) else { return nil }
    for _ in 0..<branchCount {
      guard let branch = reader.branch(), let count = reader.integer(4) else { return nil }
      for _ in 0..<count {
        guard let first = reader.integer(4), let size = reader.integer(8) else { return nil }
        leaves[branch, default: [:]][UInt32(first)] = Int64(bitPattern: size)
      }
    }
    guard let strayCount = reader.integer(4) else { return nil }
    for _ in 0..<strayCount {
      guard let stray = reader.integer(8) else { return nil }
      strays.insert(stray)
    }
  }

  var bytes: [UInt8] {
    var writer = Writer()
    writer.integer(UInt64(ContainerNotes.version), 1)
    writer.integer(UInt64(bitPattern: stamp), 8)
    writer.integer(UInt64(bitPattern: total), 8)
    writer.integer(cursor == nil ? 0 : 1, 1)
    if let cursor {
      writer.branch(cursor.branch)
      writer.integer(UInt64(cursor.index), 4)
    }
    writer.integer(UInt64(waits.count), 4)
    for (branch, wait) in waits.sorted(by: { $0.key < $1.key }) {
      writer.branch(branch)
      writer.integer(UInt64(wait.index), 4)
      writer.integer(UInt64(bitPattern: wait.since), 8)
      writer.integer(UInt64(wait.syncs), 4)
    }
    writer.integer(UInt64(leaves.count), 4)
    for (branch, sizes) in leaves.sorted(by: { $0.key < $1.key }) {
      writer.branch(branch)
      writer.integer(UInt64(sizes.count), 4)
      for (first, size) in sizes.sorted(by: { $0.key < $1.key }) {
        writer.integer(UInt64(first), 4)
        writer.integer(UInt64(bitPattern: size), 8)
      }
    }
    writer.integer(UInt64(strays.count), 4)
    for stray in strays.sorted() { writer.integer(stray, 8) }
    return writer.bytes
  }

  private struct Reader {
    var bytes: ArraySlice<UInt8>

    mutating func integer(_ size: Int) -> UInt64? {
      guard bytes.count >= size else { return nil }
      defer { bytes = bytes.dropFirst(size) }
      return bytes.prefix(size).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func branch() -> BranchID? {
      guard bytes.count >= 16 else { return nil }
      let instance = UUID(Array(bytes.prefix(16)))
      bytes = bytes.dropFirst(16)
      guard let instance, let isSibling = integer(1), let fork = integer(4) else { return nil }
      return BranchID(instance, fork: isSibling == 1 ? UInt32(fork) : nil)
    }
  }

  private struct Writer {
    var bytes: [UInt8] = []

    mutating func integer(_ value: UInt64, _ size: Int) {
      for shift in stride(from: (size - 1) * 8, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
      }
    }

    mutating func branch(_ branch: BranchID) {
      bytes += branch.instance.bytes
      integer(branch.fork == nil ? 0 : 1, 1)
      integer(UInt64(branch.fork ?? 0), 4)
    }
  }
}
