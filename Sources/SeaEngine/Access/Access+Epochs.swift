import SeaCore
import SeaStore
import SeaSystem

// Begins epochs and wraps their keys for all readers. Only an instance that may add or remove readers can begin an
// epoch.

struct SlotList {
  var key: EpochKey
  var slots: [Slot]

  var readers: [UUID] {
    slots.compactMap { slot in
      guard case .instance(let instance) = slot.kind else { return nil }
      return instance
    }
  }
}

extension Access {
  /// The maximum number of readers that a key is wrapped for. The limit keeps the number of key slots small enough for
  /// a clone to search all of them.
  static let mostReaders = 9000

  /// Returns the key ring after checking that this instance may change key slots.
  func ringForWrapping() throws -> KeyRing {
    try author.ensureOnlyWriter()
    try members.requireAdmin()
    guard let ring = try keychain.ring() else { throw KitError.notSealed(place: folder.path) }
    try keychain.chooseKey()
    return ring
  }

  /// Returns the keys of the newest epoch, which a new reader needs. There are several keys if several instances began
  /// the epoch at the same time.
  /// - Throws: `noKey` if this instance does not have these keys and cannot wrap them.
  func keysForWrapping() throws -> [EpochKey] {
    let epochs = try keychain.epochs()
    let keys = try keychain.currentKeys(ringForWrapping(), epochs)
    guard let first = keys.first, first.number >= epochs.newest else {
      throw KitError.noKey(path: folder.path, pending: false)
    }
    return keys
  }

  func slot(for reader: Reader, _ key: EpochKey) throws -> Slot {
    try Slot.instance(
      reader.instance, exchange: reader.exchange, key, database: folder.databaseID, ephemeral: Random.bytes(32))
  }

  /// Begins an epoch with a new key, wrapped for `readers` and, optionally, for a password. All older keys are wrapped
  /// under the new key, so that one key slot is enough to read the complete history.
  ///
  /// The block with the entry is encrypted under the old key, so all previous readers learn about the epoch. A reader
  /// whose exchange key is invalid is skipped; otherwise, such a reader could prevent others from being excluded.
  /// Missing keys of earlier epochs do not prevent an exclusion, either.
  /// - Parameters:
  ///   - ended: the key slots that become invalid.
  func beginEpoch(
    for readers: [Reader], password: [UInt8]?, ended: [Digest], with others: [ControlEntry] = [], label: String
  ) throws -> UInt32 {
    try store.locked {
      let ring = try ringForWrapping()
      let newest = try keychain.epochs().newest
      guard let old = ring.newest, newest < .max else { throw KitError.noKey(path: folder.path, pending: false) }
      let key = try EpochKey.random(max(newest, newest == 0 ? old.number : 0) + 1)
      var list = SlotList(key: key, slots: served(readers).compactMap { try? slot(for: $0, key) })
      list.slots += try keychain.missingPrevious(ring, under: [key], keychain.validSlots())
      if let password { list.slots.append(try passwordSlot(password, key)) }
      try write([list], ended: ended, with: others, label: label, sealed: old)
      ring.add(key)
      try keychain.chooseKey()
      ring.current = key
      try keychain.keep()
      return key.number
    }
  }

  /// Returns the most senior readers, up to the limit. This way, a flood of junior readers can neither slow down a sync
  /// nor keep senior readers from receiving the key.
  private func served(_ readers: [Reader]) -> [Reader] { Array(readers.prefix(Access.mostReaders)) }

  func passwordSlot(_ password: [UInt8], _ key: EpochKey) throws -> Slot {
    try Slot.password(password, key, folder.databaseID, rounds: folder.settings.rounds)
  }

  func changeSlots(
    _ lists: [SlotList], ended: [Digest], with others: [ControlEntry] = [], label: String
  ) throws {
    try store.locked {
      let ring = try ringForWrapping()
      guard let newest = ring.newest else { throw KitError.noKey(path: folder.path, pending: false) }
      let epochs = try keychain.epochs()
      let current = try keychain.currentKeys(ring, epochs)
      var lists = lists
      let previous = try keychain.missingPrevious(ring, under: current, keychain.validSlots(epochs))
      if lists.isEmpty { lists = [SlotList(key: newest, slots: [])] }
      for slot in previous {
        guard let key = current.first(where: { slot.isCommitted(to: $0) }) else { continue }
        if let at = lists.firstIndex(where: { $0.key == key }) {
          lists[at].slots.append(slot)
        } else {
          lists.append(SlotList(key: key, slots: [slot]))
        }
      }
      try write(lists, ended: ended, with: others, label: label, sealed: nil)
    }
  }

  /// Writes one block with at least one control entry for each key that needs key slots. The first entries end the key
  /// slots in `ended`.
  private func write(
    _ lists: [SlotList], ended: [Digest], with others: [ControlEntry], label: String, sealed: EpochKey?
  ) throws {
    var entries = others
    var ended = ended[...]
    let most = EpochChange.mostSlots
    for (k, list) in lists.enumerated() {
      var rest = list.slots[...]
      // An entry must not be empty, so skip keys that have nothing to add or end.
      while !rest.isEmpty || k == 0 && !ended.isEmpty {
        let part = SlotList(key: list.key, slots: Array(rest.prefix(most)))
        entries.append(
          .epoch(
            try EpochChange(
              epoch: part.key.number, key: part.key.digest, slots: part.slots.map(\.digest),
              readers: part.readers, ended: ended.prefix(most))))
        (rest, ended) = (rest.dropFirst(most), ended.dropFirst(most))
      }
    }
    try author.write { transaction in
      for list in lists { for slot in list.slots { try store.control.keep(slot) } }
      try transaction.append(controls: entries, label: label, under: sealed)
    }
  }

  /// If this instance is an admin, wraps all of its keys for all readers.
  ///
  /// In a database without members, readers that were skipped look the same as readers that were excluded. Keys are
  /// then shared when key slots change the next time.
  /// - Returns: whether a key slot was missing.
  func shareKeys() throws -> Bool {
    guard try folder.isSealed(), let ring = try keychain.availableKeyRing(), try !folder.isPending() else {
      return false
    }
    guard let membership = try members.membership(), membership.role(of: folder.instance) == .admin else {
      return false
    }
    var epochs = try keychain.epochs()
    try keychain.chooseKey(epochs)
    let completes = try completeNext(ring, epochs)
    if completes {
      _ = try keychain.updateHiddenBlocks()
      epochs = try keychain.epochs()
      try keychain.chooseKey(epochs)
    }
    let current = try keychain.currentKeys(ring, epochs)
    guard let number = current.first?.number, number == epochs.newest else { return completes }
    let valid = try keychain.validSlots(epochs)
    let readers = try served(members.readers()).filter { $0.instance != membership.creator || number > 1 }
    let lists = current.map { key in SlotList(key: key, slots: missing(readers, key, valid)) }
    let previous = try keychain.missingPrevious(ring, under: current, valid)
    guard !previous.isEmpty || lists.contains(where: { !$0.slots.isEmpty }) else { return completes }
    try changeSlots(lists, ended: [], label: "keys")
    return true
  }

  /// Returns the missing key slots for a key. A reader whose exchange key is invalid is skipped.
  private func missing(_ readers: [Reader], _ key: EpochKey, _ valid: [Slot]) -> [Slot] {
    let have = Set(
      valid.compactMap { slot -> UUID? in
        guard case .instance(let instance) = slot.kind, slot.isCommitted(to: key) else { return nil }
        return instance
      })
    return readers.filter { !have.contains($0.instance) }.compactMap { try? slot(for: $0, key) }
  }

  /// Adds key slots for senior readers to the next epoch if the epoch's author did not know these readers. Without
  /// these key slots, the epoch is not valid.
  /// - Returns: whether such an epoch was found.
  private func completeNext(_ ring: KeyRing, _ epochs: Keychain.Epochs) throws -> Bool {
    let next = ring.allIncludingUnconfirmed.filter { key in
      key.number > 1 && key.number - 1 == epochs.newest && epochs.count.others.contains(key.name)
    }
    guard !next.isEmpty else { return false }
    let readers = try served(members.readers())
    let slots = try store.control.slots()
    let lists = next.map { SlotList(key: $0, slots: missing(readers, $0, slots)) }
    guard lists.contains(where: { !$0.slots.isEmpty }) else { return false }
    try changeSlots(lists.filter { !$0.slots.isEmpty }, ended: [], label: "keys")
    return true
  }
}
