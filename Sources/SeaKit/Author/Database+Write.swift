import SeaCore
import SeaStore
import SeaSystem

extension Database {
  /// Nobody is asked for a password while others wait for the lock, and nobody twice.
  func prepareKeys() throws { _ = try keyRing() }

  /// Block 0 of our chain: who we are.
  /// - Parameter slots: those of the first epoch, which begins with it.
  func writeGenesis(name: String, slots: [Slot] = []) throws {
    let identity = try signingIdentity()
    var entries = [try ControlEntry.instance(name: name, key: identity.key, exchange: identity.exchangeKey())]
    if !slots.isEmpty { entries.append(.epoch(try EpochChange(epoch: 1, slots: slots.map(\.digest)))) }
    try write(controls: entries, label: "init")
  }

  /// Appends a block that has control entries only.
  /// - Parameter epoch: the epoch whose key seals it; nil for the newest.
  @discardableResult
  package func write(controls: [ControlEntry], label: String?, epoch: UInt32? = nil) throws -> ApplyResult {
    let heads = try store.blocks.chain(instance) == nil ? [] : try unannouncedHeads()
    var builder = BlockBuilder(room: Database.room(for: controls + [.heads(heads)], label: label))
    return try write(&builder, label: label, controls: controls, epoch: epoch)
  }

  /// A block's beginnings, with room for what this instance has to tell.
  func builder(label: String?, capacity: Int = 1 << 12) throws -> BlockBuilder {
    BlockBuilder(room: Database.room(for: [.heads(try unannouncedHeads())], label: label), capacity: capacity)
  }

  private static func room(for controls: [ControlEntry], label: String?) -> Int {
    var writer = ByteWriter()
    for control in controls { control.write(into: &writer) }
    return 64 + writer.count + (label?.utf8.count ?? 0)
  }

  /// Appends one signed block to our chain and applies it, in the store's current transaction.
  func write(
    _ builder: inout BlockBuilder, label: String?, controls given: [ControlEntry] = [], epoch: UInt32? = nil
  ) throws -> ApplyResult {
    let identity = try signingIdentity()
    let chain = try store.blocks.chain(instance)
    // Who may only read has a chain too, for its name.
    if chain != nil { try requireWriter() }
    let heads = chain == nil ? [] : try unannouncedHeads()
    let controls = given + (heads.isEmpty ? [] : [.heads(heads)])
    let count = builder.changes.count + controls.count
    guard count <= Payload.mostItems else { throw KitError.tooManyChanges(count) }
    let known = max(try store.blocks.greatestLamport(), chain?.lamport ?? 0)
    guard known < .max - 1, (chain?.head.index ?? 0) < .max - 2 else { throw KitError.chainExhausted }
    let time = settings.clock()
    let applied = try builder.finish(
      database: databaseID, identity: identity, previous: chain?.head, lamport: known + 1, time: time, label: label,
      controls: controls, sealing: sealing(epoch: epoch)
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
    try store.blocks.chains().filter { $0.instance != instance && Int64($0.head.index) > $0.announced }.map { $0.head }
  }
}
