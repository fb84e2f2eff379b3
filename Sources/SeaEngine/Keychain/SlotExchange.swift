import SeaContainer
import SeaCore
import SeaStore

/// What became of slots that a container was given before, by their names.
struct GivenSlots {
  /// It had lost them, or they were damaged there.
  var healed: [String] = []
  /// A placeholder stands for them.
  var awaited: [String] = []
  /// They are gone there, and something that is not known here may have ended them.
  var perhapsEnded: [String] = []
  /// How many others lie there that keep newcomers from them.
  var crowd = 0
  /// Files that are to go and cannot be taken away, why, and whether a slot that is valid should stand there.
  var heldFast: [(name: String, reason: String, isInTheWay: Bool)] = []
}

/// The slots of this database and those in containers.
struct SlotExchange {
  let keychain: Keychain
  private var folder: SeaFolder { keychain.folder }
  var store: Store { keychain.store }
  /// How many slots that are not valid are kept.
  private static let mostOthers = 1000

  /// Takes the slots that are not here from a container, and the keys that they hold for us.
  ///
  /// Blocks may be sealed under the key of an epoch that does not count, by who could not know that, and the entry that
  /// lists the slot for us may be sealed under the key that is in it: so keys are tried too that no entry lists.
  /// - Parameter isLocked: whether there are blocks that no key opens.
  /// - Returns: whether there are new keys.
  func take(from container: Container, isLocked: Bool) throws -> Bool {
    guard try folder.isSealed() else { return false }
    let here = try Set(store.control.slots().map(\.digest))
    let names = try keychain.epochs()
    let others = names.others.subtracting(here).sorted().prefix(max(0, SlotExchange.mostOthers - here.count))
    let missing = names.valid.subtracting(here).sorted() + others
    if !missing.isEmpty {
      let there = try Set(container.names(in: .keys))
      var found: [Slot] = []
      for name in missing where there.contains(name.description) {
        guard let bytes = try container.bounded(name.description, in: .keys), let slot = try? Slot(bytes),
          slot.digest == name, slot.belongs(to: keychain.database)
        else { continue }
        found.append(slot)
      }
      if !found.isEmpty { try store.write { for slot in found { try store.control.keep(slot) } } }
    }
    guard let ring = try keychain.ringAtHand() else { return false }
    let identity = try keychain.identity()
    var grew = try Unlock.keys(for: identity, keychain.validSlots(names), into: ring)
    if isLocked {
      let slots = try store.control.slots() + Unlock.slots(in: container)
      grew = Unlock.keys(for: identity, slots, into: ring, asGuests: true) || grew
    }
    guard grew else { return false }
    try keychain.chooseKey()
    // Until we are in, nothing says who has wrapped them.
    if try !folder.isPending() { try keychain.keep() }
    return true
  }

  /// Lets the container have the valid slots, whole, and takes away those that were ended.
  ///
  /// A slot that merely is on no list stays: the list may be what is damaged here, and without its slot nobody gets in.
  /// Nor is one written again that was there and is gone, as long as it may have been ended by what is not known here: else the two would
  /// write and take away by turns.
  /// - Parameter mayBeEnded: whether the container has blocks that nobody has tried to take in.
  func give(to container: Container, named place: String, mayBeEnded: () throws -> Bool) throws -> GivenSlots {
    var result = GivenSlots()
    guard try folder.isSealed() else { return result }
    let names = try keychain.epochs()
    let there = try Set(container.names(in: .keys))
    var promised: PromisedNames?
    let given = try folder.state(of: place).slots
    var doubt: Doubt?
    var waits = try Waits(folder, for: place, .slot)
    var now: Set<Digest> = []
    for slot in try store.control.slots() where !names.ended.contains(slot.digest) {
      let name = slot.digest.description
      now.insert(slot.digest)
      if there.contains(name) {
        if try container.bounded(name, in: .keys) == slot.bytes { continue }
        // What is not what its name says is nothing that somebody could miss.
        guard try remove(name, from: container, isInTheWay: true, &result) else { continue }
        result.healed.append(name)
      } else if given.contains(slot.digest) {
        // Looking for placeholders is for what is missing alone.
        let names = try promised ?? container.promised(in: .keys)
        promised = names
        if names.contains(name), try !waits.hasPassed(name) {
          result.awaited.append(name)
          continue
        }
        switch try decide(&doubt, mayBeEnded) {
        case .unheard:
          result.perhapsEnded.append(name)
          continue
        case .untaken: continue
        case .nothing: result.healed.append(name)
        }
      }
      try container.write(name, slot.bytes, in: .keys)
    }
    for ended in names.ended where there.contains(ended.description) {
      _ = try remove(ended.description, from: container, isInTheWay: false, &result)
    }
    try folder.remember(of: place) { $0.slots = now }
    try waits.finish()
    let after = there.subtracting(names.ended.map(\.description)).union(now.map(\.description))
    result.crowd = try crowd(in: container, after.sorted(), names)
    return result
  }

  private func remove(
    _ name: String, from container: Container, isInTheWay: Bool, _ result: inout GivenSlots
  ) throws -> Bool {
    do throws(ContainerError) { try container.remove(name, in: .keys) } catch {
      guard let reason = error.whyHeldFast else { throw error }
      result.heldFast.append((name, reason, isInTheWay))
      return false
    }
    return true
  }

  /// Why a slot that was there and is gone may have been ended.
  private enum Doubt {
    /// By entries that cannot be read here, or that others have and this instance has not.
    case unheard
    /// By what the container has and nobody has tried to take in.
    case untaken
    case nothing
  }

  /// It is the same for all slots of a container, and looked for when the first of them is gone.
  private func decide(_ known: inout Doubt?, _ mayBeEnded: () throws -> Bool) throws -> Doubt {
    if let known { return known }
    let doubt: Doubt = try hasUnheard() ? .unheard : mayBeEnded() ? .untaken : .nothing
    known = doubt
    return doubt
  }

  /// Whether there are entries that cannot be read here, or that others have and this instance has not.
  private func hasUnheard() throws -> Bool {
    let members = keychain.members
    let hasUnread = try members.membership() == nil ? members.mayHaveUnreadEntries() : members.mayLetInUnread()
    return try hasUnread || !store.peers.withheld().isEmpty
  }

  /// What a container lacks of valid slots.
  struct Missing {
    /// Whether one is not there, or not whole.
    var isDamaged = false
    /// How many of them were given to it before, or are there and damaged.
    var lost = 0
    /// Whether a placeholder stands for one.
    var isArriving = false
    /// How many others lie there that keep newcomers from them.
    var crowd = 0
  }

  /// - Parameter mayBeEnded: as above: what is gone then is not known to be missing.
  func missing(from container: Container, named place: String, mayBeEnded: () throws -> Bool) throws -> Missing {
    var found = Missing()
    guard try folder.isSealed() else { return found }
    let epochs = try keychain.epochs()
    let ended = epochs.ended
    found.crowd = try crowd(in: container, container.names(in: .keys), epochs)
    let given = try folder.state(of: place).slots
    var promised: PromisedNames?
    var doubt: Doubt?
    for slot in try store.control.slots() where !ended.contains(slot.digest) {
      let name = slot.digest.description
      let there = try? container.bounded(name, in: .keys)
      if there == slot.bytes { continue }
      let names = try promised ?? container.promised(in: .keys)
      promised = names
      if names.contains(name) {
        found.isArriving = true
        continue
      }
      let wasGiven = given.contains(slot.digest)
      switch try there == nil && wasGiven ? decide(&doubt, mayBeEnded) : .nothing {
      case .unheard: found.isArriving = true
      case .untaken: break
      case .nothing:
        found.isDamaged = true
        if there != nil || wasGiven { found.lost += 1 }
      }
    }
    return found
  }

  /// Takes the slots out of a container that no entry lists and that were never kept here: for when all entries are known.
  /// - Returns: how many.
  func dropUnlisted(of container: Container, dryRun: Bool) throws -> Int {
    guard try folder.isSealed() else { return 0 }
    let names = try listed(keychain.epochs())
    let unlisted = try container.names(in: .keys).filter { !names.contains($0) }
    if !dryRun { for name in unlisted { try container.remove(name, in: .keys) } }
    return unlisted.count
  }
}

extension Keychain {
  var slots: SlotExchange { SlotExchange(keychain: self) }
}

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
