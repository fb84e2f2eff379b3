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
  /// What was changed then, so far as it was looked at elsewhere.
  var latest: Set<Place> = []
  /// When contents were last looked at in their turn: milliseconds since 1970.
  var turned: Int64 = 0
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

  struct Place: Hashable, Comparable {
    var branch: BranchID
    var index: UInt32

    static func < (x: Place, y: Place) -> Bool { (x.branch, x.index) < (y.branch, y.index) }
  }

  static func key(_ container: String) -> String { "notes:" + container }
  private static let version: UInt8 = 2
  static let mostStrays = 20_000
}

extension ContainerNotes {
  /// - Returns: nil for what was written otherwise.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard reader.byte() == ContainerNotes.version, let stamp = reader.int64(), let total = reader.int64(),
      let turned = reader.int64(), let latestCount = reader.uint32()
    else { return nil }
    (self.stamp, self.total, self.turned) = (stamp, total, turned)
    for _ in 0..<latestCount {
      guard let branch = reader.branch(), let index = reader.uint32() else { return nil }
      latest.insert(Place(branch: branch, index: index))
    }
    guard let hasCursor = reader.byte() else { return nil }
    if hasCursor == 1 {
      guard let branch = reader.branch(), let index = reader.uint32() else { return nil }
      cursor = Place(branch: branch, index: index)
    }
    guard let waitCount = reader.uint32() else { return nil }
    for _ in 0..<waitCount {
      guard let branch = reader.branch(), let index = reader.uint32(), let since = reader.int64(),
        let syncs = reader.uint32()
      else { return nil }
      waits[branch] = Wait(index: index, since: since, syncs: syncs)
    }
    guard let branchCount = reader.uint32() else { return nil }
    for _ in 0..<branchCount {
      guard let branch = reader.branch(), let count = reader.uint32() else { return nil }
      for _ in 0..<count {
        guard let first = reader.uint32(), let size = reader.int64() else { return nil }
        leaves[branch, default: [:]][first] = size
      }
    }
    guard let strayCount = reader.uint32() else { return nil }
    for _ in 0..<strayCount {
      guard let stray = reader.uint64() else { return nil }
      strays.insert(stray)
    }
  }

  var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.byte(ContainerNotes.version)
    writer.int64(stamp)
    writer.int64(total)
    writer.int64(turned)
    writer.uint32(UInt32(latest.count))
    for place in latest.sorted() {
      writer.branch(place.branch)
      writer.uint32(place.index)
    }
    writer.byte(cursor == nil ? 0 : 1)
    if let cursor {
      writer.branch(cursor.branch)
      writer.uint32(cursor.index)
    }
    writer.uint32(UInt32(waits.count))
    for (branch, wait) in waits.sorted(by: { $0.key < $1.key }) {
      writer.branch(branch)
      writer.uint32(wait.index)
      writer.int64(wait.since)
      writer.uint32(wait.syncs)
    }
    writer.uint32(UInt32(leaves.count))
    for (branch, sizes) in leaves.sorted(by: { $0.key < $1.key }) {
      writer.branch(branch)
      writer.uint32(UInt32(sizes.count))
      for (first, size) in sizes.sorted(by: { $0.key < $1.key }) {
        writer.uint32(first)
        writer.int64(size)
      }
    }
    writer.uint32(UInt32(strays.count))
    for stray in strays.sorted() { writer.uint64(stray) }
    return writer.array()
  }
}

extension ByteReader {
  fileprivate mutating func branch() -> BranchID? {
    guard let instance = uuid(), let isSibling = byte(), let fork = uint32() else { return nil }
    return BranchID(instance, fork: isSibling == 1 ? fork : nil)
  }
}

extension ByteWriter {
  fileprivate mutating func branch(_ branch: BranchID) {
    branch.instance.withBytes { append($0) }
    byte(branch.fork == nil ? 0 : 1)
    uint32(branch.fork ?? 0)
  }
}
