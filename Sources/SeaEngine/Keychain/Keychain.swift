import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The keys of this instance: those that it signs with, and those of the epochs that blocks are sealed under.
///
/// It reads them from `.sea/keys`, or has a password or a slot open them, at most once, when they are first needed. What is
/// sealed, whether a slot is valid and which key seals next follow from the control entries of those who may say so
/// (`Roster`). It never writes to a chain: slots are made and ended by `Access`.
package final class Keychain {
  let folder: SeaFolder
  let members: Roster
  private var known: Identity?
  /// The epoch keys, once they were needed.
  private(set) var held: KeyRing?
  /// The slots that the password which was given was tried on.
  var tried: Set<Digest> = []
  private var hasTriedGiven = false

  var store: Store { folder.store }
  var database: UUID { folder.databaseID }
  /// Of a sealed database.
  var proof: DatabaseProof { folder.proof! }

  package init(_ folder: SeaFolder, _ members: Roster) {
    self.folder = folder
    self.members = members
  }

  // MARK: - Who we are

  /// The private keys of this instance.
  /// - Parameter key: the public key, if it was looked up.
  /// - Throws: `badIdentity` if those on the disk are not the ones that it goes by.
  package func identity(key: [UInt8]? = nil) throws -> Identity {
    if let known { return known }
    let key = try key ?? store.branches.chain(folder.instance)?.publicKey
    let read = try IdentityFile.read(folder: folder.keysPath, key: key)
    guard read.instance == folder.instance else { throw KitError.badIdentity(path: folder.path) }
    known = read
    return read
  }

  /// This instance goes by these keys from now on; nil: by those on the disk.
  package func become(_ instance: UUID, _ identity: Identity?) {
    folder.instance = instance
    known = identity
  }

  /// The private keys, if they were needed so far.
  var identityAtHand: Identity? { known }

  /// Whether nobody else may read the key of this instance, as far as the file system can say.
  package func isPrivate() throws -> Bool {
    try Path.status(Path.join(folder.keysPath, IdentityFile.name)).map { $0.mode & 0o077 == 0 } ?? true
  }

  // MARK: - Keys of epochs

  /// The keys of a sealed database, nil for a plain one: those that are kept, else those that a password opens, else
  /// those that are wrapped for this instance.
  /// - Throws: `noKey` if there are none, `badPassword`.
  package func ring() throws -> KeyRing? {
    guard try folder.isSealed() else { return nil }
    if let ring = try ringAtHand() {
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

  /// Opens what is wrapped for another instance whose keys are given, where no key is at hand.
  package func open(as identity: Identity) throws {
    guard try folder.isSealed(), try !folder.isPending(), try ringAtHand() == nil else { return }
    let ring = KeyRing(proof)
    guard try Unlock.keys(for: identity, validSlots(), into: ring) else { return }
    hold(ring)
    try chooseKey()
    try keep()
  }

  /// The keys that are at hand without asking anybody.
  package func ringAtHand() throws -> KeyRing? {
    guard try folder.isSealed() else { return nil }
    if let held { return held }
    guard let kept = try KeyFile.read(folder: folder.keysPath), !kept.keys.isEmpty else { return nil }
    let ring = KeyRing(proof, keys: kept.keys)
    for guest in kept.guests { ring.add(guest, asGuest: true, isUsed: true) }
    hold(ring)
    ring.current = kept.keys.last
    try catchUp(ring)
    return ring
  }

  /// Who began or was given an epoch may have died before its key was written down: it is in our own slot.
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

  /// Forgets keys that nobody has vouched for, unless they are kept.
  package func letGo() throws {
    if try !isKept() { held = nil }
  }

  /// Whether keys are kept on this device.
  package func isKept() throws -> Bool { try KeyFile.read(folder: folder.keysPath) != nil }

  /// Writes the keys down for the next run, where keys are kept, with those that another process has written. Of guests
  /// those that have opened something: anybody can make up keys for us.
  package func keep() throws {
    guard let held, folder.settings.access == .write, try store.metaInt("keepsKeys") != 0 else { return }
    try store.locked {
      let kept = try KeyFile.read(folder: folder.keysPath)
      let news = (kept?.keys ?? []).filter { !held.has($0) }
      for key in news { held.add(key) }
      for key in kept?.guests ?? [] { held.add(key, asGuest: true, isUsed: true) }
      if !news.isEmpty { try chooseKey() }
      let newest = held.newest
      let all = KeyFile(
        keys: held.all.filter { $0 != newest } + (newest.map { [$0] } ?? []),
        guests: held.usedGuests.suffix(KeyFile.mostGuests))
      guard kept != all else { return }
      try all.write(folder: folder.keysPath)
    }
  }

  /// What seals the next block; nil in a plain database.
  /// - Parameter key: under which key; nil for the newest.
  package func sealing(under key: EpochKey? = nil) throws -> Sealing? {
    guard let ring = try ring() else { return nil }
    guard let key = key ?? ring.newest else { throw KitError.noKey(path: folder.path, pending: false) }
    return Sealing(keys: ring, key: key, random: try Random.bytes(32))
  }

  /// Who knows that an epoch has begun writes nothing under another key: whom the new key shuts out could read it.
  /// - Throws: `oldKey` unless the settings allow it.
  package func requireNewestKey() throws {
    guard let ring = try ring(), let have = ring.newest?.number else { return }
    let here = Set(ring.all.map(\.name))
    guard try namedKeys().contains(where: { $0.number >= have && !here.contains($0) }) else { return }
    guard let first = try epochs().count.keys.first, !here.contains(first), try !folder.settings.writesUnderOldKeys()
    else { return }
    throw KitError.oldKey(epoch: first.number)
  }

  /// Asks for a password now if one will be needed: nobody is asked while others wait for the lock, and nobody twice.
  package func prepare() throws { _ = try ring() }
}

// A password that was given opens more than an instance without keys: it may have some, and lack those of an epoch that began since.

extension Keychain {
  /// Tries the password that was given on slots of epochs whose keys are not here, on each slot once. Nobody is asked.
  /// - Parameter others: slots from wherever they lay; the keys in them are guests until entries speak for them.
  /// - Returns: whether there are new keys.
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

// Blocks that could not be read.

extension Keychain {
  /// The keys that any entry names which was read, whether or not it counts.
  func namedKeys() throws -> Set<EpochCount.Key> {
    try Set(
      store.control.controls(["epoch"], heldBack: true).compactMap { row in
        if case .epoch(let change) = row.entry { EpochCount.Key(number: change.epoch, digest: change.key) } else { nil }
      })
  }

  /// Reads again what could not be read before, now that there are more keys or a newer program.
  func openUnread() throws -> ApplyResult {
    // What its author has signed stays as wrong as it is.
    let unread = try store.blocks.blocks(.unread).filter { $0.unread != .badPayload }
    var total = ApplyResult()
    guard !unread.isEmpty else { return total }
    let ring = try ringAtHand()
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

// Slots: which are valid, and what comes of them. They lie in containers too, where nobody is believed.

extension Keychain {
  /// What the entries about epochs come to.
  struct Epochs {
    /// Which keys count.
    var count: EpochCount
    /// The greatest that counts.
    var newest: UInt32 { count.newest }
    /// The names of slots that are valid: listed by an entry that counts, and ended by none.
    var valid: Set<Digest> = []
    var ended: Set<Digest> = []
    /// Those that are only in entries of former members which do not count.
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

  /// Looks whether somebody has wrapped the keys for us, who are not in yet.
  /// - Parameter slots: from wherever they lay.
  /// - Returns: whether there are new keys.
  func enter(_ slots: () throws -> [Slot]) throws -> Bool {
    guard try folder.isSealed(), try folder.isPending() else { return false }
    let ring = try ringAtHand() ?? KeyRing(proof)
    guard try Unlock.keys(for: identity(), slots(), into: ring) else { return false }
    hold(ring)
    return true
  }

  /// - Parameter place: what they were opened for, for people.
  /// - Throws: `badPassword` if none of the slots that a password has opened is valid, now that the entries about them are known.
  func requireValid(_ opened: [Slot], place: String) throws {
    let names = try validSlotNames()
    guard opened.contains(where: { names.contains($0.digest) }) else { throw KitError.badPassword(place: place) }
  }
}

// Which keys are vouched for. Entries are read with every key that any slot gives, since they say themselves which keys count and which
// slots are valid. What lies under a key for which nothing speaks in the end is hidden, and shown when something does: the
// same for everybody who has the key, in whatever order things came and by whichever slot it came.

extension Keychain {
  /// The names of the keys that were vouched for when blocks were looked at last.
  private static let vouchedKeys = "vouchedKeys"

  /// The keys that are vouched for: those that count, and those that valid slots wrap under them.
  private func vouchedFor(_ ring: KeyRing, _ epochs: Epochs) throws -> KeyRing {
    let vouched = KeyRing(proof, keys: ring.everything.filter { epochs.count.counts($0.name) })
    Unlock.follow(try validSlots(epochs), vouched)
    return vouched
  }

  /// The keys at hand for which something speaks; nil as long as nobody has said anything of keys.
  package func vouchedKeysAtHand() throws -> KeyRing? {
    guard let ring = try ringAtHand() else { return nil }
    let epochs = try epochs()
    return epochs.newest > 0 ? try vouchedFor(ring, epochs) : nil
  }

  /// Hides the changes of blocks under keys that nothing vouches for any more, and shows those of blocks under keys that
  /// something vouches for now.
  /// - Parameter hidden: gets the blocks that count otherwise and are hidden now, of each branch the first.
  package func vouchForBlocks(hidden: inout [BlockRow]) throws -> ApplyResult {
    guard try folder.isSealed(), folder.settings.access == .write, let ring = try ringAtHand() else {
      return ApplyResult()
    }
    let applied = try store.write { () -> ApplyResult? in
      let epochs = try epochs()
      // As long as no key counts nobody has said anything of keys.
      guard epochs.newest > 0 else { return nil }
      let vouched = try vouchedFor(ring, epochs)
      let guests = ring.guests
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

  /// Of each branch the first block that counts otherwise.
  private func firsts(_ rows: [BlockRow]) -> [BlockRow] {
    var found: [BranchID: BlockRow] = [:]
    for row in rows where row.state == .applied && row.index <= found[row.branch]?.index ?? .max {
      found[row.branch] = row
    }
    return found.values.sorted { $0.branch < $1.branch }
  }

  /// Of each branch the first block that opens under a key which nothing vouches for.
  package func unvouched() throws -> [Problem] {
    try firsts(store.blocks.hiddenBlocks()).map { Problem(unvouched: $0.branch, $0.index, place: "") }
  }

  package func vouchForBlocks() throws -> ApplyResult {
    var hidden: [BlockRow] = []
    return try vouchForBlocks(hidden: &hidden)
  }

  private func vouchedKeys() throws -> Set<EpochCount.Key> {
    let bytes = try store.metaBlob(Keychain.vouchedKeys) ?? []
    let size = EpochCount.Key.size
    return Set(
      stride(from: 0, to: bytes.count - bytes.count % size, by: size).compactMap {
        EpochCount.Key(bytes[$0..<$0 + size])
      })
  }

  /// Which keys our chain should have been begun with: nil if it was begun under such that are vouched for.
  func keysForOwnChain() throws -> (keys: [EpochKey], guests: [EpochKey])? {
    guard try folder.isSealed(), let ring = try ringAtHand(), !ring.guests.isEmpty, let newest = ring.newest,
      let first = try store.blocks.block(BranchID(folder.instance), 0)
    else { return nil }
    let keys = ring.all.filter { $0 != newest } + [newest]
    let name = try store.content.key(of: first)
    return keys.contains { $0.digest == name } ? nil : (keys, ring.guests)
  }

  /// The keys that nothing vouches for and that have sealed what counts otherwise: an admin's program sees to it that all
  /// have them.
  func guestsThatCount(_ ring: KeyRing) throws -> [EpochKey] {
    let used = ring.usedGuests.suffix(KeyFile.mostGuests)
    guard !used.isEmpty else { return [] }
    let rows = try store.blocks.hiddenBlocks().filter { $0.state == .applied }
    let names = try Set(rows.map { try store.content.key(of: $0) })
    return used.filter { names.contains($0.digest) }
  }
}

extension EpochKey {
  /// What entries call it.
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
