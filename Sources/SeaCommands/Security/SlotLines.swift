import SeaKit

/// The slots of a sealed database, for people and programs.
struct SlotLines {
  private let context: Context

  init(_ context: Context) { self.context = context }

  func show(_ slots: [SlotView]) throws -> ExitStatus {
    if context.options.json {
      for slot in slots {
        try context.object {
          $0.text("event", "slot")
          $0.text("slot", slot.name.description)
          $0.integer("epoch", slot.epoch)
          switch slot.kind {
          case .password(let rounds):
            $0.text("kind", "passphrase")
            $0.integer("rounds", rounds)
          case .instance(let instance, let name):
            $0.text("kind", "instance")
            $0.text("instance", instance.description)
            $0.text("name", name)
          case .previous(let epoch):
            $0.text("kind", "previous")
            $0.integer("previous", epoch)
          }
        }
      }
      return .success
    }
    var table = Table(
      [.init("SLOT"), .init("EPOCH", right: true), .init("OPENS FOR")], width: context.width, output: context.output)
    for slot in slots {
      try table.row([String(slot.name.description.prefix(context.abbrev)), String(slot.epoch), opener(slot)])
    }
    try table.end()
    return .success
  }

  private func opener(_ slot: SlotView) -> String {
    switch slot.kind {
    case .password(let rounds): "a passphrase, \(rounds) rounds"
    case .instance(let instance, let name): "instance \(name ?? "?") (\(context.short(instance)))"
    case .previous(let epoch): "who has the key of epoch \(slot.epoch), to read epoch \(epoch)"
    }
  }

  /// What a change would do.
  func preview(_ database: Database, _ mode: String?) throws -> ExitStatus {
    let slots = try database.slotViews()
    let passwords = slots.filter { if case .password = $0.kind { true } else { false } }.count
    let epoch = try database.newestEpoch()
    let readers = try database.readers().count
    try context.report("would-change-slots") {
      $0.text("mode", mode ?? "change")
      $0.integer("passphrases", passwords)
      $0.integer("epoch", mode == "--rotate" ? epoch + 1 : epoch)
    } text: {
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
  private let context: Context
  private let change: SlotChange
  private let database: Database

  init(_ context: Context, _ change: SlotChange, _ database: Database) {
    self.context = context
    self.change = change
    self.database = database
  }

  func tell(_ mode: String?, milliseconds: Int64) throws {
    try context.report("slots-changed") {
      $0.text("slot", change.added?.description)
      $0.texts("ended", change.ended.map(\.description))
      if let epoch = change.epoch { $0.integer("epoch", epoch) }
      $0.integer("blocks", change.blocks)
      $0.integer("blocks_reencoded", 0)
      $0.objects("readers", change.readers) { reader, one in
        one.text("instance", reader.instance.description)
        one.text("name", reader.name)
      }
    } text: {
      "\(did(mode)) in \(milliseconds / 1000).\(milliseconds % 1000 / 100) s; "
        + "0 of \(Count(change.blocks, "block")) re-encoded (none needed)"
    }
    try hints(mode)
  }

  private func did(_ mode: String?) -> String {
    switch mode {
    case "--add": "Passphrase added"
    case "--remove": "Slot \(change.ended.map { String($0.description.prefix(context.abbrev)) }.joined()) ended"
    case "--rotate": "Key epoch \(change.epoch ?? 0) begun"
    default: "Passphrase changed"
    }
  }

  private func hints(_ mode: String?) throws {
    let names = change.readers.map(\.name).joined(separator: ", ")
    switch mode {
    case "--add": context.notice("it opens all that is there and all that will be written in this epoch")
    case "--rotate":
      context.notice("what is written from now on can be read by: \(names)")
      if change.dropped > 0 {
        context.notice(
          "\(Count(change.dropped, "other passphrase")) \(change.dropped == 1 ? "opens" : "open") nothing any more: "
            + "sea passwd --add")
      }
      context.notice("who had a key before keeps what was written before")
    default:
      context.notice(
        "this does not lock out anyone who already has keys: instances \(names), and whoever copied the folder while "
          + "knowing the old passphrase; for what is written from now on: sea passwd --rotate, or sea revoke INSTANCE")
    }
  }
}
