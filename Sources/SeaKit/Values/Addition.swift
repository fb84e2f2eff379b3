internal import SeaSystem

/// An increment of a counter. Copies of the counter share the increment, so it is counted only once, even if several
/// copies are saved. `delta` changes only while just one counter refers to the increment (`@unchecked`).
final class Addition: @unchecked Sendable {
  fileprivate var delta: Int128
  private let saving = Guarded<Saving?>(nil)

  fileprivate init(_ delta: Int128) { self.delta = delta }

  fileprivate var state: Saving.State { saving.with { $0?.state ?? .undone } }

  func save(in transaction: Saving) { saving.with { $0 = transaction } }
}

/// The outcome of a transaction that saves increments.
final class Saving: Sendable {
  enum State { case open, done, undone }

  private let current = Guarded(State.open)
  var state: State { current.with { $0 } }

  func end(as state: State) { current.with { $0 = state } }
}

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

  /// The increments that no transaction has written yet, and their sum, which is nil if it overflows.
  var pending: (all: [Addition], sum: Int128?) {
    if all.isEmpty { return ([], 0) }
    let pending = all.filter { $0.state == .undone }
    // Alternating between positive and negative increments avoids intermediate overflows.
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
