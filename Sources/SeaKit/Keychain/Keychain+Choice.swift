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

  /// The keys of the newest epoch that we have, and that an entry which counts has begun: what no valid slot has may be
  /// known to anybody. The first epoch may have slots for passwords only, which do not tell.
  func currentKeys(_ ring: KeyRing, _ epochs: Epochs) throws -> [EpochKey] {
    guard epochs.newest > 0 else { return ring.newest.map { [$0] } ?? [] }
    let slots = try validSlots(epochs)
    for epoch in Set(ring.all.map(\.number)).filter({ $0 <= epochs.newest }).sorted(by: >) {
      let keys = ring.keys(of: epoch)
      let listed = keys.filter { key in slots.contains { $0.isCommitted(to: key) } }
      if !listed.isEmpty { return listed }
      if epoch == 1 { return keys }
    }
    return []
  }

  /// The slots that are missing so that whoever has one of the current keys reads all that was written under older ones.
  func missingPrevious(_ ring: KeyRing, under current: [EpochKey], _ valid: [Slot]) throws -> [Slot] {
    var slots: [Slot] = []
    for new in current {
      let reached = KeyRing(database: database, keys: [new])
      Unlock.follow(valid, reached)
      for old in ring.all.reversed() where old.number < new.number && !reached.keys(of: old.number).contains(old) {
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
