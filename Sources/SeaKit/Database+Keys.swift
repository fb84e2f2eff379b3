import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

extension Database {
  /// Whether the blocks of this database are sealed.
  package func isSealed() throws -> Bool { try store.isSealed() }

  /// Whether this instance has not begun its chain: it has asked to be let in, and nobody has yet.
  package func isPending() throws -> Bool { try store.chain(instance) == nil }

  var keysFolder: String { Path.join(path, IdentityFile.folder) }

  /// The keys of a sealed database, nil for a plain one: those that are kept, else those that a password opens.
  /// - Throws: `noKey` if there are none, `badPassword`.
  package func keyRing() throws -> KeyRing? {
    guard try isSealed() else { return nil }
    if let keys { return keys }
    if let kept = try KeyFile.read(folder: keysFolder), !kept.isEmpty {
      return hold(KeyRing(database: databaseID, keys: kept))
    }
    guard try !isPending(), let password = try settings.password?(.open(place: path)) else {
      throw KitError.noKey(path: path, pending: try isPending())
    }
    return hold(try Unlock.keys(password, validSlots(), database: databaseID, place: path).keys)
  }

  /// The keys that are at hand without asking anybody.
  package func keysAtHand() throws -> KeyRing? {
    guard try isSealed() else { return nil }
    if let keys { return keys }
    guard let kept = try KeyFile.read(folder: keysFolder), !kept.isEmpty else { return nil }
    return hold(KeyRing(database: databaseID, keys: kept))
  }

  @discardableResult
  func hold(_ ring: KeyRing) -> KeyRing {
    Process.disableCoreDumps()
    keys = ring
    return ring
  }

  /// Whether keys are kept on this device.
  package func keepsKeys() throws -> Bool { try KeyFile.read(folder: keysFolder) != nil }

  /// Writes the keys down for the next run, where keys are kept.
  func keepKeys() throws {
    guard let keys, try store.metaInt("keepsKeys") != 0 else { return }
    try KeyFile.write(keys.all, folder: keysFolder)
  }

  /// What seals the next block; nil in a plain database.
  /// - Parameter epoch: under which key; nil for the newest.
  func sealing(epoch: UInt32? = nil) throws -> Sealing? {
    guard let ring = try keyRing() else { return nil }
    guard let epoch = epoch ?? ring.newest?.number else { throw KitError.noKey(path: path, pending: false) }
    return Sealing(keys: ring, epoch: epoch, random: try Random.bytes(32))
  }

  // MARK: - Slots

  /// The names of the slots that are valid: listed by an entry that counts, and ended by none.
  package func validSlotNames() throws -> Set<Digest> { try slotNames().valid }

  private func slotNames() throws -> (valid: Set<Digest>, ended: Set<Digest>) {
    var valid: Set<Digest> = []
    var ended: Set<Digest> = []
    for row in try countingControls(["epoch"]) {
      guard case .epoch(let change) = row.entry else { continue }
      valid.formUnion(change.slots)
      ended.formUnion(change.ended)
    }
    return (valid.subtracting(ended), ended)
  }

  package func validSlots() throws -> [Slot] {
    let valid = try validSlotNames()
    return try store.slots().filter { valid.contains($0.digest) }
  }

  /// The greatest epoch that an entry which counts has begun.
  package func newestEpoch() throws -> UInt32 {
    try countingControls(["epoch"]).reduce(0) {
      guard case .epoch(let change) = $1.entry else { return $0 }
      return max($0, change.epoch)
    }
  }

  /// Takes valid slots that are not here from a container, and the keys that they hold for us.
  /// - Returns: whether there are new keys.
  func takeSlots(from container: Container) throws -> Bool {
    guard try isSealed() else { return false }
    let here = try Set(store.slots().map(\.digest))
    let missing = try validSlotNames().subtracting(here)
    var found: [Slot] = []
    if !missing.isEmpty {
      for name in missing.sorted() {
        guard let bytes = try container.read(name.description, in: .keys), let slot = try? Slot(bytes),
          slot.digest == name
        else { continue }
        found.append(slot)
      }
    }
    if !found.isEmpty {
      try store.transaction { for slot in found { try store.keep(slot) } }
      store.unlock()
    }
    guard let ring = try keysAtHand() ?? keys else { return false }
    guard try Unlock.keys(for: signingIdentity(), validSlots(), into: ring) else { return false }
    hold(ring)
    try keepKeys()
    return true
  }

  /// Lets the container have the valid slots, whole, and takes away those that were ended.
  ///
  /// A slot that merely is on no list stays: the list may be what is damaged here, and without its slot nobody gets in.
  func giveSlots(to container: Container) throws {
    guard try isSealed() else { return }
    let names = try slotNames()
    let there = try Set(container.names(in: .keys))
    for slot in try store.slots() where names.valid.contains(slot.digest) {
      let name = slot.digest.description
      if there.contains(name) {
        if try container.read(name, in: .keys) == slot.bytes { continue }
        // What is not what its name says is nothing that somebody could miss.
        try container.remove(name, in: .keys)
      }
      try container.write(name, slot.bytes, in: .keys)
    }
    for ended in names.ended where there.contains(ended.description) {
      try container.remove(ended.description, in: .keys)
    }
  }

  // MARK: - Blocks that could not be read

  /// Reads again what could not be read before, now that there are more keys or a newer program.
  func openUnread() throws -> Applied {
    let unread = try store.blocks(.unread)
    var total = Applied()
    guard !unread.isEmpty else { return total }
    let ring = try keysAtHand()
    var ready: [(row: BlockRow, clear: [UInt8], payload: Payload)] = []
    for row in unread {
      let bytes = try store.bytes(of: row)
      guard
        let opened = try? bytes.withUnsafeBytes({ try BlockReader.open($0, of: row.instance, keys: ring) })
      else { continue }
      ready.append((row, opened.clear ?? bytes, opened.payload))
    }
    guard !ready.isEmpty else { return total }
    try store.transaction {
      for one in ready {
        let isHeld = try cut(of: one.row.instance) != .everything
        total.add(try store.read(one.row, clear: one.clear, one.payload, isHeld: isHeld))
      }
    }
    store.unlock()
    return total
  }
}
