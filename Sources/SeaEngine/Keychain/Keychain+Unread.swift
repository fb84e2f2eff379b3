import SeaCore
import SeaStore

// Blocks that could not be read. Whether the key of one may still come is a question of key and number: there may be several of one
// number, and anybody can make one up.

extension Keychain {
  /// The keys that any entry names which was read, whether or not it counts.
  func namedKeys() throws -> Set<EpochCount.Key> {
    try Set(
      store.control.controls(["epoch"], heldBack: true).compactMap { row in
        if case .epoch(let change) = row.entry { EpochCount.Key(number: change.epoch, digest: change.key) } else { nil }
      })
  }

  /// Whether a key of an epoch is named that is not here; nil if none is named so far.
  func lacksKeys(of epoch: UInt32, _ ring: KeyRing) throws -> Bool? {
    let (last, count) = (try store.blocks.lastSequence(), ring.everything.count)
    if lacking.last != last || lacking.keys != count { lacking = (last, count, [:]) }
    if let known = lacking.epochs[epoch] { return known }
    let all = try namedKeys()
    let named = all.filter { $0.number == epoch }
    let here = try Set(ring.keys(of: epoch).map(name(of:)))
    // Where nothing is said of any key, those that we were given are all; of whom nobody has let in they may be anybody's.
    let isUnknown = try all.isEmpty ? folder.isPending() : named.isEmpty
    let lacks = isUnknown ? nil : !named.isSubset(of: here)
    lacking.epochs[epoch] = .some(lacks)
    return lacks
  }

  /// Says anew of what no key opens whether its key may still come, now that more entries are known.
  func judgeUnread() throws {
    guard try folder.isSealed(), let ring = try ringAtHand() else { return }
    let changed = try store.blocks.blocks(.unread).compactMap { row -> (row: BlockRow, reason: UnreadReason)? in
      guard row.unread == .badTag || row.unread == .noKey, !row.isRemoved else { return nil }
      let epoch = try store.content.epoch(of: row)
      let isHere = !ring.keys(of: epoch).isEmpty
      let reason = try isHere && lacksKeys(of: epoch, ring) == false ? UnreadReason.badTag : .noKey
      return reason == row.unread ? nil : (row, reason)
    }
    guard !changed.isEmpty else { return }
    try store.write { for one in changed { try store.blocks.setUnread(one.reason, of: one.row) } }
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
