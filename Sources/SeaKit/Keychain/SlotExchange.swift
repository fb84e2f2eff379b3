import SeaContainer
import SeaCore
import SeaStore

/// The slots of this database and those in containers.
struct SlotExchange {
  let keychain: Keychain
  private var folder: SeaFolder { keychain.folder }
  private var store: Store { keychain.store }
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
  /// - Returns: the names of those that it was given before and had lost, or that were damaged there, and of those that a placeholder
  ///   stands for.
  func give(to container: Container, named place: String) throws -> (healed: [String], awaited: [String]) {
    guard try folder.isSealed() else { return ([], []) }
    let names = try keychain.epochs()
    let there = try Set(container.names(in: .keys))
    var promised: PromisedNames?
    let given = try given(place)
    var (healed, awaited): ([String], [String]) = ([], [])
    var waits = try Waits(folder, for: place, .slot)
    var now: Set<Digest> = []
    for slot in try store.control.slots() where !names.ended.contains(slot.digest) {
      let name = slot.digest.description
      now.insert(slot.digest)
      if there.contains(name) {
        if try container.bounded(name, in: .keys) == slot.bytes { continue }
        // What is not what its name says is nothing that somebody could miss.
        try container.remove(name, in: .keys)
        healed.append(name)
      } else if given.contains(slot.digest) {
        // Looking for placeholders is for what is missing alone.
        let names = try promised ?? container.promised(in: .keys)
        promised = names
        if names.contains(name), try !waits.hasPassed(name) {
          awaited.append(name)
          continue
        }
        healed.append(name)
      }
      try container.write(name, slot.bytes, in: .keys)
    }
    for ended in names.ended where there.contains(ended.description) {
      try container.remove(ended.description, in: .keys)
    }
    if now != given {
      let bytes = now.sorted().flatMap(\.bytes)
      try store.write { try store.setMeta("slots:" + place, .blob(bytes)) }
    }
    try waits.finish()
    return (healed, awaited)
  }

  /// The slots that a container was given.
  private func given(_ place: String) throws -> Set<Digest> {
    var reader = try ByteReader(store.metaBlob("slots:" + place) ?? [])
    var digests: Set<Digest> = []
    while let digest = reader.digest() { digests.insert(digest) }
    return digests
  }

  /// What a container lacks of valid slots.
  struct Missing {
    /// Whether one is not there, or not whole.
    var isDamaged = false
    /// How many of them were given to it before, or are there and damaged.
    var lost = 0
    /// Whether a placeholder stands for one.
    var isArriving = false
  }

  func missing(from container: Container, named place: String) throws -> Missing {
    var found = Missing()
    guard try folder.isSealed() else { return found }
    let ended = try keychain.epochs().ended
    let given = try given(place)
    var promised: PromisedNames?
    for slot in try store.control.slots() where !ended.contains(slot.digest) {
      let name = slot.digest.description
      let there = try? container.bounded(name, in: .keys)
      if there == slot.bytes { continue }
      let names = try promised ?? container.promised(in: .keys)
      promised = names
      if names.contains(name) {
        found.isArriving = true
      } else {
        found.isDamaged = true
        if there != nil || given.contains(slot.digest) { found.lost += 1 }
      }
    }
    return found
  }

  /// Takes the slots out of a container that no entry lists and that were never kept here: for when all entries are known.
  /// - Returns: how many.
  func dropUnlisted(of container: Container, dryRun: Bool) throws -> Int {
    guard try folder.isSealed() else { return 0 }
    let epochs = try keychain.epochs()
    let listed = try epochs.valid.union(epochs.others).union(store.control.slots().map(\.digest))
    let names = Set(listed.map(\.description))
    let unlisted = try container.names(in: .keys).filter { !names.contains($0) }
    if !dryRun { for name in unlisted { try container.remove(name, in: .keys) } }
    return unlisted.count
  }
}

extension Keychain {
  var slots: SlotExchange { SlotExchange(keychain: self) }
}
