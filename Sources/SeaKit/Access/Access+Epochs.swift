import SeaCore
import SeaStore
import SeaSystem

// Who has which key. The key of an epoch is wrapped for all who may read; only who may decide about them begins one.

extension Access {
  /// The ring, for who is about to change slots: with the key of the newest epoch, or nothing can be wrapped for others.
  func ringForWrapping() throws -> KeyRing {
    try author.ensureSole()
    try members.requireAdmin()
    guard let ring = try keychain.ring() else { throw KitError.notSealed(place: folder.path) }
    let epochs = try keychain.epochs()
    try keychain.chooseKey(epochs)
    guard let mine = ring.newest, mine.number >= epochs.newest else {
      throw KitError.noKey(path: folder.path, pending: false)
    }
    return ring
  }

  /// What a newcomer needs: the keys of the newest epoch. They are several if it was begun by several at once.
  func keysForWrapping() throws -> [EpochKey] {
    let keys = try keychain.currentKeys(ringForWrapping(), keychain.epochs())
    guard !keys.isEmpty else { throw KitError.noKey(path: folder.path, pending: false) }
    return keys
  }

  /// A slot that wraps the key of the newest epoch for an instance.
  func slot(for reader: Reader, _ key: EpochKey) throws -> Slot {
    try Slot.instance(
      reader.instance, exchange: reader.exchange, key, database: folder.databaseID, ephemeral: Random.bytes(32))
  }

  /// Begins an epoch: a new key, wrapped for `readers` and, if given, for a password. Each key of the epoch before is
  /// wrapped under the new one, so that one wrap is enough to read all history.
  ///
  /// The block that says so is sealed under the old key: everybody who could read so far learns of it.
  /// - Parameters:
  ///   - ended: slots that are valid no more.
  ///   - others: entries that go into the same block.
  /// - Returns: the number of the epoch.
  func beginEpoch(
    for readers: [Reader], password: [UInt8]?, ended: [Digest], with others: [ControlEntry] = [], label: String
  ) throws -> UInt32 {
    try store.locked {
      let ring = try ringForWrapping()
      guard let old = ring.newest, let last = ring.all.last?.number, last < .max else { throw KitError.chainExhausted }
      let key = try EpochKey.random(last + 1)
      var slots = try readers.map { try slot(for: $0, key) }
      slots += try keychain.missingPrevious(ring, under: [key], keychain.validSlots())
      if let password { slots.append(try passwordSlot(password, key)) }
      let change = try EpochChange(epoch: key.number, slots: slots.map(\.digest), ended: ended)
      try author.write {
        for slot in slots { try store.control.keep(slot) }
        try author.append(controls: others + [.epoch(change)], label: label, epoch: old.number)
      }
      ring.add(key)
      ring.current = key
      try keychain.keep()
      return key.number
    }
  }

  func passwordSlot(_ password: [UInt8], _ key: EpochKey) throws -> Slot {
    try Slot.password(password, key, folder.databaseID, rounds: folder.settings.rounds)
  }

  /// Adds slots to the newest epoch and ends others, in one block.
  func changeSlots(
    _ slots: [Slot], ended: [Digest], with others: [ControlEntry] = [], label: String
  ) throws {
    try store.locked {
      let ring = try ringForWrapping()
      guard let newest = ring.newest else { throw KitError.noKey(path: folder.path, pending: false) }
      var slots = slots
      if !slots.contains(where: \.isPrevious) {
        let epochs = try keychain.epochs()
        let current = try keychain.currentKeys(ring, epochs)
        slots += try keychain.missingPrevious(ring, under: current, keychain.validSlots(epochs))
      }
      let change = try EpochChange(epoch: newest.number, slots: slots.map(\.digest), ended: ended)
      try author.write {
        for slot in slots { try store.control.keep(slot) }
        try author.append(controls: others + [.epoch(change)], label: label)
      }
    }
  }

  /// Lets all who may read have all keys that we have, where that is an admin's to decide.
  ///
  /// Where there are no members nobody can tell who was left out from who was shut out: there it waits until somebody
  /// changes slots.
  func shareKeys() throws {
    guard try folder.isSealed(), let ring = try keychain.ringAtHand(), try !folder.isPending() else { return }
    let epochs = try keychain.epochs()
    try keychain.chooseKey(epochs)
    guard let membership = try members.membership(), membership.role(of: folder.instance) == .admin else { return }
    let current = try keychain.currentKeys(ring, epochs)
    guard let number = current.first?.number, number == epochs.newest else { return }
    let valid = try keychain.validSlots(epochs)
    // Under a key that was begun by who had no right to blocks of others may be sealed.
    let isStray = ring.all.contains { $0.number >= number && !current.contains($0) }
    if isStray, ring.all.last?.number != .max {
      _ = try beginEpoch(for: members.readers(), password: nil, ended: [], label: "keys")
      return
    }
    var slots = try keychain.missingPrevious(ring, under: current, valid)
    for reader in try members.readers() where reader.instance != membership.founder || number > 1 {
      for key in current {
        let isThere = valid.contains { $0.isFor(reader.instance) && $0.isCommitted(to: key) }
        if !isThere { slots.append(try slot(for: reader, key)) }
      }
    }
    guard !slots.isEmpty else { return }
    try changeSlots(slots, ended: [], label: "keys")
  }
}
