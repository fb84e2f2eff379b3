import SeaCore

/// What an instance remembers of the files of a container, beside how far branches are there. All of it may be lost: then
/// more is looked at.
struct ContainerNotes: Equatable {
  /// Blocks side by side that began to lack in one sync: they are waited for together.
  struct Wait: Equatable {
    var range: ClosedRange<UInt32>
    /// Milliseconds since 1970.
    var since: Int64
    var syncs: UInt32
    /// Whether any of them is lacking in this sync; that is not kept.
    var isMet = true
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
  /// Of each branch what is waited for, in order.
  var waits: [BranchID: [Wait]] = [:]
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
  private static let version: UInt8 = 4
  static let mostStrays = 20_000
  /// So much is waited for at a time, of all branches; the rest has its turn then.
  static let mostWaits = 1000
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
      guard let branch = reader.branch(), let first = reader.uint32(), let last = reader.uint32(), first <= last,
        let since = reader.int64(), let syncs = reader.uint32()
      else { return nil }
      waits[branch, default: []].append(Wait(range: first...last, since: since, syncs: syncs, isMet: false))
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

  var waitCount: Int { waits.values.reduce(0) { $0 + $1.count } }

  /// What is waited for at an index of a branch; nil if nothing is.
  func wait(_ branch: BranchID, _ index: UInt32) -> Wait? {
    guard let waits = waits[branch], let at = waits.place(of: index) else { return nil }
    return waits[at].range.contains(index) ? waits[at] : nil
  }

  /// Notes that a block lacks in this sync, or, if it does not count, before the next one.
  /// - Returns: what it is waited for with; nil if there is no room for more.
  mutating func meet(_ branch: BranchID, _ index: UInt32, now: Int64, counts: Bool, hasRoom: Bool) -> Wait? {
    let before = waits[branch]?.place(of: index)
    if let before, var wait = waits[branch]?[before] {
      let isNext = wait.isMet && wait.syncs <= 1 && wait.range.upperBound < index && index - wait.range.upperBound == 1
      if wait.range.contains(index) || isNext {
        if !wait.isMet, counts { wait.syncs += 1 }
        wait.isMet = true
        wait.range = wait.range.lowerBound...max(wait.range.upperBound, index)
        waits[branch]?[before] = wait
        return wait
      }
    }
    guard hasRoom else { return nil }
    let wait = Wait(range: index...index, since: now, syncs: counts ? 1 : 0)
    waits[branch, default: []].insert(wait, at: before.map { $0 + 1 } ?? 0)
    return wait
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
    writer.uint32(UInt32(waitCount))
    for (branch, waits) in waits.sorted(by: { $0.key < $1.key }) {
      for wait in waits {
        writer.branch(branch)
        writer.uint32(wait.range.lowerBound)
        writer.uint32(wait.range.upperBound)
        writer.int64(wait.since)
        writer.uint32(wait.syncs)
      }
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

extension [ContainerNotes.Wait] {
  /// The last one that begins no later than an index.
  fileprivate func place(of index: UInt32) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if self[middle].range.lowerBound <= index { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }
}

extension ByteReader {
  mutating func branch() -> BranchID? {
    guard let instance = uuid(), let isSibling = byte() else { return nil }
    guard isSibling == 1 else { return BranchID(instance) }
    guard let fork = uuid().flatMap({ ForkID($0.bytes) }) else { return nil }
    return BranchID(instance, fork: fork)
  }
}

extension ByteWriter {
  mutating func branch(_ branch: BranchID) {
    branch.instance.withBytes { append($0) }
    byte(branch.fork == nil ? 0 : 1)
    branch.fork?.withBytes { append($0) }
  }
}
