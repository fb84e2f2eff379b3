import SeaCore
import SeaStore
import SeaSystem

// Which key seals. Two instances may begin the same epoch at the same time, an epoch may begin while somebody is let in
// elsewhere, and who began one may turn out to have been no admin any more. The keys of all of these have sealed blocks
// that count.

extension Keychain {
  /// Settles which key seals from now on.
  func chooseKey() throws { try chooseKey(epochs()) }

  func chooseKey(_ epochs: Epochs) throws {
    guard let ring = held else { return }
    ring.current = nil
    ring.current = try currentKeys(ring, epochs).first
  }

  /// The keys of the newest epoch of which we have one that counts, the one that seals first.
  func currentKeys(_ ring: KeyRing, _ epochs: Epochs) throws -> [EpochKey] {
    guard epochs.newest > 0 else { return ring.newest.map { [$0] } ?? [] }
    let here = try Dictionary(ring.all.map { (try name(of: $0), $0) }) { first, _ in first }
    guard let newest = epochs.count.keys.first(where: { here[$0] != nil })?.number else { return [] }
    return epochs.count.keys.filter { $0.number == newest }.compactMap { here[$0] }
  }

  /// What entries call a key.
  func name(of key: EpochKey) throws -> EpochCount.Key {
    EpochCount.Key(number: key.number, digest: try key.digest(in: database))
  }

  /// The slots that are missing so that whoever has one of the current keys reads all that was written under older ones.
  func missingPrevious(_ ring: KeyRing, under current: [EpochKey], _ valid: [Slot]) throws -> [Slot] {
    var slots: [Slot] = []
    for new in current {
      let reached = KeyRing(database: database, keys: [new])
      Unlock.follow(valid, reached)
      for old in ring.all.reversed() where !current.contains(old) && !reached.keys(of: old.number).contains(old) {
        slots.append(try Slot.previous(old, under: new, database: database, iv: Random.bytes(12)))
        reached.add(old)
        Unlock.follow(valid, reached)
      }
    }
    return slots
  }

  /// Keeps the keys that were only tried and have sealed something that counts. What somebody makes up who has no say
  /// troubles nobody any further.
  func admitGuests() throws {
    guard let ring = held, !ring.guests.isEmpty, try !folder.isPending() else { return }
    let admitted = try ring.guests.filter { guest in
      // A block that claims the place of one that counts has opened too: so the one that counts is asked.
      let alone = KeyRing(database: database, keys: [guest.key])
      return try guest.blocks.contains { instance, index in
        guard let row = try store.blocks.block(BranchID(instance), index), row.state == .applied else { return false }
        let bytes = try store.blocks.bytes(of: row)
        return (try? bytes.withUnsafeBytes { try BlockReader.open($0, of: instance, keys: alone) }) != nil
      }
    }
    guard !admitted.isEmpty else { return }
    for guest in admitted { ring.add(guest.key) }
    try chooseKey()
    try keep()
  }
}
