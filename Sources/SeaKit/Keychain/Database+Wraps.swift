import SeaCore
import SeaStore
import SeaSystem

// Who has which key. Two instances may begin the same epoch at the same time, an epoch may begin while somebody is let
// in elsewhere, and who began one may turn out to have been no admin any more. The keys of all of these have sealed
// blocks that count.

extension Database {
  /// Settles which key seals from now on.
  func chooseKey() throws { try chooseKey(epochs()) }

  func chooseKey(_ epochs: Epochs) throws {
    guard let ring = keys else { return }
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
      let reached = KeyRing(database: databaseID, keys: [new])
      Unlock.follow(valid, reached)
      for old in ring.all.reversed() where old.number < new.number && !reached.keys(of: old.number).contains(old) {
        slots.append(try Slot.previous(old, under: new, database: databaseID, iv: Random.bytes(12)))
        reached.add(old)
        Unlock.follow(valid, reached)
      }
    }
    return slots
  }

  /// Keeps the keys that were only tried and have sealed something that counts. What somebody makes up who has no say
  /// troubles nobody any further.
  func admitGuests() throws {
    guard let ring = keys, !ring.guests.isEmpty, try !isPending() else { return }
    let admitted = try ring.guests.filter { guest in
      // A block that claims the place of one that counts has opened too: so the one that counts is asked.
      let alone = KeyRing(database: databaseID, keys: [guest.key])
      return try guest.blocks.contains { instance, index in
        guard let row = try store.blocks.block(BranchID(instance), index), row.state == .applied else { return false }
        let bytes = try store.blocks.bytes(of: row)
        return (try? bytes.withUnsafeBytes { try BlockReader.open($0, of: instance, keys: alone) }) != nil
      }
    }
    guard !admitted.isEmpty else { return }
    for guest in admitted { ring.add(guest.key) }
    try chooseKey()
    try keepKeys()
  }

  /// Lets all who may read have all keys that we have, where that is an admin's to decide.
  ///
  /// Where there are no members nobody can tell who was left out from who was shut out: there it waits until somebody
  /// changes slots.
  func settleKeys() throws {
    guard try isSealed(), let ring = try keysAtHand(), try !isPending() else { return }
    let epochs = try epochs()
    try chooseKey(epochs)
    guard let membership = try membership(), membership.role(of: instance) == .admin else { return }
    let current = try currentKeys(ring, epochs)
    guard let number = current.first?.number, number == epochs.newest else { return }
    let valid = try validSlots(epochs)
    // Under a key that was begun by who had no right to blocks of others may be sealed.
    let isStray = ring.all.contains { $0.number >= number && !current.contains($0) }
    if isStray, ring.all.last?.number != .max {
      _ = try beginEpoch(for: readers(), password: nil, ended: [], label: "keys")
      return
    }
    var slots = try missingPrevious(ring, under: current, valid)
    for reader in try readers() where reader.instance != membership.founder || number > 1 {
      for key in current {
        let isThere = valid.contains { $0.isFor(reader.instance) && $0.isCommitted(to: key) }
        if !isThere { slots.append(try slot(for: reader, key)) }
      }
    }
    guard !slots.isEmpty else { return }
    try changeSlots(slots, ended: [], label: "keys")
  }
}
