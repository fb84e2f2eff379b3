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
  /// Called with the changes of records that are about to be appended, and the bytes they stand in, under the lock. What it throws
  /// ends the transaction. What nobody asks for, as a merge by itself, is not shown.
  var willAppend: (([Change], UnsafeBufferPointer<UInt8>) throws -> Void)?
  /// Whether it was looked whether others write in the name of this instance.
  var isSole = false
  /// Whether it writes in another name for a while, as recovery does.
  var isActing = false
  /// Where the next block goes, while `write` runs: nobody else can change it.
  private var point: AppendPoint?

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
    if point != nil { return try store.write(body) }
    // Nobody is asked for a password while others wait for the lock, and nobody twice.
    try keychain.prepare()
    return try store.locked {
      var done: (result: Result, start: BlockRef?, head: BlockRef?)?
      // One transaction from the first look to the last write, unless what is seen calls for another name first.
      try store.write {
        guard let point = try pointIfSole() else { return }
        done = try appending(at: point, body)
      }
      if done == nil {
        try ensureSole()
        try store.write { done = try appending(at: store.branches.appendPoint(of: folder.instance), body) }
      }
      // Nothing to do is a promise too: what was there already may not be on the disk.
      if done!.head == done!.start { try store.disk.makeDurable() }
      recordHead(done!.head)
      return done!.result
    }
  }

  /// - Returns: also the own head before and behind it.
  private func appending<Result>(
    at start: AppendPoint, _ body: () throws -> Result
  ) throws -> (result: Result, start: BlockRef?, head: BlockRef?) {
    point = start
    defer { point = nil }
    let result = try body()
    return (result, start.trunk?.head, point?.trunk?.head)
  }

  /// Runs `body` in the middle of `write`, and takes back whatever it appends: nobody is asked about that.
  func provisionally<Result>(_ body: () throws -> Result) throws -> Result {
    let (kept, asked) = (point, willAppend)
    willAppend = nil
    defer { (point, willAppend) = (kept, asked) }
    return try Trial(store).run(body)
  }

  /// Writes down how far we have come, once that is durable. The writer lock is held.
  /// - Parameter head: the own head, if it is known.
  package func recordHead(_ head: BlockRef? = nil) {
    guard folder.settings.notes != nil, !isActing, !store.isInTransaction,
      let head = head ?? (try? store.branches.chain(folder.instance))??.head
    else { return }
    copyGuard.record(head)
  }

  // MARK: - Blocks

  /// Block 0 of our chain: who we are.
  /// - Parameters:
  ///   - certificate: whose place it takes.
  ///   - others: what else is said there.
  package func appendGenesis(name: String, certificate: Certificate? = nil, others: [ControlEntry] = []) throws {
    let identity = try keychain.identity()
    let own = ControlEntry.instance(
      name: name, key: identity.key, exchange: try identity.exchangeKey(), follows: certificate)
    try append(controls: [own] + others, label: "init")
  }

  /// Appends a block that has control entries only.
  /// - Parameter key: what seals it; nil for the newest.
  @discardableResult
  package func append(controls: [ControlEntry], label: String?, under key: EpochKey? = nil) throws -> BlockRef {
    let point = try appendPoint()
    var builder = BlockBuilder(room: Author.room(for: controls, heads: point.unannounced.count, label: label))
    return try append(&builder, label: label, controls: controls, under: key)
  }

  /// A block's beginnings, with room for what this instance has to tell.
  package func builder(label: String?, capacity: Int = 1 << 12) throws -> BlockBuilder {
    BlockBuilder(
      room: Author.room(for: [], heads: try appendPoint().unannounced.count, label: label), capacity: capacity)
  }

  private static func room(for controls: [ControlEntry], heads: Int, label: String?) -> Int {
    var writer = ByteWriter()
    for control in controls { control.write(into: &writer) }
    ClearList.write(controls.compactMap { if case .purge(let order) = $0 { order.block } else { nil } }, into: &writer)
    return 64 + writer.count + heads * 58 + (label?.utf8.count ?? 0)
  }

  /// What a merge by itself is called in the log.
  static let mergeLabel = "merge"

  private static func isUnasked(_ label: String?) -> Bool { label == mergeLabel || label == BlockTable.againLabel }

  private func appendPoint() throws -> AppendPoint { try point ?? store.branches.appendPoint(of: folder.instance) }

  /// Appends one signed block to our chain and applies it, in the store's current transaction.
  /// - Returns: which one it is.
  @discardableResult
  package func append(
    _ builder: inout BlockBuilder, label: String?, controls: [ControlEntry] = [], under key: EpochKey? = nil
  ) throws -> BlockRef {
    var at = try appendPoint()
    let identity = try keychain.identity(key: at.publicKey)
    // Who may only read has a chain too, for its name.
    if at.trunk != nil { try members.requireWriter() }
    // Entries are for all; what records say is for those who have the newest key.
    if !builder.isEmpty { try keychain.requireNewestKey() }
    // Whoever hides a tail of others from somebody is found out by what we name.
    let heads = at.unannounced
    let count = builder.changes.count + controls.count
    guard count <= Payload.mostItems else { throw KitError.tooManyChanges(count) }
    // What nobody would take in, ourselves included, is not signed.
    guard controls.allSatisfy(\.isReadable) else { throw KitError.entryTooLarge }
    guard (at.trunk?.head.index ?? 0) < .max - 1 else { throw KitError.chainExhausted }
    if let willAppend, !builder.isEmpty, controls.isEmpty, !Author.isUnasked(label) {
      try willAppend(builder.changes, builder.bytes)
    }
    let time = folder.settings.clock()
    let compresses = try builder.count >= Frames.leastContent && folder.settings.compresses()
    let block = try builder.finish(
      database: folder.databaseID, identity: identity, previous: at.trunk?.head,
      lamport: LamportClock.next(after: at.lamport), time: time, label: label, heads: heads, controls: controls,
      compresses: compresses, sealing: keychain.sealing(under: key)
    ) { block, payload in
      let verified = VerifiedBlock(
        bytes: block.bytes, clear: block.clear, framed: block.framed, header: block.header, block.head,
        payload: payload)
      _ = try store.intake.append(verified, at: &at, arrived: time)
      return block.head
    }
    if point != nil { point = at }
    return block
  }
}
