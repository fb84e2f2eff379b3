internal import SeaSystem

/// What was counted at once. Whoever has a copy of the counter has the same one, and so it is counted once, however often it is saved.
///
/// The number changes only while one counter alone has it (`@unchecked`).
final class Addition: @unchecked Sendable {
  fileprivate var delta: Int128
  private let saving = Guarded<Saving?>(nil)

  fileprivate init(_ delta: Int128) { self.delta = delta }

  fileprivate var state: Saving.State { saving.with { $0?.state ?? .undone } }

  /// It was written in a transaction.
  func save(in transaction: Saving) { saving.with { $0 = transaction } }
}

/// What becomes of a transaction that saves what was counted.
final class Saving: Sendable {
  enum State { case open, done, undone }

  private let current = Guarded(State.open)
  var state: State { current.with { $0 } }

  func end(as state: State) { current.with { $0 = state } }
}

/// What was counted since a counter was read.
struct Additions: Sendable {
  private var all: [Addition] = []

  mutating func add(_ delta: Int128) {
    if !all.isEmpty { all.removeAll { $0.state == .done } }
    if let last = all.indices.last, isKnownUniquelyReferenced(&all[last]), all[last].state == .undone {
      let (sum, overflow) = all[last].delta.addingReportingOverflow(delta)
      if !overflow {
        all[last].delta = sum
        return
      }
    }
    all.append(Addition(delta))
  }

  /// Those that no transaction has written, and what they come to; nil if that is too far.
  var pending: (all: [Addition], sum: Int128?) {
    if all.isEmpty { return ([], 0) }
    let pending = all.filter { $0.state == .undone }
    // What goes up and what goes down in turns does not leave the range on the way.
    var (up, down) = (pending.map(\.delta).filter { $0 > 0 }[...], pending.map(\.delta).filter { $0 < 0 }[...])
    var sum: Int128 = 0
    while let next = sum > 0 ? down.popFirst() ?? up.popFirst() : up.popFirst() ?? down.popFirst() {
      let (value, overflow) = sum.addingReportingOverflow(next)
      if overflow { return (pending, nil) }
      sum = value
    }
    return (pending, sum)
  }
}
