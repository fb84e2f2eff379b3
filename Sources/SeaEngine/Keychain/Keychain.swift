import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The signing keys of this instance, and the epoch keys that encrypt blocks.
///
/// Keys are loaded at most once, when they are first needed: from `.sea/keys`, with a password, or from a key slot. The
/// control entries of authorized members (`Roster`) determine whether blocks are encrypted, which key slots are valid,
/// and which key encrypts new blocks. This class never writes to a chain: `Access` creates and ends key slots.
package final class Keychain {
  let folder: SeaFolder
  let members: Roster
  private var known: Identity?
  private(set) var held: KeyRing?
  var tried: Set<Digest> = []
  private var hasTriedGiven = false

  var store: Store { folder.store }
  var database: UUID { folder.databaseID }
  var proof: DatabaseProof { folder.proof! }

  package init(_ folder: SeaFolder, _ members: Roster) {
    self.folder = folder
    self.members = members
  }

  // MARK: - Private keys

  /// - Parameter key: the instance's public key, if the caller knows it.
  /// - Throws: `badIdentity` if the stored keys do not belong to this instance.
  package func identity(key: [UInt8]? = nil) throws -> Identity {
    if let known { return known }
    let key = try key ?? store.branches.chain(folder.instance)?.publicKey
    let read = try IdentityFile.read(folder: folder.keysPath, key: key)
    guard read.instance == folder.instance else { throw KitError.badIdentity(path: folder.path) }
    known = read
    return read
  }

  /// Switches to another identity. If `identity` is nil, the stored private keys are loaded when they are next needed.
  package func become(_ instance: UUID, _ identity: Identity?) {
    folder.instance = instance
    known = identity
  }

  var identityAtHand: Identity? { known }

  /// Whether the file system reports that only the owner can read this instance's private keys.
  package func isPrivate() throws -> Bool {
    try Path.status(Path.join(folder.keysPath, IdentityFile.name)).map { $0.mode & 0o077 == 0 } ?? true
  }

  // MARK: - Keys of epochs

  /// Returns the keys of an encrypted database; nil for a plain one. The keys come from a file, a password, or a key
  /// slot for this instance.
  /// - Throws: `noKey` if no keys are available, `badPassword`.
  package func ring() throws -> KeyRing? {
    guard try folder.isSealed() else { return nil }
    if let ring = try availableKeyRing() {
      if !hasTriedGiven {
        hasTriedGiven = true
        _ = try openGiven()
      }
      return ring
    }
    guard try !folder.isPending() else { throw KitError.noKey(path: folder.path, pending: true) }
    let valid = try validSlots()
    let opened = try folder.settings.opening(folder.path) {
      try Unlock.keys($0, valid, of: proof, place: folder.path, areValid: true).keys
    }
    let ring = opened ?? KeyRing(proof)
    let isOwn = try Unlock.keys(for: identity(), valid, into: ring)
    guard opened != nil || isOwn else { throw KitError.noKey(path: folder.path, pending: false) }
    hold(ring)
    try chooseKey()
    try keep()
    return ring
  }

  /// If no epoch keys are available yet, opens those wrapped for another instance.
  /// - Parameter identity: the private keys of the other instance.
  package func open(as identity: Identity) throws {
    guard try folder.isSealed(), try !folder.isPending(), try availableKeyRing() == nil else { return }
    let ring = KeyRing(proof)
    guard try Unlock.keys(for: identity, validSlots(), into: ring) else { return }
    hold(ring)
    try chooseKey()
    try keep()
  }

  package func availableKeyRing() throws -> KeyRing? {
    guard try folder.isSealed() else { return nil }
    if let held { return held }
    guard let kept = try KeyFile.read(folder: folder.keysPath), !kept.keys.isEmpty else { return nil }
    let ring = KeyRing(proof, keys: kept.keys)
    for guest in kept.unconfirmedKeys { ring.add(guest, asGuest: true, isUsed: true) }
    hold(ring)
    ring.current = kept.keys.last
    try catchUp(ring)
    return ring
  }

  /// Opens an epoch key that is in a key slot for this instance but was not stored because a process crashed.
  private func catchUp(_ ring: KeyRing) throws {
    let newest = ring.newest?.number ?? 0
    let isBehind = try store.control.slots().contains { slot in
      guard slot.isFor(folder.instance), slot.epoch >= newest else { return false }
      return !ring.keys(of: slot.epoch).contains { slot.isCommitted(to: $0) }
    }
    guard isBehind, try Unlock.keys(for: identity(), validSlots(), into: ring) else { return }
    try chooseKey()
    try keep()
  }

  package func hold(_ ring: KeyRing) {
    folder.settings.holdsKeys()
    held = ring
  }

  /// Deletes the keys from memory unless keys are stored on this device.
  package func forgetUnstoredKeys() throws {
    if try !isKept() { held = nil }
  }

  package func isKept() throws -> Bool { try KeyFile.read(folder: folder.keysPath) != nil }

  /// Stores the keys for the next run, merged with keys that another process has stored in the meantime. Unconfirmed
  /// keys are stored only if they have opened a block, because anyone can make up keys for this instance.
  package func keep() throws {
    guard let held, folder.settings.access == .write, try store.metaInt("keepsKeys") != 0 else { return }
    try store.locked {
      let kept = try KeyFile.read(folder: folder.keysPath)
      let news = (kept?.keys ?? []).filter { !held.has($0) }
      for key in news { held.add(key) }
      for key in kept?.unconfirmedKeys ?? [] { held.add(key, asGuest: true, isUsed: true) }
      if !news.isEmpty { try chooseKey() }
      let newest = held.newest
      let all = KeyFile(
        keys: held.all.filter { $0 != newest } + (newest.map { [$0] } ?? []),
        unconfirmedKeys: held.usedGuests.suffix(KeyFile.mostGuests))
      guard kept != all else { return }
      try all.write(folder: folder.keysPath)
    }
  }

  package func sealing(under key: EpochKey? = nil) throws -> Sealing? {
    guard let ring = try ring() else { return nil }
    guard let key = key ?? ring.newest else { throw KitError.noKey(path: folder.path, pending: false) }
    return Sealing(keys: ring, key: key, random: try Random.bytes(32))
  }

  /// Refuses to write under an old key after a newer epoch has begun, because revoked instances could read the block.
  /// - Throws: `oldKey` unless the settings allow older keys.
  package func requireNewestKey() throws {
    guard let ring = try ring(), let have = ring.newest?.number else { return }
    let here = Set(ring.all.map(\.name))
    guard try namedKeys().contains(where: { $0.number >= have && !here.contains($0) }) else { return }
    guard let first = try epochs().count.keys.first, !here.contains(first), try !folder.settings.writesUnderOldKeys()
    else { return }
    throw KitError.oldKey(epoch: first.number)
  }

  /// Prompts for a password now if one will be needed, so that no prompt appears while other processes wait for the
  /// lock.
  package func prepare() throws { _ = try ring() }
}

// A password given without a prompt also helps an instance that has some keys but lacks those of a later epoch.

extension Keychain {
  /// Tries the given password once on each key slot of epochs whose keys are missing. Never prompts.
  /// - Parameter others: untrusted key slots; control entries must confirm their keys.
  package func openGiven(_ others: () throws -> [Slot] = { [] }) throws -> Bool {
    guard try folder.isSealed(), try !folder.isPending(), let ring = held, let given = folder.settings.givenPassword()
    else { return false }
    let slots = try store.control.slots() + others()
    let missing = try Set(namedKeys().filter { ring[$0.digest] == nil }.map(\.number))
    let open = slots.filter { slot in
      slot.isPassword && slot.database == database && !tried.contains(slot.digest)
        && (ring.keys(of: slot.epoch).isEmpty || missing.contains(slot.epoch))
    }
    guard !open.isEmpty, let password = try given() else { return false }
    tried.formUnion(open.map(\.digest))
    let valid = try validSlotNames()
    var grew = false
    for isValid in [true, false] where !grew {
      let part = open.filter { valid.contains($0.digest) == isValid }
      guard !part.isEmpty,
        let opened = try? Unlock.keys(password, part, of: proof, place: folder.path, areValid: isValid).keys
      else { continue }
      for key in opened.all where ring.add(key, asGuest: !isValid) { grew = true }
      let known = isValid ? slots.filter { valid.contains($0.digest) } : slots
      grew = Unlock.follow(known, ring, asGuests: !isValid) || grew
    }
    guard grew else { return false }
    try chooseKey()
    try keep()
    return true
  }
}

// Chooses the key that encrypts new blocks. Valid blocks may be encrypted under several keys. For example, two
// instances may have begun the same epoch at once, or an epoch's author may turn out not to be an admin.

extension Keychain {
  func chooseKey() throws { try chooseKey(epochs()) }

  func chooseKey(_ epochs: Epochs) throws {
    guard let ring = held else { return }
    ring.current = nil
    ring.current = try currentKeys(ring, epochs).first
  }

  /// Returns the available keys of the newest epoch for which this instance has a valid key. The first of these keys
  /// encrypts.
  func currentKeys(_ ring: KeyRing, _ epochs: Epochs) throws -> [EpochKey] {
    guard epochs.newest > 0 else { return ring.newest.map { [$0] } ?? [] }
    let ours = Dictionary(ring.all.map { ($0.name, $0) }) { first, _ in first }
    let here = epochs.count.keys.compactMap { ours[$0] }
    return here.filter { $0.number == here[0].number }
  }

  /// Returns the key slots that are still needed so that the current keys unwrap all others. These key slots make older
  /// blocks readable, as well as valid blocks under unconfirmed keys.
  func missingPrevious(_ ring: KeyRing, under current: [EpochKey], _ valid: [Slot]) throws -> [Slot] {
    var slots: [Slot] = []
    let older = try (usedUnconfirmedKeys(ring) + ring.all).reversed()
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

extension Keychain {
  func namedKeys() throws -> Set<EpochCount.Key> {
    try Set(
      store.control.controls(["epoch"], includesHeldBack: true).compactMap { row in
        if case .epoch(let change) = row.entry { EpochCount.Key(number: change.epoch, digest: change.key) } else { nil }
      })
  }

  /// Tries unreadable blocks again, because new keys or a newer program may be available now.
  func openUnread() throws -> ApplyResult {
    // Skip blocks with a bad payload: their authors signed them, so they will always be bad.
    let unread = try store.blocks.blocks(.unread).filter { $0.unread != .badPayload }
    var total = ApplyResult()
    guard !unread.isEmpty else { return total }
    let ring = try availableKeyRing()
    var ready: [(row: BlockRow, clear: [UInt8], content: BlockContent, payload: Payload)] = []
    var others: [(row: BlockRow, reason: UnreadReason)] = []
    for row in unread {
      let bytes = try store.content.bytes(of: row)
      let content = bytes.withUnsafeBytes { BlockReader.content(of: $0, of: row.instance, keys: ring) }
      if let payload = content.payload {
        ready.append((row, content.clear ?? bytes, content, payload))
      } else if let reason = content.fault.map({ UnreadReason($0) }), reason != row.unread {
        others.append((row, reason))
      }
    }
    if !others.isEmpty { try store.write { for one in others { try store.blocks.setUnread(one.reason, of: one.row) } } }
    guard !ready.isEmpty else { return total }
    let membership = try members.membership()
    try store.write {
      for one in ready {
        let isHeld = members.cut(of: one.row.instance, membership) != .everything
        total.add(
          try store.intake.read(
            one.row, clear: one.clear, framed: one.content.framed, one.payload, isHeld: isHeld,
            isHidden: one.content.isHidden))
      }
    }
    return total
  }
}

// Finds the valid key slots and their keys. The key slots may come from containers, which are not trusted.

extension Keychain {
  struct Epochs {
    var count: EpochCount
    var newest: UInt32 { count.newest }
    /// The names of valid key slots. Each of them is listed in a valid control entry and has not been ended by another.
    var valid: Set<Digest> = []
    var ended: Set<Digest> = []
    /// Key slots listed only in invalid entries of former members.
    var others: Set<Digest> = []
  }

  func epochs() throws -> Epochs {
    let membership = try members.membership()
    let isWithin = members.isWithin
    var entitled: [EpochCount.Entry] = []
    var others: Set<Digest> = []
    for row in try store.control.controls(["epoch"]) {
      guard case .epoch(let change) = row.entry else { continue }
      if membership?.hasAuthority(row.block, isWithin) ?? row.isApplied {
        entitled.append(EpochCount.Entry(change, by: row.block.instance))
      }
      if let membership, membership[row.block.instance] != nil { others.formUnion(change.slots) }
    }
    let readers = try membership == nil ? [] : Set(members.readers(membership).map(\.instance))
    var epochs = Epochs(
      count: EpochCount(entitled, first: folder.proof?.first, membership) { readers.contains($0) }, others: others)
    for entry in entitled where epochs.count.counts(entry.key) {
      epochs.valid.formUnion(entry.change.slots)
      epochs.ended.formUnion(entry.change.ended)
    }
    epochs.valid.subtract(epochs.ended)
    epochs.others.subtract(epochs.valid)
    epochs.others.subtract(epochs.ended)
    return epochs
  }

  package func newestEpoch() throws -> UInt32 { try epochs().newest }

  package func validSlotNames() throws -> Set<Digest> { try epochs().valid }

  package func validSlots() throws -> [Slot] { try validSlots(epochs()) }

  func validSlots(_ epochs: Epochs) throws -> [Slot] {
    try store.control.slots().filter { epochs.valid.contains($0.digest) }
  }

  /// If this instance is not authorized yet, opens keys that were wrapped for it.
  /// - Parameter slots: untrusted key slots.
  func enter(_ slots: () throws -> [Slot]) throws -> Bool {
    guard try folder.isSealed(), try folder.isPending() else { return false }
    let ring = try availableKeyRing() ?? KeyRing(proof)
    guard try Unlock.keys(for: identity(), slots(), into: ring) else { return false }
    hold(ring)
    return true
  }

  /// Checks that a password has opened a valid key slot. Call this after all control entries have been read.
  /// - Throws: `badPassword` if all key slots that it opened are invalid.
  func requireValid(_ opened: [Slot], place: String) throws {
    let names = try validSlotNames()
    guard opened.contains(where: { names.contains($0.digest) }) else { throw KitError.badPassword(place: place) }
  }
}

// Confirms keys. Control entries determine which keys and key slots are valid, so entries are read with any key from
// any key slot. Blocks under an unconfirmed key are hidden until an entry confirms the key. The result depends neither
// on the order of arrival nor on the key slot that a key came from.

extension Keychain {
  private static let vouchedKeys = "vouchedKeys"

  private func confirmedKeys(_ ring: KeyRing, _ epochs: Epochs) throws -> KeyRing {
    let vouched = KeyRing(proof, keys: ring.allIncludingUnconfirmed.filter { epochs.count.counts($0.name) })
    Unlock.follow(try validSlots(epochs), vouched)
    return vouched
  }

  /// Returns the confirmed keys that are available; nil until a valid control entry names a key.
  package func availableConfirmedKeys() throws -> KeyRing? {
    guard let ring = try availableKeyRing() else { return nil }
    let epochs = try epochs()
    return epochs.newest > 0 ? try confirmedKeys(ring, epochs) : nil
  }

  /// Hides the changes in blocks whose keys are no longer confirmed, and shows those in blocks whose keys are now
  /// confirmed.
  /// - Parameter hidden: receives the first newly hidden block of each branch that is otherwise valid.
  package func updateHiddenBlocks(hidden: inout [BlockRow]) throws -> ApplyResult {
    guard try folder.isSealed(), folder.settings.access == .write, let ring = try availableKeyRing() else {
      return ApplyResult()
    }
    let applied = try store.write { () -> ApplyResult? in
      let epochs = try epochs()
      // Without a valid key, no control entry has determined yet which keys are confirmed.
      guard epochs.newest > 0 else { return nil }
      let vouched = try confirmedKeys(ring, epochs)
      let guests = ring.unconfirmedKeys
      let demoted = ring.all.filter { !vouched.has($0) }
      for key in demoted { ring.demote(key) }
      for key in vouched.all { ring.add(key) }
      let before = try vouchedKeys()
      let after = Set(vouched.all.map(\.name)).union(before.filter(epochs.count.counts))
      let lost = Set(before.subtracting(after).map(\.digest)).union(demoted.map(\.digest))
      guard !lost.isEmpty || after != before || guests.contains(where: vouched.has) else { return nil }
      let gone = lost.isEmpty ? [] : try store.blocks.shownBlocks(under: lost)
      let shown = try store.blocks.hiddenBlocks().filter { try vouched[store.content.key(of: $0)] != nil }
      hidden += firsts(gone)
      let applied = try store.intake.show(shown, hide: gone)
      try store.setMeta(Keychain.vouchedKeys, .blob(after.sorted().flatMap(\.bytes)))
      try chooseKey(epochs)
      return applied
    }
    guard let applied else { return ApplyResult() }
    if try !folder.isPending() { try keep() }
    return applied
  }

  private func firsts(_ rows: [BlockRow]) -> [BlockRow] {
    var found: [BranchID: BlockRow] = [:]
    for row in rows where row.state == .applied && row.index <= found[row.branch]?.index ?? .max {
      found[row.branch] = row
    }
    return found.values.sorted { $0.branch < $1.branch }
  }

  /// Returns a problem for the first block of each branch that is hidden because its key is not confirmed.
  package func unvouched() throws -> [Problem] {
    try firsts(store.blocks.hiddenBlocks()).map { Problem(unvouched: $0.branch, $0.index, place: "") }
  }

  package func updateHiddenBlocks() throws -> ApplyResult {
    var hidden: [BlockRow] = []
    return try updateHiddenBlocks(hidden: &hidden)
  }

  private func vouchedKeys() throws -> Set<EpochCount.Key> {
    let bytes = try store.metaBlob(Keychain.vouchedKeys) ?? []
    let size = EpochCount.Key.size
    return Set(
      stride(from: 0, to: bytes.count - bytes.count % size, by: size).compactMap {
        EpochCount.Key(bytes[$0..<$0 + size])
      })
  }

  /// Returns the keys that should have encrypted the beginning of this instance's chain; nil if it began under a
  /// confirmed key.
  func keysForOwnChain() throws -> (keys: [EpochKey], guests: [EpochKey])? {
    guard try folder.isSealed(), let ring = try availableKeyRing(), !ring.unconfirmedKeys.isEmpty,
      let newest = ring.newest,
      let first = try store.blocks.block(BranchID(folder.instance), 0)
    else { return nil }
    let keys = ring.all.filter { $0 != newest } + [newest]
    let name = try store.content.key(of: first)
    return keys.contains { $0.digest == name } ? nil : (keys, ring.unconfirmedKeys)
  }

  /// Returns unconfirmed keys under which otherwise valid blocks are encrypted. An admin's instance shares these keys
  /// with all readers.
  func usedUnconfirmedKeys(_ ring: KeyRing) throws -> [EpochKey] {
    let used = ring.usedGuests.suffix(KeyFile.mostGuests)
    guard !used.isEmpty else { return [] }
    let rows = try store.blocks.hiddenBlocks().filter { $0.state == .applied }
    let names = try Set(rows.map { try store.content.key(of: $0) })
    return used.filter { names.contains($0.digest) }
  }
}

extension EpochKey {
  package var name: EpochCount.Key { EpochCount.Key(number: number, digest: digest) }
}

extension EpochCount.Key: Comparable {
  package static func < (a: EpochCount.Key, b: EpochCount.Key) -> Bool { (a.number, a.digest) < (b.number, b.digest) }

  fileprivate static let size = 4 + Digest.size

  fileprivate var bytes: [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } + digest.bytes }

  fileprivate init?(_ bytes: ArraySlice<UInt8>) {
    guard let digest = Digest(Array(bytes.dropFirst(4))) else { return nil }
    self.init(number: bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }, digest: digest)
  }
}
