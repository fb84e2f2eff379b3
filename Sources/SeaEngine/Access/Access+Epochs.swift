import SeaCore
import SeaStore
import SeaSystem

// Who has which key. The key of an epoch is wrapped for all who may read; only who may decide about them begins one.

/// Slots for one key, which one entry lists.
struct SlotList {
  var key: EpochKey
  var slots: [Slot]

  /// The instances that they are for.
  var readers: [UUID] {
    slots.compactMap { slot in
      guard case .instance(let instance) = slot.kind else { return nil }
      return instance
    }
  }
}

extension Access {
  /// A key is wrapped for so many at most. With slots of other kinds they are no more than are looked at in a container.
  static let mostReaders = 9000

  /// The ring, for who is about to change slots.
  func ringForWrapping() throws -> KeyRing {
    try author.ensureSole()
    try members.requireAdmin()
    guard let ring = try keychain.ring() else { throw KitError.notSealed(place: folder.path) }
    try keychain.chooseKey()
    return ring
  }

  /// What a newcomer needs: the keys of the newest epoch. They are several if it was begun by several at once.
  /// - Throws: `noKey` if we have none of them: nothing can be wrapped for others.
  func keysForWrapping() throws -> [EpochKey] {
    let epochs = try keychain.epochs()
    let keys = try keychain.currentKeys(ringForWrapping(), epochs)
    guard let first = keys.first, first.number >= epochs.newest else {
      throw KitError.noKey(path: folder.path, pending: false)
    }
    return keys
  }

  /// A slot that wraps a key for an instance.
  func slot(for reader: Reader, _ key: EpochKey) throws -> Slot {
    try Slot.instance(
      reader.instance, exchange: reader.exchange, key, database: folder.databaseID, ephemeral: Random.bytes(32))
  }

  /// Begins an epoch: a new key, wrapped for `readers` and, if given, for a password. All other keys are wrapped under
  /// the new one, so that one wrap is enough to read all history.
  ///
  /// The block that says so is sealed under the old key: everybody who could read so far learns of it. Who cannot be
  /// wrapped for is left out: nobody keeps others from being shut out. Nor does who began an epoch and did not let us
  /// have its key.
  /// - Parameters:
  ///   - ended: slots that are valid no more.
  ///   - others: entries that go into the same block.
  /// - Returns: the number of the epoch.
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

  /// Those of some readers whom a key is wrapped for, the first in rank: so many junior ones as nobody has let in for good
  /// keep nobody's sync busy, and no senior from its key.
  private func served(_ readers: [Reader]) -> [Reader] { Array(readers.prefix(Access.mostReaders)) }

  func passwordSlot(_ password: [UInt8], _ key: EpochKey) throws -> Slot {
    try Slot.password(password, key, folder.databaseID, rounds: folder.settings.rounds)
  }

  /// Adds slots to the newest epoch and ends others, in one block.
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

  /// One block with an entry for each key that has slots, and more where one cannot name all; the first of them end those
  /// that are to end.
  private func write(
    _ lists: [SlotList], ended: [Digest], with others: [ControlEntry], label: String, sealed: EpochKey?
  ) throws {
    var entries = others
    var ended = ended[...]
    let most = EpochChange.mostSlots
    for (k, list) in lists.enumerated() {
      var rest = list.slots[...]
      // An entry says something: a key that nobody lacks has none.
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

  /// Lets all who may read have all keys that we have, where that is an admin's to decide.
  ///
  /// Where there are no members nobody can tell who was left out from who was shut out: there it waits until somebody
  /// changes slots.
  /// - Returns: whether anything was lacking.
  func shareKeys() throws -> Bool {
    guard try folder.isSealed(), let ring = try keychain.ringAtHand(), try !folder.isPending() else { return false }
    guard let membership = try members.membership(), membership.role(of: folder.instance) == .admin else {
      return false
    }
    var epochs = try keychain.epochs()
    try keychain.chooseKey(epochs)
    let completes = try completeNext(ring, epochs)
    if completes {
      _ = try keychain.vouchForBlocks()
      epochs = try keychain.epochs()
      try keychain.chooseKey(epochs)
    }
    let current = try keychain.currentKeys(ring, epochs)
    guard let number = current.first?.number, number == epochs.newest else { return completes }
    let valid = try keychain.validSlots(epochs)
    let readers = try served(members.readers()).filter { $0.instance != membership.founder || number > 1 }
    let lists = current.map { key in SlotList(key: key, slots: missing(readers, key, valid)) }
    let previous = try keychain.missingPrevious(ring, under: current, valid)
    guard !previous.isEmpty || lists.contains(where: { !$0.slots.isEmpty }) else { return completes }
    try changeSlots(lists, ended: [], label: "keys")
    return true
  }

  /// The slots for a key that are not there, as far as they can be made.
  private func missing(_ readers: [Reader], _ key: EpochKey, _ valid: [Slot]) -> [Slot] {
    let have = Set(
      valid.compactMap { slot -> UUID? in
        guard case .instance(let instance) = slot.kind, slot.isCommitted(to: key) else { return nil }
        return instance
      })
    return readers.filter { !have.contains($0.instance) }.compactMap { try? slot(for: $0, key) }
  }

  /// The next epoch was begun by who did not know of a senior, and does not count for that: the senior gets its slot.
  /// - Returns: whether there was such a thing.
  private func completeNext(_ ring: KeyRing, _ epochs: Keychain.Epochs) throws -> Bool {
    let next = ring.everything.filter { key in
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
