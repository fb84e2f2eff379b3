import SeaCore
import SeaStore
import SeaSystem

extension Database {
  /// Block 0 of our chain: who we are.
  func writeGenesis(name: String) throws {
    let identity = try signingIdentity()
    let entry = try ControlEntry.instance(name: name, key: identity.key, exchange: identity.exchangeKey())
    var builder = BlockBuilder(room: Database.room(for: [entry], label: "init"))
    _ = try write(&builder, label: "init", controls: [entry])
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
  func write(_ builder: inout BlockBuilder, label: String?, controls given: [ControlEntry] = []) throws -> Applied {
    let identity = try signingIdentity()
    let chain = try store.chain(instance)
    let heads = chain == nil ? [] : try unannouncedHeads()
    let controls = given + (heads.isEmpty ? [] : [.heads(heads)])
    let count = builder.changes.count + controls.count
    guard count <= Payload.mostItems else { throw KitError.tooManyChanges(count) }
    let known = max(try store.greatestLamport(), chain?.lamport ?? 0)
    guard known < .max - 1, (chain?.head.index ?? 0) < .max - 2 else { throw KitError.chainExhausted }
    let time = settings.clock()
    let applied = try builder.finish(
      database: databaseID, identity: identity, previous: chain?.head, lamport: known + 1, time: time, label: label,
      controls: controls
    ) { bytes, header, head, payload in
      try store.append(VerifiedBlock(bytes: bytes, header: header, head: head, payload: payload), arrived: time)
    }
    try store.announce(heads)
    return applied
  }

  /// The heads of others that our chain has not named yet: whoever hides a tail from somebody is found out by them.
  private func unannouncedHeads() throws -> [ChainHead] {
    try store.chains().filter { $0.instance != instance && Int64($0.head.index) > $0.announced }.map { $0.head }
  }
}
