import SeaCore

/// The newest data in a place, for a single page, and the number of items left out. The amount of data is limited, even
/// for large places.
package struct PlaceOverview {
  package struct Limits: Sendable {
    package var chains = 60
    package var blocks = 400
    package var records = 100
    package var revisions = 40
    package init() {}
  }

  /// The changes to a record in the blocks shown.
  package struct Record: Sendable {
    package var id: String
    package var type: String?
    /// The changes, oldest first.
    package var changes: [(change: InspectedBlock.Change, block: BlockRef)] = []
    package var more = 0
  }

  /// The chains with the newest blocks; `moreChains` counts the others.
  package private(set) var chains: [InspectedChain] = []
  package private(set) var moreChains = 0
  /// The blocks of these chains, in order of Lamport time.
  package private(set) var blocks: [InspectedBlock] = []
  package private(set) var moreBlocks = 0
  package private(set) var records: [Record] = []
  package private(set) var moreRecords = 0
  package private(set) var problems: [Problem] = []
  package let layout: PlaceLayout

  package init(_ place: any InspectedPlace, _ limits: Limits = Limits()) throws {
    layout = try place.layout(keepsFiles: false)
    let all = try place.chains()
    let newest = all.sorted { ($0.ended ?? .min, $1.branch) > ($1.ended ?? .min, $0.branch) }
    chains = Array(newest.prefix(limits.chains)).sorted { $0.branch < $1.branch }
    moreChains = all.count - chains.count
    let shown = Set(chains.map(\.branch))
    var kept: [InspectedBlock] = []
    problems = try place.forEachBlock(of: nil, newest: limits.blocks) { block, _ in
      guard shown.contains(block.ref.branch) else { return }
      kept.append(block)
      if kept.count >= 2 * limits.blocks { kept = PlaceOverview.newest(of: kept, limits.blocks) }
    }
    blocks = PlaceOverview.newest(of: kept, limits.blocks)
    moreBlocks = all.reduce(0) { $0 + $1.count } - blocks.count
    collect(limits)
  }

  /// Sorts by Lamport time, because it is the same on all instances.
  private static func newest(of blocks: [InspectedBlock], _ most: Int) -> [InspectedBlock] {
    let sorted = blocks.sorted { x, y in
      (x.header.lamport, x.ref.branch, x.ref.index) < (y.header.lamport, y.ref.branch, y.ref.index)
    }
    return Array(sorted.suffix(most))
  }

  private mutating func collect(_ limits: Limits) {
    var places: [String: Int] = [:]
    var left = 0
    for block in blocks.reversed() {
      left += max(0, (block.changeCount ?? 0) - block.changes.count)
      for change in block.changes.reversed() {
        if places[change.id] == nil {
          guard records.count < limits.records else {
            left += 1
            continue
          }
          places[change.id] = records.count
          records.append(Record(id: change.id, type: change.type))
        }
        guard let at = places[change.id] else { continue }
        if records[at].changes.count < limits.revisions {
          records[at].changes.append((change, block.ref))
        } else {
          records[at].more += 1
        }
      }
    }
    moreRecords = left
    for at in records.indices { records[at].changes.reverse() }
  }
}
