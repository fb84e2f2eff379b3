import SeaCore
import SeaStore

/// What entries that come one after another have made of each record.
struct MadeTargets {
  /// The entry that made it first; and the only change of a record that was new then, or its place in `targets`.
  private var made: [(entry: Int32, change: Int32, target: Int32)] = []
  private var targets: [WriteTarget] = []
  private var places = IDTable()
  /// Whether there are no records in the store, once that was looked up.
  fileprivate var isFirst: Bool?

  fileprivate func place(of id: UnsafeBufferPointer<UInt8>, _ batch: WriteBatch) -> Int? {
    places.find(id) { UnsafeBufferPointer(rebasing: batch.arena.bytes[batch.entries[Int(made[$0].entry)].id]) }
  }

  fileprivate func target(_ place: Int, _ batch: WriteBatch, _ changes: [Change]) -> WriteTarget {
    let one = made[place]
    guard one.target < 0 else { return targets[Int(one.target)] }
    var target = WriteTarget()
    target.follow(nil, with: changes[Int(one.change)], batch.entries[Int(one.entry)].type, wins: true)
    return target
  }

  /// - Parameters:
  ///   - place: where it was noted before; nil if it was not.
  ///   - change: of a record that is new by this change alone, its number.
  fileprivate mutating func note(
    _ target: WriteTarget, at place: Int?, _ id: UnsafeBufferPointer<UInt8>, entry: Int, change: Int?
  ) {
    if let place, made[place].target >= 0 {
      targets[Int(made[place].target)] = target
      return
    }
    var one = (entry: Int32(entry), change: Int32(change ?? 0), target: Int32(-1))
    if change == nil {
      one.target = Int32(targets.count)
      targets.append(target)
    }
    if let place {
      one.entry = made[place].entry
      made[place] = one
    } else {
      places.add(id, made.count)
      made.append(one)
    }
  }
}

extension WritePlan {
  /// Works off the entry that the batch was given last, upon what was made of its record before.
  mutating func makeLast() throws -> WriteResult {
    let entry = batch.entries[batch.count - 1]
    let id = UnsafeBufferPointer(rebasing: batch.arena.bytes[entry.id])
    let known = made.place(of: id, batch)
    var target = try known.map { made.target($0, batch, builder.changes) } ?? newTarget(id)
    let before = builder.changes.count
    let result = try work(entry, id, &target)
    let isNew = known == nil && target.row == nil && target.made != nil && builder.changes.count == before + 1
    made.note(target, at: known, id, entry: batch.count - 1, change: isNew ? before : nil)
    return result
  }

  private mutating func newTarget(_ id: UnsafeBufferPointer<UInt8>) throws -> WriteTarget {
    let isFirst = try made.isFirst ?? store.records.isEmpty()
    made.isFirst = isFirst
    return try isFirst ? WriteTarget() : target(id)
  }

  /// What was made of a record one entry after another.
  func made(
    _ id: [UInt8]
  ) -> (revision: RevisionID, isLive: Bool, type: String?, body: [UInt8]?, conflicts: [RevisionID])? {
    guard let place = id.withUnsafeBufferPointer({ [made, batch] in made.place(of: $0, batch) }) else { return nil }
    let target = made.target(place, batch, builder.changes)
    guard let change = target.made else { return nil }
    return (
      change.revision, target.isLive, target.madeType, change.body.map { Array(builder.bytes[$0]) }, target.conflicts
    )
  }
}
