import SeaCore
import SeaStore
import SeaSystem

/// Somebody whom keys can be wrapped for.
package struct Reader: Sendable, Equatable {
  package var instance: UUID
  package var name: String
  /// X25519.
  package var exchange: [UInt8]
}

extension Database {
  /// The ring, for who is about to change slots: with the key of the newest epoch, or nothing can be wrapped for others.
  func ringForWrapping() throws -> KeyRing {
    try beSole()
    try requireAdmin()
    guard let ring = try keyRing() else { throw KitError.notSealed(place: path) }
    let epochs = try epochs()
    try chooseKey(epochs)
    guard let mine = ring.newest, mine.number >= epochs.newest else { throw KitError.noKey(path: path, pending: false) }
    return ring
  }

  /// What a newcomer needs: the keys of the newest epoch. They are several if it was begun by several at once.
  func keysForWrapping() throws -> [EpochKey] {
    let keys = try currentKeys(ringForWrapping(), epochs())
    guard !keys.isEmpty else { throw KitError.noKey(path: path, pending: false) }
    return keys
  }

  /// A slot that wraps the key of the newest epoch for an instance.
  func slot(for reader: Reader, _ key: EpochKey) throws -> Slot {
    try Slot.instance(
      reader.instance, exchange: reader.exchange, key, database: databaseID, ephemeral: Random.bytes(32))
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
    try store.takeLock()
    defer { store.unlock() }
    let ring = try ringForWrapping()
    guard let old = ring.newest, let last = ring.all.last?.number, last < .max else { throw KitError.chainExhausted }
    let key = try Database.newEpochKey(last + 1)
    var slots = try readers.map { try slot(for: $0, key) }
    slots += try missingPrevious(ring, under: [key], validSlots())
    if let password { slots.append(try passwordSlot(password, key)) }
    let change = try EpochChange(epoch: key.number, slots: slots.map(\.digest), ended: ended)
    try writing {
      for slot in slots { try store.control.keep(slot) }
      try write(controls: others + [.epoch(change)], label: label, epoch: old.number)
    }
    ring.add(key)
    ring.current = key
    try keepKeys()
    return key.number
  }

  func passwordSlot(_ password: [UInt8], _ key: EpochKey) throws -> Slot {
    try Database.passwordSlot(password, key, databaseID, settings)
  }

  static func passwordSlot(
    _ password: [UInt8], _ key: EpochKey, _ database: UUID, _ settings: Settings
  ) throws -> Slot {
    var normalised = try Password.normalised(password)
    defer { Secret.wipe(&normalised) }
    return try Slot.password(
      normalised, key, database: database, rounds: settings.rounds, salt: Random.bytes(16), iv: Random.bytes(12))
  }

  /// Adds slots to the newest epoch and ends others, in one block.
  func changeSlots(
    _ slots: [Slot], ended: [Digest], with others: [ControlEntry] = [], label: String
  ) throws {
    let ring = try ringForWrapping()
    guard let newest = ring.newest else { throw KitError.noKey(path: path, pending: false) }
    var slots = slots
    if !slots.contains(where: \.isPrevious) {
      let epochs = try epochs()
      slots += try missingPrevious(ring, under: currentKeys(ring, epochs), validSlots(epochs))
    }
    let change = try EpochChange(epoch: newest.number, slots: slots.map(\.digest), ended: ended)
    try writing {
      for slot in slots { try store.control.keep(slot) }
      try write(controls: others + [.epoch(change)], label: label)
    }
    store.unlock()
  }
}
