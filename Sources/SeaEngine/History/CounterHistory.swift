import SeaCore
import SeaStore

/// What is needed to take back what one block counted in a record, and nothing that others counted or that was counted
/// in other branches: a counter only grows, and what is shown of it is what all live leaves say together.
final class CounterHistory {
  private let row: RecordRow
  private let block: BlockRow
  private let folder: SeaFolder
  private let ends: [Leaf]
  private lazy var before = Result { try counters(known(before: block)) }
  private lazy var made = Result { try counters(ends) }
  private lazy var now = Result { try counters(folder.store.records.leaves(of: row)) }

  /// - Parameter ends: what the block made of each branch.
  init(_ row: RecordRow, _ block: BlockRow, _ ends: [Leaf], _ folder: SeaFolder) {
    self.row = row
    self.block = block
    self.ends = ends
    self.folder = folder
  }

  /// A counter as it is now, less what the block counted.
  func without(
    _ before: Counter, _ after: Counter, _ now: Counter, _ names: [String], _ isJoined: Bool
  ) throws -> Counter {
    let key = isJoined ? Array(PropertyPath(names: names).pointer.utf8) : []
    let known = try self.before.get()[key].map { $0.joined(before) } ?? before
    // What stands for it now may have been made of other counts.
    let made = try self.made.get()[key] ?? after
    // A counter that the block has taken away and made anew remembers nothing of the one before.
    let counted =
      after.joined(before) == after ? made.counted(by: block.instance, since: known) : after.value - before.value
    guard counted != 0 else { return now }
    var result = try self.now.get()[key].map { $0.joined(now) } ?? now
    try KitError.naming(row.id) { try result.add(-counted, by: folder.instance, at: names) }
    return result
  }

  /// The leaves that this instance knew when it wrote the block.
  private func known(before block: BlockRow) throws -> [Leaf] {
    let all = try folder.store.records.revisions(of: row).filter { $0.isAttached && $0.sequence < block.sequence }
    let parents = Set(all.compactMap(\.parentRevision))
    return all.filter { !parents.contains($0.revision) }
  }

  /// What the counters of the live ones come to together, each by its path through dictionaries.
  private func counters(_ leaves: [Leaf]) throws -> [[UInt8]: Counter] {
    var all: [[UInt8]: [Counter]] = [:]
    func collect(_ value: Value, _ names: [String]) {
      switch value {
      case .counter(let counter): all[Array(PropertyPath(names: names).pointer.utf8), default: []].append(counter)
      case .dictionary(let members): for (name, value) in members.entries { collect(value, names + [name]) }
      default: break
      }
    }
    for leaf in leaves { if let body = try folder.store.content(of: leaf).body { collect(body, []) } }
    return all.mapValues { Counter.joined($0) }
  }
}

extension Counter {
  /// What an instance has counted in this state and not in an older one.
  fileprivate func counted(by instance: UUID, since old: Counter) -> Int128 {
    func sums(_ counter: Counter) -> (up: UInt64, down: UInt64) {
      counter.entries.first { $0.instance == instance }.map { ($0.increments, $0.decrements) } ?? (0, 0)
    }
    let (here, there) = (sums(self), sums(old))
    return Int128(here.up - min(here.up, there.up)) - Int128(here.down - min(here.down, there.down))
  }
}
