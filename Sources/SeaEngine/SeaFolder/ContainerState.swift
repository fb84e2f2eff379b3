import SeaCore
import SeaStore

/// What an instance remembers of one container, beside how far branches are there (`seen`) and what was quarantined: one value in one
/// row. All of it may be lost, and no data with it: the next sync looks at everything then.
package struct ContainerState: Equatable {
  /// The container that this was learned of; nil if none was opened yet.
  package var id: UUID?
  /// When the last sync ended: milliseconds since 1970, 0 for never.
  package var lastSync: Int64 = 0
  /// How the container was found to be then, as the engine names it.
  var condition = ""
  var blocks = Blocks()
  var hints = Hints()
  /// The assets that the container was given, and which contents of assets were read there.
  var given: GivenAssets?
  var assets = ReadContents<Int64>()
  /// The key slots that the container was given.
  var slots: Set<Digest> = []
  var purge = Purge()
  /// What placeholders of a cloud client stand for, beside blocks: by kind and name.
  var placeholders: [String: [String: Wait]] = [:]
  /// What a run with a limit has left there.
  var left: Left?

  /// How far the contents of files were read, in an order that repeats.
  struct ReadContents<Place: Equatable>: Equatable {
    /// The latest change of any file that was met, by the clock of the place.
    var stamp: Int64 = 0
    /// When contents had their last turn, by our clock; 0 where they have it in each sync.
    var turned: Int64 = 0
    /// The reading goes on behind this one; nil for the beginning.
    var cursor: Place?
    /// The bytes of all files that were met.
    var total: Int64 = 0
  }

  struct Blocks: Equatable {
    var contents = ReadContents<BlockPosition>()
    /// The files that changed at the time of the stamp, as far as they were read in a container elsewhere.
    var latest: Set<BlockPosition> = []
    /// What each branch lacks, in order.
    var waits: [BranchID: [BlockWait]] = [:]
    /// The sizes of packs that were found right, by the first index.
    var packs: [BranchID: [UInt32: Int64]] = [:]
    /// The marks of files without a place that were read and hold nothing new.
    var strays: Set<UInt64> = []
  }

  /// Blocks side by side that were first missed in one sync: their wait ends together.
  struct BlockWait: Equatable {
    var range: ClosedRange<UInt32> = 0...0
    /// Milliseconds since 1970.
    var since: Int64 = 0
    var syncs: UInt32 = 0
  }

  struct Wait: Equatable {
    /// Milliseconds since 1970.
    var since: Int64 = 0
    var syncs: UInt32 = 0
  }

  struct Hints: Equatable {
    /// When everything was last looked at, and all was well; 0 for never.
    var looked: Int64 = 0
    /// What was here then that the container might lack.
    var handed = Digest.zero
    var files: [UUID: Hint] = [:]
    /// The time in our own hint, and what it said.
    var written: Int64 = 0
    var heads: [BlockRef] = []
  }

  /// A hint as it was before everything was looked at.
  struct Hint: Equatable {
    var size: Int64 = 0
    /// By the clock of the place, 0 where that is not known.
    var changed: Int64 = 0
    /// When it was first met so, by our clock.
    var since: Int64 = 0
    /// Whether everything was looked at so long afterwards that what its writer has done since would show in the listing.
    var isSettled = false
    /// Of its content; nil if it was not read.
    var digest: Digest?
  }

  /// Up to which file of assets, in the order in which they came here, a container was given all that a rule allows.
  struct GivenAssets: Equatable {
    var rule = ""
    var sequence: Int64 = 0
  }

  struct Purge: Equatable {
    /// The version of what was purged when nothing of it was left there; 0 if something was.
    var done: UInt64 = 0
    /// The marks of files in purged places that were read and hold something else.
    var known: Set<UInt64> = []
  }

  struct Left: Equatable {
    /// Whether the container was not looked at to its end: then nothing is known of what else it has.
    var isUnseen = false
    /// Up to where chains are there.
    var tails: [UUID: UInt32] = [:]
  }
}

/// A block by its branch and index, whatever it holds.
struct BlockPosition: Hashable, Comparable {
  var branch: BranchID
  var index: UInt32

  static func < (x: BlockPosition, y: BlockPosition) -> Bool { (x.branch, x.index) < (y.branch, y.index) }
}

// Each field is named once, in the order in which it is stored.

extension ContainerState: Packed {
  /// Another one says that what was stored is to be forgotten.
  private static let version: UInt32 = 1

  /// - Returns: nil for what this program has not written.
  package init?(_ bytes: [UInt8]) {
    var packer = Packer(reading: bytes)
    self.init()
    pack(&packer)
    guard packer.isWhole else { return nil }
  }

  package var bytes: [UInt8] {
    var packer = Packer()
    var copy = self
    copy.pack(&packer)
    return packer.bytes
  }

  mutating func pack(_ packer: inout Packer) {
    packer.check(ContainerState.version)
    packer.pack(&id, &lastSync, &condition, &blocks, &hints)
    packer.pack(&given, &assets, &slots, &purge, &placeholders)
    left.pack(&packer)
  }
}

extension ContainerState.ReadContents: Packed where Place: Packed {
  mutating func pack(_ packer: inout Packer) { packer.pack(&stamp, &turned, &cursor, &total) }
}

extension ContainerState.Blocks: Packed {
  mutating func pack(_ packer: inout Packer) { packer.pack(&contents, &latest, &waits, &packs, &strays) }
}

extension ContainerState.BlockWait: Packed {
  mutating func pack(_ packer: inout Packer) {
    var (first, last) = (range.lowerBound, range.upperBound)
    packer.pack(&first, &last, &since, &syncs)
    packer.check(first <= last)
    range = first...max(first, last)
  }
}

extension ContainerState.Wait: Packed {
  mutating func pack(_ packer: inout Packer) { packer.pack(&since, &syncs) }
}

extension ContainerState.Hints: Packed {
  mutating func pack(_ packer: inout Packer) { packer.pack(&looked, &handed, &files, &written, &heads) }
}

extension ContainerState.Hint: Packed {
  mutating func pack(_ packer: inout Packer) { packer.pack(&size, &changed, &since, &isSettled, &digest) }
}

extension ContainerState.GivenAssets: Packed {
  mutating func pack(_ packer: inout Packer) { packer.pack(&rule, &sequence) }
}

extension ContainerState.Purge: Packed {
  mutating func pack(_ packer: inout Packer) { packer.pack(&done, &known) }
}

extension ContainerState.Left: Packed {
  mutating func pack(_ packer: inout Packer) { packer.pack(&isUnseen, &tails) }
}

extension BlockPosition: Packed {
  init() { self.init(branch: BranchID(), index: 0) }

  mutating func pack(_ packer: inout Packer) { packer.pack(&branch, &index) }
}

extension SeaFolder {
  /// What is remembered of a container: nothing of one that is not known, or of which another program has written it. It is decoded once as
  /// long as nobody writes it.
  package func state(of container: String) throws -> ContainerState {
    guard let bytes = try store.peers.state(of: container) else { return ContainerState() }
    if let known = decoded[container], known.bytes == bytes { return known.state }
    let state = ContainerState(bytes) ?? ContainerState()
    decoded[container] = (bytes, state)
    return state
  }

  /// Changes what is remembered of a container, in one transaction if that changes anything.
  /// - Parameter change: made once to see whether it changes anything, and once more with what is remembered by then.
  func remember(of container: String, _ change: (inout ContainerState) -> Void) throws {
    func changed() throws -> ContainerState? {
      let before = try state(of: container)
      var after = before
      change(&after)
      return after == before ? nil : after
    }
    guard try changed() != nil else { return }
    try store.write {
      guard let state = try changed() else { return }
      let bytes = state.bytes
      try store.peers.setState(bytes, of: container)
      decoded[container] = (bytes, state)
    }
  }
}
