import SeaCore
import SeaStore
import SeaSystem

// Which key seals. Two instances may begin the same epoch at the same time, an epoch may begin while somebody is let in
// elsewhere, and who began one may turn out to have been no admin any more. The keys of all of these have sealed blocks
// that count.

extension Keychain {
  /// Says which key seals from now on.
  func chooseKey() throws { try chooseKey(epochs()) }

  func chooseKey(_ epochs: Epochs) throws {
    guard let ring = held else { return }
    ring.current = nil
    ring.current = try currentKeys(ring, epochs).first
  }

  /// The keys of the newest epoch of which we have one that counts, the one that seals first.
  func currentKeys(_ ring: KeyRing, _ epochs: Epochs) throws -> [EpochKey] {
    guard epochs.newest > 0 else { return ring.newest.map { [$0] } ?? [] }
    let ours = Dictionary(ring.all.map { ($0.name, $0) }) { first, _ in first }
    let here = epochs.count.keys.compactMap { ours[$0] }
    return here.filter { $0.number == here[0].number }
  }

  /// The slots that are missing so that whoever has one of the current keys reads all that was written under older ones, and
  /// all that counts and lies under a key that nothing vouches for yet.
  func missingPrevious(_ ring: KeyRing, under current: [EpochKey], _ valid: [Slot]) throws -> [Slot] {
    var slots: [Slot] = []
    let older = try (guestsThatCount(ring) + ring.all).reversed()
    for new in current {
      let reached = KeyRing(proof, keys: [new])
      Unlock.follow(valid, reached)
      for old in older where !current.contains(old) && !reached.has(old) {
        slots.append(try Slot.previous(old, under: new, database: database, iv: Random.bytes(12)))
        reached.add(old)
        Unlock.follow(valid, reached)
      }
    }
    return slots
  }
}
