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
