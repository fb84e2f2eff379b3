import SeaCore
import SeaStore

/// What is needed to take back what one block counted in a record, and nothing that others counted or that was counted
/// in other branches: a counter only grows, and what is shown of it is what all live leaves say together.
final class CounterHistory {
  let row: RecordRow
  private let block: BlockRow
  private let folder: SeaFolder
  private lazy var before = Result { try counters(known(before: block)) }
  private lazy var now = Result { try counters(folder.store.records.leaves(of: row)) }

  init(_ row: RecordRow, _ block: BlockRow, _ folder: SeaFolder) {
    self.row = row
    self.block = block
    self.folder = folder
  }

  /// What `old` said, as a child of a revision that says `now`: what stands in both of a set keeps its tags, what was
  /// taken out comes in anew, and counters lose what the block counted.
  /// - Parameter written: what the block made of `old`.
  func restored(_ old: Value, from now: Value, written: Value) throws -> Value {
    try restored(old, now, written, [], isJoined: true)
  }

  private func restored(
    _ old: Value, _ now: Value?, _ written: Value?, _ names: [String], isJoined: Bool
  ) throws -> Value {
    switch (old, now) {
    case (.dictionary(let members), .dictionary(let current)?):
      var result = Members()
      for (name, value) in members.entries {
        let written = written?.members?[name]
        result[name] = try restored(value, current[name], written, names + [name], isJoined: isJoined)
      }
      return .dictionary(result)
    case (.array(let values), .array(let current)?):
      var made: [Value] = []
      if case .array(let values)? = written { made = values }
      return .array(
        try values.enumerated().map { k, value in
          // Within arrays nothing is joined.
          try restored(
            value, k < current.count ? current[k] : nil, k < made.count ? made[k] : nil, names, isJoined: false)
        })
    case (.set(let set), .set(let current)?): return .set(current.changed(to: set.elements))
    case (.counter(let counter), .counter(let current)?):
      guard case .counter(let made)? = written else { return old }
      let key = isJoined ? Array(PropertyPath(names: names).pointer.utf8) : []
      let known = try before.get()[key].map { $0.joined(counter) } ?? counter
      let counted = made.counted(by: block.instance, since: known)
      guard counted != 0 else { return .counter(current) }
      var result = try self.now.get()[key].map { $0.joined(current) } ?? current
      try KitError.naming(row.id) { try result.add(-counted, by: folder.instance, at: names) }
      return .counter(result)
    default: return old
    }
  }

  /// The leaves that this instance knew when it wrote the block.
  private func known(before block: BlockRow) throws -> [Leaf] {
    let all = try folder.store.records.revisions(of: row).filter { $0.isAttached && $0.sequence < block.sequence }
    let parents = Set(all.compactMap(\.parentRevision))
    return all.filter { !parents.contains($0.revision) }
  }

  /// What the counters of the live ones come to together, each by its path through dictionaries.
  private func counters(_ leaves: [Leaf]) throws -> [[UInt8]: Counter] {
    var result: [[UInt8]: Counter] = [:]
    func collect(_ value: Value, _ names: [String]) {
      switch value {
      case .counter(let counter):
        result.merge([Array(PropertyPath(names: names).pointer.utf8): counter]) { $0.joined($1) }
      case .dictionary(let members): for (name, value) in members.entries { collect(value, names + [name]) }
      default: break
      }
    }
    for leaf in leaves { if let body = try folder.store.content(of: leaf).body { collect(body, []) } }
    return result
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
