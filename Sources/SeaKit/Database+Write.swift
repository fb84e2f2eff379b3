import SeaCore
import SeaStore
import SeaSystem

extension Database {
  /// Block 0 of our chain: who we are.
  func writeGenesis(name: String) throws {
    let identity = try signingIdentity()
    let entry = ControlEntry.instance(name: name, key: identity.key, exchange: identity.exchange)
    _ = try writeBlock(label: "init", changes: [], items: ByteWriter(capacity: 16), controls: [entry])
  }

  /// Appends one signed block to our chain and applies it, in the store's current transaction.
  /// - Parameters:
  ///   - changes: in the order in which the block is to hold them; their ranges are in `items`.
  func writeBlock(
    label: String?, changes: [Change], items: borrowing ByteWriter, controls given: [ControlEntry] = []
  ) throws -> Applied {
    let identity = try signingIdentity()
    let chain = try store.chain(instance)
    var controls = given
    let heads = chain == nil ? [] : try unannouncedHeads()
    if !heads.isEmpty { controls.append(.heads(heads)) }
    let count = changes.count + controls.count
    guard count <= Payload.mostItems else { throw KitError.tooManyChanges(count) }
    let known = max(try store.greatestLamport(), chain?.lamport ?? 0)
    guard known < .max - 1, (chain?.head.index ?? 0) < .max - 2 else { throw KitError.chainExhausted }

    var builder = BlockBuilder(capacity: items.count + changes.count + 1024)
    let time = settings.clock()
    builder.begin(time: time, label: label, items: count)
    for control in controls { control.write(into: &builder.writer) }
    var moved: [Change] = []
    moved.reserveCapacity(changes.count)
    for change in changes {
      builder.beginChange()
      moved.append(change.moved(by: builder.writer.count - BlockHeader.size - change.items.lowerBound))
      builder.writer.append(UnsafeBufferPointer(rebasing: items.bytes[change.items]))
    }
    let size = builder.writer.count + Payload.signatureSize
    guard size <= BlockHeader.largestBlock else { throw KitError.transactionTooLarge(bytes: size) }
    let made = try builder.finish(
      database: databaseID, identity: identity, previous: chain?.head, lamport: known + 1)
    var payload = Payload(time: time, label: label)
    payload.changes = moved
    payload.controls = controls
    let applied = try store.append(
      VerifiedBlock(
        bytes: UnsafeRawBufferPointer(builder.writer.bytes), header: made.header, head: made.head, payload: payload),
      arrived: time)
    try store.announce(heads)
    return applied
  }

  /// The heads of others that our chain has not named yet: whoever hides a tail from somebody is found out by them.
  private func unannouncedHeads() throws -> [ChainHead] {
    try store.chains().filter { $0.instance != instance && Int64($0.head.index) > $0.announced }.map { $0.head }
  }
}
