import SeaContainer
import SeaCore
import SeaStore

/// The state of key slots that were written to a container earlier.
struct GivenSlots {
  /// Key slots that were missing from the container or damaged, and were written again.
  var healed: [String] = []
  var awaited: [String] = []
  /// Missing key slots that may have been ended by a control entry that this instance has not read.
  var perhapsEnded: [String] = []
  /// The number of unlisted files, if they keep new readers from finding a valid key slot.
  var crowd = 0
  /// Files that cannot be removed, each with the reason, and whether it occupies the name of a valid key slot.
  var undeletable: [(name: String, reason: String, isInTheWay: Bool)] = []
}

struct SlotExchange {
  let keychain: Keychain
  private var folder: SeaFolder { keychain.folder }
  var store: Store { keychain.store }
  private static let mostOthers = 1000

  /// Imports missing key slots from a container, and opens the keys that they contain for this instance.
  ///
  /// Keys from unlisted key slots are tried too. The entry that lists a key slot may itself be encrypted under the key
  /// in that slot. Authors may also have encrypted blocks under the key of an invalid epoch.
  /// - Parameter isLocked: whether there are blocks that no available key decrypts.
  func importKeySlots(from container: Container, isLocked: Bool) throws -> Bool {
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
    guard let ring = try keychain.availableKeyRing() else { return false }
    let identity = try keychain.identity()
    var grew = try Unlock.keys(for: identity, keychain.validSlots(names), into: ring)
    if isLocked {
      let slots = try store.control.slots() + Unlock.slots(in: container)
      grew = Unlock.keys(for: identity, slots, into: ring, asGuests: true) || grew
    }
    guard grew else { return false }
    try keychain.chooseKey()
    // Until this instance is authorized, nothing confirms who created the keys.
    if try !folder.isPending() { try keychain.keep() }
    return true
  }

  /// Writes valid key slots that are missing from a container, and removes key slots that have been ended.
  ///
  /// Unlisted key slots are kept, because they may be listed in a control entry that this instance does not know. A
  /// missing key slot is not written again if an unknown entry may have ended it; otherwise, two instances would keep
  /// writing and removing it in turn.
  /// - Parameter mayBeEnded: whether the container has blocks that have not been imported yet.
  func exportKeySlots(to container: Container, named place: String, mayBeEnded: () throws -> Bool) throws -> GivenSlots
  {
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
        // If a file's content does not match its name, nothing is lost by removing the file.
        guard try remove(name, from: container, isInTheWay: true, &result) else { continue }
        result.healed.append(name)
      } else if given.contains(slot.digest) {
        // Placeholders matter only if a key slot is missing.
        let names = try promised ?? container.promised(in: .keys)
        promised = names
        if names.contains(name), try !waits.hasPassed(name) {
          result.awaited.append(name)
          continue
        }
        switch try decide(&doubt, mayBeEnded) {
        case .unreadEntries:
          result.perhapsEnded.append(name)
          continue
        case .unimportedBlocks: continue
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
      guard let reason = error.reasonFileIsLocked else { throw error }
      result.undeletable.append((name, reason, isInTheWay))
      return false
    }
    return true
  }

  private enum Doubt {
    /// Some control entries are unreadable for this instance, or only other instances have them.
    case unreadEntries
    /// The container has blocks that have not been imported yet.
    case unimportedBlocks
    case nothing
  }

  private func decide(_ known: inout Doubt?, _ mayBeEnded: () throws -> Bool) throws -> Doubt {
    if let known { return known }
    let doubt: Doubt = try hasUnheard() ? .unreadEntries : mayBeEnded() ? .unimportedBlocks : .nothing
    known = doubt
    return doubt
  }

  private func hasUnheard() throws -> Bool {
    let members = keychain.members
    let hasUnread =
      try members.membership() == nil ? members.mayHaveUnreadEntries() : members.mayAuthorizeInUnreadBlocks()
    return try hasUnread || !store.peers.chainsSeenElsewhere().isEmpty
  }

  struct Missing {
    var isDamaged = false
    /// The number of key slots that are damaged, or that had been written to the container and have disappeared.
    var lost = 0
    var isIncomplete = false
    var crowd = 0
  }

  /// - Parameter mayBeEnded: as in `exportKeySlots`. A missing key slot that may have been ended is not counted.
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
        found.isIncomplete = true
        continue
      }
      let wasGiven = given.contains(slot.digest)
      switch try there == nil && wasGiven ? decide(&doubt, mayBeEnded) : .nothing {
      case .unreadEntries: found.isIncomplete = true
      case .unimportedBlocks: break
      case .nothing:
        found.isDamaged = true
        if there != nil || wasGiven { found.lost += 1 }
      }
    }
    return found
  }

  /// Removes key slots from a container if no control entry lists them and this instance has never stored them. All
  /// entries must have been read before.
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

// Detects floods of key slots. Anyone with write access to a container can add any number of key slots, but a new
// reader tries only a limited number of them. Authorized instances therefore check whether a new reader would reach a
// valid one.

extension SlotExchange {
  /// This many key slots use up the permitted effort even if they are the cheapest, so no more have to be read.
  static let mostForeign = Slot.mostRoundsTogether / Slot.roundBounds.lowerBound

  /// Returns the number of unlisted files among the key slots, if they keep a new reader from reaching a valid one.
  /// - Parameter names: the sorted names of the files in the folder.
  /// - Returns: 0 if a new reader reaches every valid key slot.
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

  /// Returns the names of key slots that a current or former member has listed or that this instance has ever stored.
  func listed(_ epochs: Keychain.Epochs) throws -> Set<String> {
    try Set(epochs.valid.union(epochs.others).union(store.control.slots().map(\.digest)).map(\.description))
  }
}

/// The cost of trying a password on a key slot. Cheaper key slots are tried first.
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
