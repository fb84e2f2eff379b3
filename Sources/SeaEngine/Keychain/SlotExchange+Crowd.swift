import SeaContainer
import SeaCore
import SeaStore

// Whoever can write into a container can put slots there without end, and a newcomer, who knows none of them from any other, tries so
// many. Who is in knows which are valid, and sees whether they are among those that a newcomer comes to.

extension SlotExchange {
  /// So many slots of the fewest rounds cost all that may be done: more are not read to say that they are too many.
  static let mostForeign = Slot.mostRoundsTogether / Slot.roundBounds.lowerBound

  /// How many files in the place of slots are in nobody's list, where they keep a newcomer from a slot that is valid and there.
  /// - Parameter names: what lies there, in order.
  /// - Returns: 0 if every slot is come to.
  func crowd(in container: Container, _ names: [String], _ epochs: Keychain.Epochs) throws -> Int {
    let listed = try self.listed(epochs)
    let foreign = names.lazy.filter { !listed.contains($0) }
    let count = foreign.count
    guard count > 0 else { return 0 }
    let there = Set(names)
    let valid = try keychain.validSlots(epochs).filter { there.contains($0.digest.description) }
    guard !valid.isEmpty else { return 0 }
    if count > SlotExchange.mostForeign { return count }
    let first = Set(names.prefix(Unlock.mostSlots))
    guard valid.allSatisfy({ first.contains($0.digest.description) }) else { return count }
    let costs = valid.compactMap { SlotCost($0, of: keychain.database) }
    guard let last = costs.max() else { return 0 }
    var sum = costs.reduce(0) { $0 + $1.rounds }
    if sum + count * Slot.roundBounds.upperBound <= Slot.mostRoundsTogether { return 0 }
    for name in foreign where first.contains(name) {
      guard let bytes = try? container.bounded(name, in: .keys), let slot = try? Slot(bytes),
        slot.digest.description == name, let cost = SlotCost(slot, of: keychain.database), cost < last
      else { continue }
      sum += cost.rounds
      if sum > Slot.mostRoundsTogether { return count }
    }
    return 0
  }

  /// The names of slots that are in an entry of somebody who is or was a member, or were once kept here.
  func listed(_ epochs: Keychain.Epochs) throws -> Set<String> {
    try Set(epochs.valid.union(epochs.others).union(store.control.slots().map(\.digest)).map(\.description))
  }
}

/// What it costs to try a slot of a password, in the order in which they are tried.
struct SlotCost: Comparable {
  let rounds: Int
  let digest: Digest

  init?(_ slot: Slot, of database: UUID) {
    guard slot.database == database, case .password(_, let rounds) = slot.kind else { return nil }
    (self.rounds, digest) = (rounds, slot.digest)
  }

  static func < (one: SlotCost, other: SlotCost) -> Bool {
    (one.rounds, one.digest) < (other.rounds, other.digest)
  }
}
