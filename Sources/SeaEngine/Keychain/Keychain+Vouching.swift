import SeaCore
import SeaStore

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

  /// The first block of each branch that is hidden and counts otherwise.
  package func firstHidden() throws -> [BlockRow] { try firsts(store.blocks.hiddenBlocks()) }

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
