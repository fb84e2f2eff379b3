import SeaCore
import SeaStore

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
