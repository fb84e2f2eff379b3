import SeaEngine
import SeaCore
import SeaWords

/// The slots of a sealed database, for people and programs.
struct SlotLines {
  let session: Session

  func show(_ slots: [SlotView]) throws -> ExitStatus {
    let list = try Listing(
      session.terminal, [Column("SLOT", "short"), Column("EPOCH", "epoch", right: true), Column("OPENS FOR", "opener")])
    for slot in slots { try list.add(item(slot)) }
    try list.end()
    return .success
  }

  private func item(_ slot: SlotView) -> Item {
    var item: Item = [
      "event": .text("slot"), "slot": .text(slot.name), "epoch": .integer(slot.epoch),
      "short": .aside(String(slot.name.description.prefix(session.terminal.abbrev))), "opener": .aside(opener(slot)),
    ]
    switch slot.kind {
    case .password(let rounds): item.add(["kind": .text("passphrase"), "rounds": .integer(rounds)])
    case .instance(let instance, let name):
      item.add(["kind": .text("instance"), "instance": .id(instance), "name": .text(name)])
    case .previous(let epoch): item.add(["kind": .text("previous"), "previous": .integer(epoch)])
    }
    return item
  }

  private func opener(_ slot: SlotView) -> String {
    switch slot.kind {
    case .password(let rounds): "a passphrase, \(rounds) rounds"
    case .instance(let instance, let name):
      "instance \(name.map { "\($0) " } ?? "")(\(session.terminal.short(instance)))"
    case .previous(let epoch): "who has the key of epoch \(slot.epoch), to read epoch \(epoch)"
    }
  }

  /// What a change would do.
  func preview(_ database: Database, _ mode: String?) throws -> ExitStatus {
    let slots = try database.access.slotViews()
    let passwords = slots.filter { if case .password = $0.kind { true } else { false } }.count
    let epoch = try database.keychain.newestEpoch()
    let readers = try database.members.readers().count
    try session.terminal.report(
      "would-change-slots",
      [
        "mode": .text(mode.map { String($0.dropFirst(2)) } ?? "change"), "passphrases": .integer(passwords),
        "epoch": .integer(mode == "--rotate" ? epoch + 1 : epoch),
      ]
    ) {
      switch mode {
      case "--add": "would add a passphrase to epoch \(epoch)"
      case "--remove": "would end a slot"
      case "--rotate": "would begin epoch \(epoch + 1) for \(Count(readers, "instance"))"
      default: "would replace a passphrase of epoch \(epoch)"
      }
    }
    return .success
  }
}

/// What a change of slots did, and what it did not do.
struct SlotReport {
  let session: Session
  let change: SlotChange
  let database: Database

  func tell(_ mode: String?, milliseconds: Int64) throws {
    try session.terminal.report(
      "slots-changed",
      [
        "slot": .text(change.added), "ended": .texts(change.ended), "epoch": .integer(change.epoch),
        "blocks": .integer(change.blocks), "blocks_reencoded": .integer(0), "readers": .readers(change.readers),
      ]
    ) {
      "\(did(mode)) in \(milliseconds / 1000).\(milliseconds % 1000 / 100) s; "
        + "0 of \(Count(change.blocks, "block")) re-encoded (none needed)"
    }
    session.terminal.summarise(["blocks": .integer(change.blocks)])
    try hints(mode)
  }

  private func did(_ mode: String?) -> String {
    switch mode {
    case "--add": "Passphrase added"
    case "--remove":
      "Slot \(change.ended.map { String($0.description.prefix(session.terminal.abbrev)) }.joined()) ended"
    case "--rotate": "Key epoch \(change.epoch ?? 0) begun"
    default: "Passphrase changed"
    }
  }

  private func hints(_ mode: String?) throws {
    let names = session.terminal.names(of: change.readers)
    switch mode {
    case "--add": session.terminal.notice("it opens all that is there and all that will be written in this epoch")
    case "--rotate":
      session.terminal.notice("what is written from now on can be read by: \(names)")
      if change.dropped > 0 {
        session.terminal.notice(
          "\(Count(change.dropped, "other passphrase")) \(change.dropped == 1 ? "opens" : "open") nothing any more: "
            + "sea passwd --add")
      }
      session.terminal.notice("who had a key before keeps what was written before")
    default:
      session.terminal.notice(
        "this does not lock out anyone who already has keys: instances \(names), and whoever copied the folder while "
          + "knowing the old passphrase; for what is written from now on: sea passwd --rotate, or sea revoke INSTANCE")
    }
  }
}

extension Terminal {
  /// The names of instances, or the short ids of those without one.
  func names(of readers: [Reader]) -> String {
    readers.map { $0.name.isEmpty ? short($0.instance) : $0.name }.joined(separator: ", ")
  }
}

extension Field {
  static func readers(_ readers: [Reader]) -> Field {
    .items(readers) { ["instance": .id($0.instance), "name": .text($0.name)] }
  }
}
