import SeaContainer
import SeaCore
import SeaStore

/// What is to be gone for good.
package enum PurgeGoal: Sendable {
  /// A record: all that it ever said, and without `keepsNow` what it says now.
  case record(String, keepsNow: Bool)
  /// Some properties of a record: what it said whenever it had one of them.
  case properties(String, [PropertyPath], keepsNow: Bool)
  /// What records said before a time (milliseconds since 1970) and do not say now.
  case before(Int64)

  /// The record that is meant; nil if all are.
  package var record: String? {
    switch self {
    case .record(let id, _), .properties(let id, _, _): id
    case .before: nil
    }
  }

  package var keepsNow: Bool {
    switch self {
    case .record(_, let keepsNow), .properties(_, _, let keepsNow): keepsNow
    case .before: true
    }
  }
}

/// What a purge would do, as a value.
package struct PurgePlan: Sendable {
  /// Why a block cannot be purged by this instance.
  package enum Obstacle: String, Sendable {
    /// Only its author, or somebody senior to the author, may order it.
    case foreign
    /// It has entries that decide about others.
    case control
    /// It has changes of other records that do not count yet: they would be lost.
    case held
    /// What an order would have to repeat of it fits no block.
    case large
  }

  package struct Block: Sendable {
    package var row: BlockRow
    package var obstacle: Obstacle?
  }

  package var goal: PurgeGoal
  /// Records of which a body goes.
  package var records = 0
  /// Bodies that go, each counted once.
  package var revisions = 0
  /// Bodies that were meant and stay, for one of the blocks that they stand in has to.
  package var staying = 0
  /// Oldest first.
  package var blocks: [Block] = []
  /// Revisions in these blocks that stay: they are written again.
  package var kept = 0
  /// Blocks that cannot be read here: nobody knows what they say.
  package var unread = 0
  /// Records in conflict whose history is needed to end it.
  package var conflicts: [String] = []
  /// Whether the record, or what it says of the property, is live and ends with the purge.
  package var endsNow = false

  /// What is meant, with the blocks that it stands in.
  var targets: [Digest: [Int64]] = [:]

  /// A revision goes where all blocks that have it do.
  mutating func count() {
    let stuck = Set(obstacles.map(\.row.sequence))
    staying = stuck.isEmpty ? 0 : targets.values.count { !stuck.isDisjoint(with: $0) }
    revisions = targets.count - staying
  }
  /// By their sequences the blocks whose content is written again.
  var going: [BlockRow] { blocks.filter { $0.obstacle == nil }.map(\.row) }

  package var isEmpty: Bool { blocks.isEmpty && !endsNow }
  package var orders: Int { blocks.count { $0.obstacle == nil } }
  package var obstacles: [Block] { blocks.filter { $0.obstacle != nil } }
}

/// What a purge has done on this device.
package struct Purged: Sendable {
  package var plan: PurgePlan
  /// Blocks whose payload is gone from the store.
  package var emptied = 0
  /// Assets whose files are gone from this device.
  package var assets = 0
  /// Assets that nothing names any more, at places of instances whose blocks were not purged: these stay everywhere.
  package var elsewhere: [AssetExtent] = []
  package var scrubbed = PurgedBytes.Scrubbed.done
}

extension AssetExtent {
  /// The path of its first file, from the top of a container.
  package var firstPath: String { start.path }
}
