import SeaContainer
import SeaCore
import SeaStore

package enum PurgeGoal: Sendable {
  /// All earlier content of a record. Includes the current content unless `keepsNow` is true.
  case record(String, keepsNow: Bool)
  /// The content of each revision of a record that has one of the properties.
  case properties(String, [PropertyPath], keepsNow: Bool)
  /// Content that is no longer current and was written before a time (milliseconds since 1970).
  case before(Int64)

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

package struct PurgePlan: Sendable {
  package enum Obstacle: String, Sendable {
    /// Only the author, or an instance senior to the author, may order the purge of the block.
    case foreign
    /// The block has control entries that authorize or revoke other instances.
    case control
    /// The block has changes to other records that are not valid yet and would be lost.
    case held
    /// The data to repeat does not fit into one block.
    case large
  }

  package struct Block: Sendable {
    package var row: BlockRow
    package var obstacle: Obstacle?
  }

  package var goal: PurgeGoal
  package var records = 0
  /// The number of bodies to purge, without duplicates.
  package var revisions = 0
  /// The number of bodies that remain because one of their blocks cannot be purged.
  package var staying = 0
  package var blocks: [Block] = []
  package var kept = 0
  /// The number of blocks whose content is unknown because this instance cannot read them.
  package var unread = 0
  package var conflicts: [String] = []
  package var endsNow = false

  var targets: [Digest: [Int64]] = [:]

  /// Counts the revisions. A revision is purged only if all of its blocks can be purged.
  mutating func count() {
    let stuck = Set(obstacles.map(\.row.sequence))
    staying = stuck.isEmpty ? 0 : targets.values.count { !stuck.isDisjoint(with: $0) }
    revisions = targets.count - staying
  }
  var purgeableBlocks: [BlockRow] { blocks.filter { $0.obstacle == nil }.map(\.row) }

  package var isEmpty: Bool { blocks.isEmpty && !endsNow }
  package var orders: Int { blocks.count { $0.obstacle == nil } }
  package var obstacles: [Block] { blocks.filter { $0.obstacle != nil } }
}

package struct Purged: Sendable {
  package var plan: PurgePlan
  package var emptied = 0
  package var assets = 0
  /// Assets that no block references anymore, at locations of instances whose blocks were not purged. Such assets
  /// remain in all stores and containers.
  package var elsewhere: [AssetExtent] = []
  package var scrubbed = PurgedBytes.Scrubbed.done
}

extension AssetExtent {
  package var firstPath: String { start.path }
}
