import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// This instance as an author: the only one who appends to its chain.
///
/// Whatever writes a block passes `write`, which holds the writer lock, makes sure that nobody else writes in our name, and
/// runs one transaction; its `append` seals, signs and applies one block. Who finds out that another copy may write to
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
  package func write<Result>(_ body: (BlockTransaction) throws -> Result) throws -> Result {
    // Nobody is asked for a password while others wait for the lock, and nobody twice.
    try keychain.prepare()
    return try store.locked {
      var done: (result: Result, start: BlockRef?, head: BlockRef?)?
      func run(at start: AppendPoint) throws {
        let transaction = try BlockTransaction(self, at: start)
        let result = try body(transaction)
        done = (result, start.trunk?.head, try transaction.current().trunk?.head)
      }
      // One transaction from the first look to the last write, unless what is seen calls for another name first.
      try store.write { if let point = try pointIfSole() { try run(at: point) } }
      if done == nil {
        try ensureSole()
        try store.write { try run(at: store.branches.appendPoint(of: folder.instance)) }
      }
      // Nothing to do is a promise too: what was there already may not be on the disk.
      if done!.head == done!.start, !store.isInTransaction { try store.disk.makeDurable() }
      recordHead(done!.head)
      return done!.result
    }
  }

  /// Runs `body`, and takes back whatever it appends: nobody reviews that.
  func provisionally<Result>(_ body: (BlockTransaction) throws -> Result) throws -> Result {
    try Trial(store).run {
      try body(try BlockTransaction(self, at: store.branches.appendPoint(of: folder.instance), isReviewed: false))
    }
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

  /// What a merge by itself is called in the log.
  static let mergeLabel = "merge"

  /// Block 0 of our chain: who we are.
  /// - Parameters:
  ///   - certificate: whose place it takes.
  ///   - others: what else is said there.
  package func appendGenesis(name: String, certificate: Certificate? = nil, others: [ControlEntry] = []) throws {
    let identity = try keychain.identity()
    let own = ControlEntry.instance(
      name: name, key: identity.key, exchange: try identity.exchangeKey(), follows: certificate)
    let transaction = try BlockTransaction(self, at: store.branches.appendPoint(of: folder.instance))
    try transaction.append(controls: [own] + others, label: "init")
  }

  /// The beginnings of a block that is not appended, or not in this transaction: with room for what this instance has to tell.
  package func builder(label: String?) throws -> BlockBuilder {
    try BlockTransaction(self, at: store.branches.appendPoint(of: folder.instance)).builder(label: label)
  }
}

/// One write to the chain of this instance: `Author.write` hands it to what writes, and nothing else appends a block.
package final class BlockTransaction {
  private let author: Author
  /// Whether changes are shown to those who review them.
  private let isReviewed: Bool
  private var point: AppendPoint
  /// The last block of the store when the point was read: a write within this one moves the point, too.
  private var last: Int64

  fileprivate init(_ author: Author, at point: AppendPoint, isReviewed: Bool = true) throws {
    (self.author, self.point, self.isReviewed) = (author, point, isReviewed)
    last = try author.store.blocks.lastSequence()
  }

  /// Where the next block goes.
  func current() throws -> AppendPoint {
    let now = try author.store.blocks.lastSequence()
    if now != last { (point, last) = (try author.store.branches.appendPoint(of: author.folder.instance), now) }
    return point
  }

  /// Appends a block that has control entries only.
  /// - Parameter key: what seals it; nil for the newest.
  @discardableResult
  package func append(controls: [ControlEntry], label: String?, under key: EpochKey? = nil) throws -> BlockRef {
    var builder = try BlockBuilder(room: Self.room(for: controls, heads: current().unannounced.count, label: label))
    return try append(&builder, label: label, controls: controls, under: key)
  }

  /// A block's beginnings, with room for what this instance has to tell.
  package func builder(label: String?, capacity: Int = 1 << 12) throws -> BlockBuilder {
    BlockBuilder(
      room: Self.room(for: [], heads: try current().unannounced.count, label: label), capacity: capacity)
  }

  private static func room(for controls: [ControlEntry], heads: Int, label: String?) -> Int {
    var writer = ByteWriter()
    for control in controls { control.write(into: &writer) }
    ClearList.write(controls.compactMap { if case .purge(let order) = $0 { order.block } else { nil } }, into: &writer)
    return 64 + writer.count + heads * BlockRef.rowSize + (label?.utf8.count ?? 0)
  }

  private static func isUnasked(_ label: String?) -> Bool {
    label == Author.mergeLabel || label == BlockTable.againLabel
  }

  /// Appends one signed block and applies it.
  /// - Returns: which one it is.
  @discardableResult
  package func append(
    _ builder: inout BlockBuilder, label: String?, controls: [ControlEntry] = [], under key: EpochKey? = nil
  ) throws -> BlockRef {
    let (folder, store, keychain, members) = (author.folder, author.store, author.keychain, author.members)
    var at = try current()
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
    if isReviewed, let look = author.willAppend, !builder.isEmpty, controls.isEmpty, !Self.isUnasked(label) {
      try look(builder.changes, builder.bytes)
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
    (point, last) = (at, try store.blocks.lastSequence())
    return block
  }
}

extension Author {
  /// The defaults that hold now for records of a type.
  func prototypes(of type: String) throws -> Prototypes {
    Prototypes(
      shared: try SharedSettings(self).counting(SharedGroup(type: type)),
      own: try folder.settings.ownConfig().filter { $0.key.section == "type" })
  }
}

// Recovery has a key and no device: its chain is written by whoever has the key, here, in between.

extension Author {
  /// Runs `body`, which writes to the chain of another instance whose keys are at hand.
  /// - Parameter name: what it is called in its first block, if it has none.
  package func act<Result>(as identity: Identity, named name: String, _ body: () throws -> Result) throws -> Result {
    try keychain.open(as: identity)
    try keychain.prepare()
    return try store.locked {
      try ensureSole()
      let (own, ownIdentity) = (folder.instance, keychain.identityAtHand)
      keychain.become(identity.instance, identity)
      isActing = true
      defer {
        isActing = false
        keychain.become(own, ownIdentity)
      }
      if try store.branches.chain(identity.instance) == nil { try write { _ in try appendGenesis(name: name) } }
      return try body()
    }
  }
}

// How this instance asks to be let in, and begins its chain once it is.

extension Author {
  /// Our own request to be let in, as long as we are not.
  func ownRequest() throws -> [UInt8]? {
    guard try folder.isSealed(), try folder.isPending() else { return nil }
    return try JoinRequest.encoded(
      database: folder.databaseID, identity: keychain.identity(), name: folder.name())
  }

  /// Leaves our request in a container, if it can be written to.
  /// - Returns: whether it is there now.
  func offerRequest(to container: Container) throws -> Bool {
    do {
      try giveRequest(to: container)
      return true
    } catch let error as ContainerError {
      guard case .system(let fault) = error, fault.isReadOnly || fault.isDenied else { throw error }
      return false
    }
  }

  /// Leaves our request in a container, and takes it away once we are in.
  func giveRequest(to container: Container) throws {
    let name = folder.instance.description
    if let request = try ownRequest() {
      try container.put(name, request, in: .requests)
    } else if try folder.isSealed(), try container.names(in: .requests).contains(name) {
      try container.remove(name, in: .requests)
    }
  }

  /// Begins our chain, once there are keys for it.
  func beginChain() throws {
    guard try folder.isPending(), try folder.isSealed(), let ring = try keychain.ringAtHand() else { return }
    let isIn = try keychain.validSlots().contains { slot in
      slot.isFor(folder.instance) && ring.keys(of: slot.epoch).contains { slot.isCommitted(to: $0) }
    }
    guard isIn, try folder.hasFounder(), ring[ring.first] != nil else {
      // Anybody can wrap some key for us.
      return try keychain.letGo()
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

// An instance is who has its key; so two copies of one `.sea` are one instance at two places, and write two blocks at one
// index. Whoever finds that out, or that it may come to that, goes on under a new key and name. The old chain stays as it
// is, whatever others make of its name, and is never written to again. The old key signs that the new one goes on in its
// place, so what it was a member as it stays.
//
// A kill between the steps leaves one of two states. The new key is in `.sea/keys/next` and the database knows nothing of
// it: then it is thrown away. Or the database has the new name, and `next` is its key: then it is given its place.

extension Author {
  /// Makes sure that nobody else writes to the chain of this instance, as far as can be known here.
  package func ensureSole() throws {
    if isActing { return }
    try store.locked {
      if try pointIfSole() != nil { return }
      try finishRenewal()
      if try store.branches.isContested(folder.instance) {
        try renew(.forked)
      } else if !isSole, let reason = try doubt(), try reason != .rolledBack || !isBackAgain() {
        try renew(reason)
      }
      isSole = true
    }
  }

  /// Where the next block goes, if nothing has to be done before. The writer lock is held.
  func pointIfSole() throws -> AppendPoint? {
    if isActing { return try store.branches.appendPoint(of: folder.instance) }
    guard try store.metaBlob("instance") == folder.instance.bytes else { return nil }
    let point = try store.branches.appendPoint(of: folder.instance)
    guard !point.isContested else { return nil }
    if !isSole {
      guard try !Path.exists(nextPath), try copyGuard.doubt(point.trunk?.head) == nil else { return nil }
      isSole = true
    }
    return point
  }

  /// The keys of a name that is being taken.
  private var nextPath: String { Path.join(folder.keysPath, IdentityFile.next) }

  private func doubt() throws -> Renewal.Reason? { try copyGuard.doubt(store.branches.chain(folder.instance)?.head) }

  /// What speaks against going on in the own chain, and what that was judged by. Nothing is written.
  func suspicion(_ head: BlockRef?) throws -> (reason: Renewal.Reason?, knowsMachine: Bool, hasNote: Bool) {
    let reason = try copyGuard.suspicion(head)
    return (reason, copyGuard.machine != nil, copyGuard.hasNote)
  }

  /// Whether what was lacking of the own chain came back from the containers that can be reached.
  private func isBackAgain() throws -> Bool {
    try bringBack()
    return try doubt() == nil && !store.branches.isContested(folder.instance)
  }

  /// Takes a new key and name, and begins a new chain, whose first block the old key vouches for. The old private keys
  /// are kept until the new name counts, and are gone then.
  /// - Parameter name: for people; the old one if nil.
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
          // Who has not been let in yet has no chain to begin.
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
      isSole = true
      recordHead()
      let renewal = Renewal(old: old, new: made.instance, reason: reason, waits: try !dropOldKeys())
      whenRenewed?(renewal)
      return renewal
    }
  }

  /// Takes away the private keys of names that this instance had before, once what it writes counts without them.
  /// - Returns: whether it does.
  @discardableResult
  func dropOldKeys() throws -> Bool {
    let membership = try members.membership()
    guard try !folder.isPending(), membership == nil || membership?.role(of: folder.instance) != nil else {
      return false
    }
    try IdentityFile.dropOld(folder: folder.keysPath)
    return true
  }

  /// Takes up the name that the database has now, which another process may have changed, and ends what was begun.
  /// The writer lock is held.
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
