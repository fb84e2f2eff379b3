import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The only writer of this instance's chain.
///
/// Every block is written through `write`, which takes the writer lock, checks that no other copy uses the same
/// identity, and runs one transaction. The transaction's `append` encrypts, signs and applies one block. If another
/// copy may be writing to the chain, this instance continues under a new identity (`renew`) and leaves the old chain
/// unchanged.
package final class Author {
  let folder: SeaFolder
  let keychain: Keychain
  let members: Roster
  let copyGuard: CopyGuard
  package var whenRenewed: ((Renewal) -> Void)?
  /// The user's hook that checks records before they are written.
  package var reviewer: Reviewer?
  /// Whether a check has shown that no other copy uses this instance's identity.
  var isOnlyWriter = false
  /// Whether this instance temporarily writes as another instance, for example during recovery.
  var writesAsOtherInstance = false

  var store: Store { folder.store }

  package init(_ folder: SeaFolder, _ keychain: Keychain, _ members: Roster) {
    self.folder = folder
    self.keychain = keychain
    self.members = members
    copyGuard = CopyGuard(folder)
  }

  /// Runs `body`, which writes to this instance's chain, in one transaction under the writer lock. If another copy may
  /// be writing to the chain, the instance first takes a new identity and begins a new chain.
  @discardableResult
  package func write<Result>(_ body: (BlockTransaction) throws -> Result) throws -> Result {
    // Prompt for the password only once, and before taking the lock.
    try keychain.prepare()
    return try store.locked {
      var done: (result: Result, start: BlockRef?, head: BlockRef?)?
      func run(at start: AppendPoint) throws {
        let transaction = try BlockTransaction(self, at: start)
        let result = try body(transaction)
        done = (result, start.trunk?.head, try transaction.current().trunk?.head)
      }
      // The check and all writes are one transaction, unless the check shows that a new identity is needed first.
      try store.write { if let point = try appendPointIfOnlyWriter() { try run(at: point) } }
      if done == nil {
        try ensureOnlyWriter()
        try store.write { try run(at: store.branches.appendPoint(of: folder.instance)) }
      }
      // Even if no block was added, callers rely on the existing data being durable.
      if done!.head == done!.start, !store.isInTransaction, store.flushesCommits { try store.disk.makeDurable() }
      recordHead(done!.head)
      return done!.result
    }
  }

  /// Runs `body`, whose writes are durable only after the next `flush`, so that several calls can share it.
  package func unflushed<Result>(_ body: () throws -> Result) throws -> Result {
    try store.unflushed(body)
  }

  /// Makes the writes of `unflushed` durable.
  /// - Throws: `replaced` if the database is no longer at its path, where another one would be flushed.
  package func flush() throws {
    if store.hasMoved { throw StoreError.replaced(path: store.folder) }
    try store.disk.makeDurable()
    store.lockedIfFree { recordHead() }
  }

  /// Runs `body` and undoes everything it appended. The reviewer does not receive the changes.
  func provisionally<Result>(_ body: (BlockTransaction) throws -> Result) throws -> Result {
    try Trial(store).run {
      try body(try BlockTransaction(self, at: store.branches.appendPoint(of: folder.instance), isReviewed: false))
    }
  }

  /// Records this instance's head in the copy guard once the head is durable. The caller must hold the writer lock.
  /// - Parameter head: this instance's head; nil to read it from the store.
  package func recordHead(_ head: BlockRef? = nil) {
    guard folder.settings.notes != nil, !writesAsOtherInstance, !store.isInTransaction, store.flushesCommits,
      let head = head ?? (try? store.branches.chain(folder.instance))??.head
    else { return }
    copyGuard.record(head)
  }

  // MARK: - Blocks

  static let mergeLabel = "merge"

  package func appendGenesis(name: String, certificate: Certificate? = nil, others: [ControlEntry] = []) throws {
    let identity = try keychain.identity()
    let own = ControlEntry.instance(
      name: name, key: identity.key, exchange: try identity.exchangeKey(), follows: certificate)
    let transaction = try BlockTransaction(self, at: store.branches.appendPoint(of: folder.instance))
    try transaction.append(controls: [own] + others, label: "init")
  }

  /// Begins a block, leaving room for announcements. Used for blocks that are created outside of this transaction or
  /// never appended.
  package func builder(label: String?) throws -> BlockBuilder {
    try BlockTransaction(self, at: store.branches.appendPoint(of: folder.instance)).builder(label: label)
  }
}

/// A write to this instance's chain. `Author.write` passes the transaction to its closure; only `append` adds blocks.
package final class BlockTransaction {
  private let author: Author
  private let isReviewed: Bool
  private var point: AppendPoint
  /// The last block in the store when the append point was read. A nested write also moves the append point.
  private var last: Int64

  fileprivate init(_ author: Author, at point: AppendPoint, isReviewed: Bool = true) throws {
    (self.author, self.point, self.isReviewed) = (author, point, isReviewed)
    last = try author.store.blocks.lastSequence()
  }

  func current() throws -> AppendPoint {
    let now = try author.store.blocks.lastSequence()
    if now != last { (point, last) = (try author.store.branches.appendPoint(of: author.folder.instance), now) }
    return point
  }

  /// Appends a block that contains only control entries.
  /// - Parameter key: the key that encrypts the block; nil for the newest key.
  @discardableResult
  package func append(controls: [ControlEntry], label: String?, under key: EpochKey? = nil) throws -> BlockRef {
    var builder = try BlockBuilder(
      reservedSize: Self.room(for: controls, heads: current().unannounced.count, label: label))
    return try append(&builder, label: label, controls: controls, under: key)
  }

  package func builder(label: String?, capacity: Int = 1 << 12) throws -> BlockBuilder {
    BlockBuilder(
      reservedSize: Self.room(for: [], heads: try current().unannounced.count, label: label), capacity: capacity)
  }

  private static func room(for controls: [ControlEntry], heads: Int, label: String?) -> Int {
    var writer = ByteWriter()
    for control in controls { control.write(into: &writer) }
    ClearList.write(controls.compactMap { if case .purge(let order) = $0 { order.block } else { nil } }, into: &writer)
    return 64 + writer.count + heads * BlockRef.rowSize + (label?.utf8.count ?? 0)
  }

  private static func isUnasked(_ label: String?) -> Bool {
    label == Author.mergeLabel || label == BlockTable.rewriteMessage
  }

  @discardableResult
  package func append(
    _ builder: inout BlockBuilder, label: String?, controls: [ControlEntry] = [], under key: EpochKey? = nil
  ) throws -> BlockRef {
    let (folder, store, keychain, members) = (author.folder, author.store, author.keychain, author.members)
    var at = try current()
    let identity = try keychain.identity(key: at.publicKey)
    // Even a read-only member has a chain, which contains its name.
    if at.trunk != nil { try members.requireWriter() }
    // Control entries may be encrypted under an older key; changes to records require the newest key.
    if !builder.isEmpty { try keychain.requireNewestKey() }
    // The block names the heads of other chains, so that readers notice if a container withholds the last blocks of
    // these chains.
    let heads = at.unannounced
    let count = builder.changes.count + controls.count
    guard count <= Payload.mostItems else { throw KitError.tooManyChanges(count) }
    // Never sign a block that no instance would accept.
    guard controls.allSatisfy(\.isReadable) else { throw KitError.entryTooLarge }
    guard (at.trunk?.head.index ?? 0) < .max - 1 else { throw KitError.chainExhausted }
    if isReviewed, let reviewer = author.reviewer, !builder.isEmpty, controls.isEmpty, !Self.isUnasked(label) {
      try reviewer.review(builder.changes, builder.bytes)
    }
    let time = folder.settings.clock()
    let compresses = try builder.count >= Frames.leastContent && author.compresses()
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
    (point, last) = (at, try store.blocks.lastSequence())
    return block
  }
}

extension Author {
  func prototypes(of type: String) throws -> Prototypes {
    Prototypes(
      shared: try SharedSettings(self).settings(of: "type.\(type)/"),
      own: try folder.settings.config().own.filter { $0.key.section == "type" })
  }

  /// Whether to compress blocks if compression saves space.
  fileprivate func compresses() throws -> Bool {
    try folder.settings.config().sharing(SharedSettings(self).settings(of: "core.")).bool("core.compress") ?? true
  }
}

// Writes to the chain of the recovery instance, which has a key but no device. Any instance that has the key can do
// this.

extension Author {
  /// Runs `body`, which writes to the chain of another instance whose private keys are available.
  package func act<Result>(as identity: Identity, named name: String, _ body: () throws -> Result) throws -> Result {
    try keychain.open(as: identity)
    try keychain.prepare()
    return try store.locked {
      try ensureOnlyWriter()
      let (own, ownIdentity) = (folder.instance, keychain.identityAtHand)
      keychain.become(identity.instance, identity)
      writesAsOtherInstance = true
      defer {
        writesAsOtherInstance = false
        keychain.become(own, ownIdentity)
      }
      if try store.branches.chain(identity.instance) == nil { try write { _ in try appendGenesis(name: name) } }
      return try body()
    }
  }
}

extension Author {
  func ownRequest() throws -> [UInt8]? {
    guard try folder.isSealed(), try folder.isPending() else { return nil }
    return try JoinRequest.encoded(
      database: folder.databaseID, identity: keychain.identity(), name: folder.name())
  }

  /// Leaves this instance's request for access in a container, if the container is writable.
  /// - Returns: whether the container accepted the request.
  func offerRequest(to container: Container) throws -> Bool {
    do {
      try giveRequest(to: container)
      return true
    } catch let error as ContainerError {
      guard case .system(let fault) = error, fault.isReadOnly || fault.isDenied else { throw error }
      return false
    }
  }

  /// Leaves this instance's request for access in a container, or removes the request once this instance is authorized.
  func giveRequest(to container: Container) throws {
    let name = folder.instance.description
    if let request = try ownRequest() {
      try container.put(name, request, in: .requests)
    } else if try folder.isSealed(), try container.names(in: .requests).contains(name) {
      try container.remove(name, in: .requests)
    }
  }

  func beginChain() throws {
    guard try folder.isPending(), try folder.isSealed(), let ring = try keychain.availableKeyRing() else { return }
    let isIn = try keychain.validSlots().contains { slot in
      slot.isFor(folder.instance) && ring.keys(of: slot.epoch).contains { slot.isCommitted(to: $0) }
    }
    guard isIn, try folder.hasFounder(), ring[ring.first] != nil else {
      // A key slot for this instance proves nothing, because anyone can wrap any key for it.
      return try keychain.forgetUnstoredKeys()
    }
    try keychain.chooseKey()
    try keychain.keep()
    try write { _ in
      guard try folder.isPending() else { return }
      try appendGenesis(name: folder.name())
    }
    _ = try? Path.remove(folder.requestPath)
  }
}

// Detects copies and renews the identity. An instance is identified by its key, so two copies of a `.sea` folder are
// the same instance in two places and might write different blocks with the same index. A copy that detects this, or
// the risk of it, continues with a new key and a new chain, and never writes to the old chain again. The old key signs
// a certificate for the new key, so the instance keeps its role.
//
// A crash between the steps leaves one of two states. If the database does not know the key in `.sea/keys/next`, the
// key is discarded. If the database already has the new identity and `next` is its key, the key replaces the old key.

extension Author {
  /// Makes sure that no other copy writes to this instance's chain, to the extent that this device can know.
  package func ensureOnlyWriter() throws {
    if writesAsOtherInstance { return }
    try store.locked {
      if try appendPointIfOnlyWriter() != nil { return }
      try finishRenewal()
      if try store.branches.isContested(folder.instance) {
        try renew(.forked)
      } else if !isOnlyWriter, let reason = try doubt() {
        try renew(reason)
      }
      isOnlyWriter = true
    }
  }

  /// Returns where to append the next block; nil if `ensureOnlyWriter` must be called first. The caller must hold the writer
  /// lock.
  func appendPointIfOnlyWriter() throws -> AppendPoint? {
    if writesAsOtherInstance { return try store.branches.appendPoint(of: folder.instance) }
    guard try store.metaBlob("instance") == folder.instance.bytes else { return nil }
    let point = try store.branches.appendPoint(of: folder.instance)
    guard !point.isContested else { return nil }
    if !isOnlyWriter {
      guard try !Path.exists(nextPath), try copyGuard.doubt(point.trunk?.head) == nil else { return nil }
      isOnlyWriter = true
    }
    return point
  }

  private var nextPath: String { Path.join(folder.keysPath, IdentityFile.next) }

  private func doubt() throws -> Renewal.Reason? { try copyGuard.doubt(store.branches.chain(folder.instance)?.head) }

  /// Returns the reason, if any, why this instance's chain must not be continued, and the evidence for it. Writes
  /// nothing.
  func suspicion(_ head: BlockRef?) throws -> (reason: Renewal.Reason?, knowsMachine: Bool, hasNote: Bool) {
    let reason = try copyGuard.suspicion(head)
    return (reason, copyGuard.machine != nil, copyGuard.hasNote)
  }

  /// Creates a new key and begins a new chain, whose first block has a certificate signed by the old key. The old
  /// private keys are kept until the new identity is authorized, and then deleted.
  @discardableResult
  package func renew(_ reason: Renewal.Reason, name: String? = nil) throws -> Renewal {
    try store.locked {
      try finishRenewal()
      let (old, oldIdentity) = (folder.instance, keychain.identityAtHand)
      let isRequest = try folder.isPending()
      let made = try IdentityFile.make()
      let predecessor = try? keychain.identity()
      let certificate = try predecessor.map {
        try Certificate(by: $0, for: made.instance, exchange: made.exchangeKey(), in: folder.databaseID)
      }
      AtomicFile.removeTemporaries(in: folder.keysPath)
      try IdentityFile.write(made, folder: folder.keysPath, name: IdentityFile.next)
      if folder.hasMembers, let predecessor { try IdentityFile.keepOld(predecessor, folder: folder.keysPath) }
      do {
        try store.write {
          try store.setMeta("instance", .blob(made.instance.bytes))
          if let name { try store.setMeta("name", .text(name)) }
          if let machine = copyGuard.machine { try store.setMeta("machine", .text(machine)) }
          keychain.become(made.instance, made)
          // An instance that is not authorized yet does not have a chain.
          if !isRequest { try appendGenesis(name: name ?? folder.name(), certificate: certificate) }
        }
      } catch {
        keychain.become(old, oldIdentity)
        throw error
      }
      try IdentityFile.adopt(folder: folder.keysPath)
      if isRequest, let request = try ownRequest() {
        try AtomicFile.write(folder.requestPath, mode: 0o644, request, replace: true)
      }
      isOnlyWriter = true
      recordHead()
      let renewal = Renewal(old: old, new: made.instance, reason: reason, needsAuthorization: try !dropOldKeys())
      whenRenewed?(renewal)
      return renewal
    }
  }

  /// Deletes the private keys of previous identities once this instance's changes are accepted without them.
  /// - Returns: whether the keys were deleted.
  @discardableResult
  func dropOldKeys() throws -> Bool {
    let membership = try members.membership()
    guard try !folder.isPending(), membership == nil || membership?.role(of: folder.instance) != nil else {
      return false
    }
    try IdentityFile.dropOld(folder: folder.keysPath)
    return true
  }

  /// Adopts the current identity of the database, which another process may have changed, and completes an interrupted
  /// renewal. The caller must hold the writer lock.
  private func finishRenewal() throws {
    guard let now = try store.metaBlob("instance").flatMap({ UUID($0) }) else { throw KitError.damaged("meta") }
    if now != folder.instance { keychain.become(now, nil) }
    guard try Path.exists(nextPath) else { return }
    let next = try IdentityFile.read(folder: folder.keysPath, name: IdentityFile.next, key: nil)
    if next.instance == now {
      try IdentityFile.adopt(folder: folder.keysPath)
      keychain.become(now, nil)
    } else {
      try Path.remove(nextPath)
    }
  }
}
