import SeaCore
import SeaStore
import SeaSystem

/// This instance as an author: the only one who appends to its chain.
///
/// Whatever writes a block passes `write`, which holds the writer lock, makes sure that nobody else writes in our name, and
/// runs one transaction; in it `append` seals, signs and applies one block. Who finds out that another copy may write to
/// the chain goes on under a new name (`renew`), and no promise is broken: the old chain stays as it is.
package final class Author {
  let folder: SeaFolder
  let keychain: Keychain
  let members: Roster
  let copyGuard: CopyGuard
  /// Called when the instance has taken a new name.
  package var whenRenewed: ((Renewal) -> Void)?
  /// Takes in what containers in reach have of the own chain. Whoever looks after containers sets it.
  package var bringBack: () throws -> Void = {}
  /// Whether it was looked whether others write in the name of this instance.
  var isSole = false

  var store: Store { folder.store }

  package init(_ folder: SeaFolder, _ keychain: Keychain, _ members: Roster) {
    self.folder = folder
    self.keychain = keychain
    self.members = members
    copyGuard = CopyGuard(folder)
  }

  /// Runs `body`, which writes to the chain of this instance, in one transaction under the writer lock. If others may write
  /// to that chain too, it is another one from now on.
  @discardableResult
  package func write<Result>(_ body: () throws -> Result) throws -> Result {
    // Nobody is asked for a password while others wait for the lock, and nobody twice.
    try keychain.prepare()
    return try store.locked {
      try ensureSole()
      let result = try store.write(body)
      recordHead()
      return result
    }
  }

  /// Writes down how far we have come. The writer lock is held.
  package func recordHead() {
    guard folder.settings.notes != nil, let head = (try? store.blocks.chain(folder.instance)) ?? nil else { return }
    copyGuard.record(head.head)
  }

  // MARK: - Blocks

  /// Block 0 of our chain: who we are.
  /// - Parameter slots: those of the first epoch, which begins with it.
  package func appendGenesis(name: String, slots: [Slot] = []) throws {
    let identity = try keychain.identity()
    var entries = [try ControlEntry.instance(name: name, key: identity.key, exchange: identity.exchangeKey())]
    if !slots.isEmpty { entries.append(.epoch(try EpochChange(epoch: 1, slots: slots.map(\.digest)))) }
    try append(controls: entries, label: "init")
  }

  /// Appends a block that has control entries only.
  /// - Parameter epoch: the epoch whose key seals it; nil for the newest.
  @discardableResult
  package func append(controls: [ControlEntry], label: String?, epoch: UInt32? = nil) throws -> ApplyResult {
    let heads = try store.blocks.chain(folder.instance) == nil ? [] : try unannouncedHeads()
    var builder = BlockBuilder(room: Author.room(for: controls + [.heads(heads)], label: label))
    return try append(&builder, label: label, controls: controls, epoch: epoch)
  }

  /// A block's beginnings, with room for what this instance has to tell.
  package func builder(label: String?, capacity: Int = 1 << 12) throws -> BlockBuilder {
    BlockBuilder(room: Author.room(for: [.heads(try unannouncedHeads())], label: label), capacity: capacity)
  }

  private static func room(for controls: [ControlEntry], label: String?) -> Int {
    var writer = ByteWriter()
    for control in controls { control.write(into: &writer) }
    return 64 + writer.count + (label?.utf8.count ?? 0)
  }

  /// Appends one signed block to our chain and applies it, in the store's current transaction.
  @discardableResult
  package func append(
    _ builder: inout BlockBuilder, label: String?, controls given: [ControlEntry] = [], epoch: UInt32? = nil
  ) throws -> ApplyResult {
    let identity = try keychain.identity()
    let chain = try store.blocks.chain(folder.instance)
    // Who may only read has a chain too, for its name.
    if chain != nil { try members.requireWriter() }
    let heads = chain == nil ? [] : try unannouncedHeads()
    let controls = given + (heads.isEmpty ? [] : [.heads(heads)])
    let count = builder.changes.count + controls.count
    guard count <= Payload.mostItems else { throw KitError.tooManyChanges(count) }
    let known = max(try store.blocks.greatestLamport(), chain?.lamport ?? 0)
    guard known < .max - 1, (chain?.head.index ?? 0) < .max - 2 else { throw KitError.chainExhausted }
    let time = folder.settings.clock()
    let applied = try builder.finish(
      database: folder.databaseID, identity: identity, previous: chain?.head, lamport: known + 1, time: time,
      label: label, controls: controls, sealing: keychain.sealing(epoch: epoch)
    ) { block, payload in
      try store.append(
        VerifiedBlock(
          bytes: block.bytes, clear: block.clear, header: block.header, block.head, payload: payload),
        arrived: time)
    }
    try store.blocks.announce(heads)
    return applied
  }

  /// The heads of others that our chain has not named yet: whoever hides a tail from somebody is found out by them.
  private func unannouncedHeads() throws -> [BlockRef] {
    try store.blocks.chains().filter { $0.instance != folder.instance && Int64($0.head.index) > $0.announced }.map {
      $0.head
    }
  }
}
