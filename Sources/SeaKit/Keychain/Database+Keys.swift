import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

extension Database {
  /// Whether the blocks of this database are sealed.
  package func isSealed() throws -> Bool { try folder.isSealed() }

  /// Whether this instance has not begun its chain: it has asked to be let in, and nobody has yet.
  package func isPending() throws -> Bool { try folder.isPending() }

  var keysFolder: String { folder.keysPath }

  /// The keys of a sealed database, nil for a plain one: those that are kept, else those that a password opens, else
  /// those that are wrapped for this instance.
  /// - Throws: `noKey` if there are none, `badPassword`.
  package func keyRing() throws -> KeyRing? {
    guard try isSealed() else { return nil }
    if let ring = try keysAtHand() { return ring }
    guard try !isPending() else { throw KitError.noKey(path: path, pending: true) }
    let valid = try validSlots()
    let ring: KeyRing
    if let password = try settings.password?(.open(place: path)) {
      ring = try Unlock.keys(password, valid, database: databaseID, place: path, areValid: true).keys
      _ = try Unlock.keys(for: signingIdentity(), valid, into: ring)
    } else {
      ring = KeyRing(database: databaseID)
      guard try Unlock.keys(for: signingIdentity(), valid, into: ring) else {
        throw KitError.noKey(path: path, pending: false)
      }
    }
    hold(ring)
    try chooseKey()
    try keepKeys()
    return ring
  }

  /// The keys that are at hand without asking anybody.
  package func keysAtHand() throws -> KeyRing? {
    guard try isSealed() else { return nil }
    if let keys { return keys }
    guard let kept = try KeyFile.read(folder: keysFolder), !kept.isEmpty else { return nil }
    let ring = hold(KeyRing(database: databaseID, keys: kept))
    ring.current = kept.last
    try catchUp(ring)
    return ring
  }

  /// Who began or was given an epoch may have died before its key was written down: it is in our own slot.
  private func catchUp(_ ring: KeyRing) throws {
    let newest = ring.newest?.number ?? 0
    let isBehind = try store.control.slots().contains { slot in
      guard slot.isFor(instance), slot.epoch >= newest else { return false }
      return !ring.keys(of: slot.epoch).contains { slot.isCommitted(to: $0) }
    }
    guard isBehind, try Unlock.keys(for: signingIdentity(), validSlots(), into: ring) else { return }
    try chooseKey()
    try keepKeys()
  }

  @discardableResult
  func hold(_ ring: KeyRing) -> KeyRing {
    Process.disableCoreDumps()
    keys = ring
    return ring
  }

  /// Whether keys are kept on this device.
  package func keepsKeys() throws -> Bool { try KeyFile.read(folder: keysFolder) != nil }

  /// Writes the keys down for the next run, where keys are kept, with those that another process has written.
  func keepKeys() throws {
    guard let keys, settings.access == .write, try store.metaInt("keepsKeys") != 0 else { return }
    let isOurs = try store.takeLock()
    defer { if isOurs { store.unlock() } }
    let kept = try KeyFile.read(folder: keysFolder) ?? []
    let isNews = kept.reduce(false) { keys.add($1) || $0 }
    if isNews { try chooseKey() }
    let newest = keys.newest
    let all = keys.all.filter { $0 != newest } + (newest.map { [$0] } ?? [])
    guard kept != all else { return }
    try KeyFile.write(all, folder: keysFolder)
  }

  /// Puts other keys in the place of those that there are.
  func replaceKeys(_ ring: KeyRing) throws {
    hold(ring)
    try chooseKey()
    try Path.remove(Path.join(keysFolder, KeyFile.name))
    try keepKeys()
  }

  /// What seals the next block; nil in a plain database.
  /// - Parameter epoch: under which key; nil for the newest.
  func sealing(epoch: UInt32? = nil) throws -> Sealing? {
    guard let ring = try keyRing() else { return nil }
    guard let epoch = epoch ?? ring.newest?.number else { throw KitError.noKey(path: path, pending: false) }
    return Sealing(keys: ring, epoch: epoch, random: try Random.bytes(32))
  }

  // MARK: - Slots

  /// What the entries about epochs come to.
  struct Epochs {
    /// The greatest that an entry which counts has begun.
    var newest: UInt32 = 0
    /// The names of slots that are valid: listed by an entry that counts, and ended by none.
    var valid: Set<Digest> = []
    var ended: Set<Digest> = []
    /// Those that are only in entries of former members which do not count.
    var others: Set<Digest> = []
  }

  func epochs() throws -> Epochs {
    var epochs = Epochs()
    let membership = try membership()
    let isWithin = isWithin
    for row in try store.control.controls(["epoch"]) {
      guard case .epoch(let change) = row.entry else { continue }
      if membership?.hasAuthority(row.block, isWithin) ?? row.isApplied {
        epochs.newest = max(epochs.newest, change.epoch)
        epochs.valid.formUnion(change.slots)
        epochs.ended.formUnion(change.ended)
      }
      if let membership, membership[row.block.instance] != nil { epochs.others.formUnion(change.slots) }
    }
    epochs.valid.subtract(epochs.ended)
    epochs.others.subtract(epochs.valid)
    epochs.others.subtract(epochs.ended)
    return epochs
  }

  package func validSlotNames() throws -> Set<Digest> { try epochs().valid }

  package func validSlots() throws -> [Slot] { try validSlots(epochs()) }

  func validSlots(_ epochs: Epochs) throws -> [Slot] {
    try store.control.slots().filter { epochs.valid.contains($0.digest) }
  }

  package func newestEpoch() throws -> UInt32 { try epochs().newest }

  /// How many slots that are not valid are kept.
  private static let mostOthers = 1000

  /// Takes the slots that are not here from a container, and the keys that they hold for us.
  ///
  /// Blocks may be sealed under the key of an epoch that does not count, by who could not know that, and the entry that
  /// lists the slot for us may be sealed under the key that is in it: so keys are tried too that no entry lists.
  /// - Parameter isLocked: whether there are blocks that no key opens.
  /// - Returns: whether there are new keys.
  func takeSlots(from container: Container, isLocked: Bool) throws -> Bool {
    guard try isSealed() else { return false }
    let here = try Set(store.control.slots().map(\.digest))
    let names = try epochs()
    let others = names.others.subtracting(here).sorted().prefix(max(0, Database.mostOthers - here.count))
    let missing = names.valid.subtracting(here).sorted() + others
    if !missing.isEmpty {
      let there = try Set(container.names(in: .keys))
      var found: [Slot] = []
      for name in missing where there.contains(name.description) {
        guard let bytes = try container.bounded(name.description, in: .keys), let slot = try? Slot(bytes),
          slot.digest == name, slot.database == databaseID
        else { continue }
        found.append(slot)
      }
      if !found.isEmpty {
        try store.write { for slot in found { try store.control.keep(slot) } }
        store.unlock()
      }
    }
    guard let ring = try keysAtHand() else { return false }
    let identity = try signingIdentity()
    var grew = try Unlock.keys(for: identity, validSlots(names), into: ring)
    if isLocked {
      let slots = try store.control.slots() + Unlock.slots(in: container)
      grew =
        Unlock.keys(for: identity, slots.filter { !names.ended.contains($0.digest) }, into: ring, asGuests: true)
        || grew
    }
    guard grew else { return false }
    try chooseKey()
    // Until we are in, nothing says who has wrapped them.
    if try !isPending() { try keepKeys() }
    return true
  }

  /// Lets the container have the valid slots, whole, and takes away those that were ended.
  ///
  /// A slot that merely is on no list stays: the list may be what is damaged here, and without its slot nobody gets in.
  func giveSlots(to container: Container) throws {
    guard try isSealed() else { return }
    let names = try epochs()
    let there = try Set(container.names(in: .keys))
    for slot in try store.control.slots() where !names.ended.contains(slot.digest) {
      let name = slot.digest.description
      if there.contains(name) {
        if try container.bounded(name, in: .keys) == slot.bytes { continue }
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
  func openUnread() throws -> ApplyResult {
    let unread = try store.blocks.blocks(.unread)
    var total = ApplyResult()
    guard !unread.isEmpty else { return total }
    let ring = try keysAtHand()
    var ready: [(row: BlockRow, clear: [UInt8], payload: Payload)] = []
    for row in unread {
      let bytes = try store.blocks.bytes(of: row)
      guard
        let opened = try? bytes.withUnsafeBytes({ try BlockReader.open($0, of: row.instance, keys: ring) })
      else { continue }
      ready.append((row, opened.clear ?? bytes, opened.payload))
    }
    guard !ready.isEmpty else { return total }
    let membership = try membership()
    try store.write {
      for one in ready {
        let isHeld = try cut(of: one.row.instance, membership) != .everything
        total.add(try store.read(one.row, clear: one.clear, one.payload, isHeld: isHeld))
      }
    }
    store.unlock()
    return total
  }
}
