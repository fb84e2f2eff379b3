import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

package struct MemberChange: Sendable {
  package var role: Role?
  /// The newest epoch: the one whose key was wrapped for the authorized instance, or the one that a revocation began.
  package var epoch: UInt32?
  /// The last valid block of a revoked instance, named by the branch that contains it in this store.
  package var last: BlockRef?
  package var blocks = 0
  package var records = 0
  package var readers: [Reader] = []
  package var passwords = 0
  package var loss = RevocationLoss()
}

/// The revocation point: the last valid block of a revoked instance.
package enum CutPoint: ExpressibleByIntegerLiteral, Sendable {
  case index(UInt32)
  case block(BlockRef)

  package init(integerLiteral value: UInt32) { self = .index(value) }
}

/// Authorizes and revokes instances, and manages key slots and epochs.
///
/// The admin's instance writes each decision to its chain (`Author`) as control entries. One block contains all entries
/// and key slots of a decision, so the decision takes effect as a whole. In a database without members, any instance
/// that has the key may change key slots.
package final class Access {
  let folder: SeaFolder
  let keychain: Keychain
  let members: Roster
  let author: Author

  var store: Store { folder.store }

  package init(_ author: Author) {
    self.author = author
    folder = author.folder
    keychain = author.keychain
    members = author.members
  }

  /// - Throws: `noMembers` if the database has neither members nor encryption, `cannotAuthorizeItself`,
  ///   `unauthorized`.
  package func checkMayAuthorize(_ candidate: Candidate, as role: Role) throws {
    try members.requireAdmin()
    guard try folder.hasMembers || folder.isSealed() else { throw KitError.noMembers(isSealed: false) }
    guard candidate.instance != folder.instance else { throw KitError.cannotAuthorizeItself }
    let entry = ControlEntry.authorize(
      try Authorization(key: candidate.key, exchange: candidate.exchange, role: role))
    let given = try members.assuming([entry]) { try members.membership()?.role(of: candidate.instance) }
    guard !folder.hasMembers || given == role else { throw KitError.unauthorized(.notSenior) }
  }

  /// - Parameters: as in `revoke`.
  /// - Throws: `noMembers`, `notAMember`, `blockNotFound`, `unauthorized`, `tooManySuccessors`.
  package func checkMayRevoke(_ instance: UUID, after point: CutPoint?, only: Bool = false) throws {
    guard folder.hasMembers else { throw KitError.noMembers(isSealed: try folder.isSealed()) }
    let isAdmin = try instance == folder.instance || members.membership()?.role(of: folder.instance) == .admin
    if !isAdmin {
      let (_, _, entries) = try revocation(of: instance, after: point, only: only)
      try members.assuming(entries) { try members.requireAdmin() }
    }
    guard try members.membership()?.role(of: instance) != nil else { throw KitError.notAMember(instance) }
    // Check the revocation now, so that even a dry run reports an invalid one.
    if isAdmin { _ = try revocation(of: instance, after: point, only: only) }
  }

  /// Returns the entries that would revoke an instance, its last valid block, and the successors and predecessors that
  /// would be revoked with it.
  private func revocation(
    of instance: UUID, after point: CutPoint?, only: Bool
  ) throws -> (last: BlockRef?, line: [UUID], entries: [ControlEntry]) {
    let last =
      switch point {
      case nil: try store.branches.chain(instance)?.head
      case .index(let index)?:
        if let row = try store.blocks.block(BranchID(instance), index) {
          row.ref
        } else {
          throw KitError.blockNotFound("\(instance)/\(index)")
        }
      case .block(let block)?:
        if block.instance == instance, let row = try store.blocks.block(block) {
          row.ref
        } else {
          throw KitError.blockNotFound(block.description)
        }
      }
    let line = try only || instance == folder.instance ? [instance] : self.line(of: instance)
    let keeps = try only ? successors(of: instance).filter { $0 != instance }.sorted() : []
    guard keeps.count <= ControlEntry.mostKept else { throw KitError.tooManySuccessors(keeps.count) }
    let entries = try line.map { one in
      one == instance
        ? ControlEntry.revoke(instance: one, last: last, keeps: keeps)
        : .revoke(instance: one, last: try store.branches.chain(one)?.head)
    }
    return (last, line, entries)
  }

  /// Returns the block that would be the last valid one after a revocation, and the resulting losses.
  /// - Parameters: as in `revoke`; `author` is the instance that would write the revocation; nil for this instance.
  package func revocationLoss(
    of instance: UUID, after point: CutPoint?, only: Bool = false, by author: UUID? = nil
  ) throws -> (last: BlockRef?, loss: RevocationLoss) {
    let (last, line, entries) = try revocation(of: instance, after: point, only: only)
    return (last, try loss(line, by: author ?? folder.instance, entries))
  }

  /// Authorizes an instance: as a member if the database has members, and as a reader if blocks are encrypted.
  package func authorize(_ candidate: Candidate, as role: Role) throws -> MemberChange {
    try store.locked {
      try author.ensureOnlyWriter()
      try checkMayAuthorize(candidate, as: role)
      var entries: [ControlEntry] = []
      if let old = try members.membership()?.role(of: candidate.instance), old > role {
        // After a demotion, earlier changes and authorizations by the instance and its successors remain valid.
        entries += try revocations(of: successors(of: candidate.instance))
      }
      entries.append(
        .authorize(try Authorization(key: candidate.key, exchange: candidate.exchange, role: role)))
      var change = MemberChange(role: role)
      if try folder.isSealed() {
        let reader = Reader(instance: candidate.instance, name: candidate.name, exchange: candidate.exchange)
        let slots = try keysForWrapping().map { SlotList(key: $0, slots: [try slot(for: reader, $0)]) }
        try changeSlots(slots, ended: [], with: entries, label: "authorize")
        change.epoch = slots.first?.key.number
      } else {
        try author.write { try $0.append(controls: entries, label: "authorize") }
      }
      try applyValidity(&change)
      return change
    }
  }

  /// Revokes an instance. Its blocks after the revocation point become invalid, and the next epoch's key is not wrapped
  /// for it.
  /// - Parameters:
  ///   - point: the last valid block; nil for the last block of the main branch in this store.
  ///   - rotates: whether to begin a new epoch.
  ///   - only: whether successors keep their access. If false, all predecessors and successors are revoked too.
  ///   - isConfirmed: whether to revoke even if purged blocks would count as damage or no admin would be left.
  /// - Throws: `wouldInvalidatePurges`, `noAdminLeft`, and the errors of `checkMayRevoke`.
  package func revoke(
    _ instance: UUID, after point: CutPoint?, rotates: Bool, only: Bool = false, isConfirmed: Bool = false
  ) throws -> MemberChange {
    try store.locked {
      try author.ensureOnlyWriter()
      try checkMayRevoke(instance, after: point, only: only)
      let (last, line, entries) = try revocation(of: instance, after: point, only: only)
      var change = MemberChange(last: last)
      change.loss = try loss(line, by: folder.instance, entries)
      guard isConfirmed || change.loss.removed == 0 else { throw KitError.wouldInvalidatePurges(change.loss) }
      // The recovery instance counts as an admin.
      let leavesAdmin = try members.assuming(entries) { try members.membership()?.known.contains { $0.role == .admin } }
      guard isConfirmed || leavesAdmin != false else { throw KitError.noAdminLeft }
      // If the revoked instance had revoked this instance, the new revocation restores this instance's rights.
      try members.assuming(instance == folder.instance ? [] : entries) {
        if try folder.isSealed(), rotates, instance != folder.instance {
          let valid = try keychain.validSlots()
          let passwords = valid.filter(\.isPassword).map(\.digest)
          let theirs = valid.filter { slot in line.contains { slot.isFor($0) } }.map(\.digest)
          let readers = try members.readers().filter { !line.contains($0.instance) }
          change.epoch = try beginEpoch(
            for: readers, password: nil, ended: passwords + theirs, with: entries, label: "revoke")
          change.passwords = passwords.count
        } else {
          try author.write { try $0.append(controls: entries, label: "revoke") }
        }
      }
      try applyValidity(&change)
      return change
    }
  }

  /// Returns an instance together with its successors and predecessors that have a role, successors first.
  private func line(of instance: UUID) throws -> [UUID] {
    let known = try members.membership()?.known ?? []
    guard let line = known.first(where: { $0.instance == instance })?.line else { return [instance] }
    return known.filter { $0.line == line && ($0.role != nil || $0.instance == instance) }.map(\.instance).reversed()
  }

  private func successors(of instance: UUID) throws -> [UUID] {
    var found: [UUID] = [instance]
    var open: Set<UUID> = [instance]
    for one in try members.membership()?.known ?? [] {
      guard let before = one.follows, open.contains(before), open.insert(one.instance).inserted else { continue }
      if one.role != nil { found.append(one.instance) }
    }
    return found.reversed()
  }

  private func revocations(of line: [UUID]) throws -> [ControlEntry] {
    try line.map { .revoke(instance: $0, last: try store.branches.chain($0)?.head) }
  }

  private func applyValidity(_ change: inout MemberChange) throws {
    let before = try store.blocks.pendingBlocks().reduce(0) { $0 + $1.blocks }
    var applied = try members.applyValidBlocks()
    applied.add(try keychain.updateHiddenBlocks())
    change.records = applied.records
    change.blocks = abs(try store.blocks.pendingBlocks().reduce(0) { $0 + $1.blocks } - before)
    change.readers = try namedReaders()
  }
}

extension Access {
  /// Returns what would become invalid if a valid block of `author` contained these entries.
  func loss(_ line: [UUID], by author: UUID, _ entries: [ControlEntry]) throws -> RevocationLoss {
    try store.snapshot {
      let before = try members.membership()
      let sound = try store.blocks.purgedBlocks().filter { $0.state != .unread }
      return try members.assuming(entries, by: author) {
        var loss = RevocationLoss()
        let orders = try members.orders(for: Set(sound.map { BlockKey($0.ref) }))
        loss.removed = sound.count { orders[BlockKey($0.ref)] == nil }
        let now = try members.membership()
        for chain in try store.branches.chains() {
          let cut = members.cut(of: chain.instance, now)
          guard cut != members.cut(of: chain.instance, before) else { continue }
          var end: BranchID?
          if case .last(let last) = cut { end = try store.blocks.block(last)?.branch }
          for row in try store.blocks.appliedBlocks(of: chain.instance, after: -1) {
            let ref = BlockRef(instance: row.instance, index: row.index, digest: row.digest)
            if cut.covers(ref, members.isWithin) { continue }
            if !line.contains(row.instance) {
              loss.others += 1
            } else if end == nil || row.branch == end {
              loss.behind += 1
            } else {
              loss.branches[row.branch, default: 0] += 1
            }
          }
        }
        return loss
      }
    }
  }
}

package struct Candidate: Sendable {
  package var instance: UUID
  /// The name that the instance has given itself; may be empty.
  package var name: String
  /// The public Ed25519 key; `exchange` is the public X25519 key.
  package var key: [UInt8]
  package var exchange: [UInt8]

  package var words: FingerprintWords { FingerprintWords(key: key, exchange: exchange) }
}

extension Access {
  /// Returns the candidate that a string names: an instance by name or ID, or the author of a request in a container.
  package func candidate(_ text: String) throws -> Candidate {
    let chains = try store.branches.chains()
    let asked = try requests.all()
    let open = try requests.open(among: asked)
    let silent = try silentMembers(asked)
    var names = try members.instanceNames(chains)
    names.all += open.map { InstanceNames.One(instance: $0.instance, name: $0.name, isMember: false) }
    names.all += silent.map { InstanceNames.One(instance: $0.instance, name: $0.name, isMember: true) }
    let instance = try names.instance(text)
    if let one = (open + silent).first(where: { $0.instance == instance }) { return one }
    let chain = chains.first { $0.instance == instance }!
    return Candidate(
      instance: chain.instance, name: chain.name, key: chain.publicKey,
      exchange: try store.branches.exchangeKey(of: chain.instance) ?? [])
  }

  private func silentMembers(_ asked: [Candidate]) throws -> [Candidate] {
    let names = try requests.names(asked)
    return try members.membership()?.known.compactMap { standing in
      guard let key = standing.key, let exchange = standing.exchange, try store.branches.chain(standing.instance) == nil
      else { return nil }
      return Candidate(
        instance: standing.instance, name: names[standing.instance] ?? "", key: key, exchange: exchange)
    } ?? []
  }

  package func member(_ text: String) throws -> InstanceView {
    let all = try instances()
    let names = InstanceNames(
      all: all.map {
        InstanceNames.One(
          instance: $0.instance, name: $0.name, isMember: $0.state != .pending, line: $0.line, isFollowed: $0.isFollowed
        )
      })
    let instance = try names.instance(text)
    return all.first { $0.instance == instance }!
  }

  /// - Parameter name: the name of the file; if it is an instance ID, it must be the ID of the author.
  package func candidate(request bytes: [UInt8], named name: String = "") throws -> Candidate {
    let database = folder.databaseID
    let request =
      try UUID(name).map { instance throws(CoreError) in
        try JoinRequest(bytes, of: instance, in: database)
      } ?? JoinRequest(bytes, in: database)
    return Candidate(instance: request.instance, name: request.name, key: request.key, exchange: request.exchange)
  }

  package func ownCandidate() throws -> Candidate {
    let identity = try keychain.identity()
    return Candidate(
      instance: folder.instance, name: try folder.name(), key: identity.key, exchange: try identity.exchangeKey())
  }
}

package struct InstanceView: Sendable {
  package enum State: String, Sendable {
    case own = "self"
    case authorized
    case pending
    case revoked
    /// The instance was authorized but has not written anything yet.
    case silent
  }
  package var instance: UUID
  package var name: String
  package var state: State
  /// Nil if the instance is not a member, or the database has no members.
  package var role: Role?
  package var head: UInt32?
  /// The newest epoch that the instance is known to be able to read, along with all earlier ones; nil if there is none.
  package var epoch: UInt32?
  /// The time of the newest block according to its author's clock, in milliseconds since 1970.
  package var seen: Int64?
  /// The number of blocks that are stored but not valid.
  package var held: Int
  package var words: FingerprintWords?
  package var authorizedBy: UUID?
  package var revokedBy: UUID?
  /// The previous identity of the instance, and the first one; nil for an instance that never was a member.
  package var follows: UUID?
  package var line: UUID?
  package var isFollowed = false
}

extension Access {
  /// Returns all known instances, sorted by name: instances with a chain, members, and authors of requests. Each
  /// instance is followed by its predecessors, most recent first.
  package func instances() throws -> [InstanceView] {
    let membership = try members.membership()
    var views: [UUID: InstanceView] = [:]
    let held = try store.blocks.pendingBlocks()
    let epochs = try readableEpochs()
    func add(_ instance: UUID, _ name: String, _ key: [UInt8]?, _ exchange: [UInt8]?, _ chain: ChainRow?) {
      let standing = membership?[instance]
      var state: InstanceView.State
      if membership != nil {
        state = standing == nil ? .pending : standing?.role == nil ? .revoked : chain == nil ? .silent : .authorized
      } else {
        state = chain == nil ? .silent : .authorized
      }
      if instance == folder.instance, state == .authorized { state = .own }
      var view = InstanceView(
        instance: instance, name: name, state: state, role: standing?.role, head: chain?.head.index,
        epoch: epochs[instance], seen: chain?.time, held: held.first { $0.instance == instance }?.blocks ?? 0)
      if let key, let exchange { view.words = FingerprintWords(key: key, exchange: exchange) }
      view.authorizedBy = standing?.authorized?.author
      view.revokedBy = standing?.revoked?.author
      view.follows = standing?.follows
      view.line = standing?.line
      views[instance] = view
    }
    for chain in try store.branches.chains() {
      add(chain.instance, chain.name, chain.publicKey, try store.branches.exchangeKey(of: chain.instance), chain)
    }
    let asked = try requests.all()
    let names = try requests.names(asked)
    for standing in membership?.known ?? [] where views[standing.instance] == nil {
      add(standing.instance, names[standing.instance] ?? "", standing.key, standing.exchange, nil)
    }
    for reader in try members.readers() where views[reader.instance] == nil {
      add(reader.instance, names[reader.instance] ?? "", nil, reader.exchange, nil)
    }
    for one in try requests.open(among: asked) where views[one.instance] == nil {
      add(one.instance, one.name, one.key, one.exchange, nil)
      views[one.instance]?.state = .pending
    }
    if views[folder.instance] == nil, try folder.isPending() {
      let identity = try keychain.identity()
      add(folder.instance, try folder.name(), identity.key, try identity.exchangeKey(), nil)
      views[folder.instance]?.state = .pending
    }
    return InstanceView.byLines(views)
  }

  /// Returns the newest epoch whose key each instance is known to have: the instance used the key or received a key
  /// slot.
  private func readableEpochs() throws -> [UUID: UInt32] {
    guard try folder.isSealed() else { return [:] }
    var epochs: [UUID: UInt32] = [:]
    for slot in try store.control.slots() {
      guard case .instance(let instance) = slot.kind else { continue }
      epochs[instance] = max(epochs[instance] ?? 0, slot.epoch)
    }
    let named = try Dictionary(keychain.namedKeys().map { ($0.digest, $0.number) }) { first, _ in first }
    for chain in try store.branches.chains() {
      guard let row = try store.blocks.block(BranchID(chain.instance), chain.head.index),
        let epoch = (try? store.content.key(of: row)).flatMap({ named[$0] })
      else { continue }
      epochs[chain.instance] = max(epochs[chain.instance] ?? 0, epoch)
    }
    if let own = try keychain.availableKeyRing()?.newest { epochs[folder.instance] = own.number }
    return epochs
  }
}

extension InstanceView {
  fileprivate static func byLines(_ all: [UUID: InstanceView]) -> [InstanceView] {
    var left = all
    for before in all.values.compactMap(\.follows) { left[before]?.isFollowed = true }
    var sorted: [InstanceView] = []
    for view in left.values.sorted(by: { ($0.name, $0.instance) < ($1.name, $1.instance) }) where !view.isFollowed {
      var next: InstanceView? = view
      while let one = next {
        sorted.append(one)
        left[one.instance] = nil
        next = one.follows.flatMap { left[$0] }
      }
    }
    return sorted
  }
}

package struct SlotView: Sendable {
  package enum Kind: Sendable, Equatable {
    case password(rounds: Int)
    case instance(UUID, name: String?)
    case previous(UInt32)
  }
  package var name: Digest
  package var epoch: UInt32
  package var kind: Kind
}

package struct SlotChange: Sendable {
  package var added: Digest?
  package var ended: [Digest] = []
  package var epoch: UInt32?
  /// The number of existing encrypted blocks, which are not encrypted again.
  package var blocks = 0
  package var dropped = 0
  package var readers: [Reader] = []
}

extension Access {
  package func slotViews() throws -> [SlotView] {
    guard try folder.isSealed() else { throw KitError.notSealed(place: folder.path) }
    let names = try requests.names(requests.all())
    return try keychain.validSlots().compactMap { slot in
      let kind: SlotView.Kind
      switch slot.kind {
      case .password(_, let rounds): kind = .password(rounds: rounds)
      case .instance(let instance): kind = .instance(instance, name: names[instance])
      case .previous(let epoch): kind = .previous(epoch)
      case .other: return nil
      }
      return SlotView(name: slot.digest, epoch: slot.epoch, kind: kind)
    }.sorted { ($0.epoch, $0.kind.order, $0.name) < ($1.epoch, $1.kind.order, $1.name) }
  }

  package func addPassword(_ password: [UInt8]) throws -> SlotChange {
    try store.locked {
      let slots = try passwordSlots(password)
      try changeSlots(slots, ended: [], label: "passwd --add")
      return try summary(added: slots.first?.slots.first?.digest)
    }
  }

  /// Replaces a password. If both passwords are the same, only the number of rounds changes to `settings.rounds`.
  /// - Throws: `badPassword` if `old` opens no key slot.
  package func changePassword(from old: [UInt8], to new: [UInt8]) throws -> SlotChange {
    let ended = try slots(openedBy: old)
    return try store.locked {
      let slots = try passwordSlots(new)
      try changeSlots(slots, ended: ended, label: "passwd")
      return try summary(added: slots.first?.slots.first?.digest, ended: ended)
    }
  }

  /// - Throws: `lastSlot` if no key slot would be left for new readers and this instance stores no keys.
  package func removeSlot(_ text: String) throws -> SlotChange {
    let all = try slotViews()
    let found = all.filter { $0.name.description.hasPrefix(text) }
    guard text.utf8.count >= 4, let slot = found.first else { throw KitError.slotNotFound(text) }
    guard found.count == 1 else { throw KitError.ambiguousSlot(text) }
    if case .previous = slot.kind { throw KitError.slotNotFound(text) }
    let others = all.contains {
      if case .previous = $0.kind { false } else { $0.name != slot.name && $0.epoch == slot.epoch }
    }
    guard try others || keychain.isKept() else { throw KitError.lastSlot(text) }
    try changeSlots([], ended: [slot.name], label: "passwd --remove")
    return try summary(ended: [slot.name])
  }

  /// Begins an epoch for all readers and at most one password. Other passwords stop working, because a key cannot be
  /// wrapped for a password that is not known.
  /// - Parameter password: the password to keep; nil for none.
  package func rotate(_ password: [UInt8]?) throws -> SlotChange {
    if let password { _ = try slots(openedBy: password) }
    let ended = try passwordSlots()
    let readers = try members.readers()
    let epoch = try beginEpoch(for: readers, password: password, ended: ended, label: "passwd --rotate")
    var change = try summary(ended: ended)
    change.epoch = epoch
    change.dropped = max(0, ended.count - (password == nil ? 0 : 1))
    return change
  }

  package func hasPassword() throws -> Bool { try !passwordSlots().isEmpty }

  package func check(_ password: [UInt8]) throws { _ = try slots(openedBy: password) }

  func passwordSlots() throws -> [Digest] {
    try keychain.validSlots().filter(\.isPassword).map(\.digest)
  }

  private func passwordSlots(_ password: [UInt8]) throws -> [SlotList] {
    try keysForWrapping().map { SlotList(key: $0, slots: [try passwordSlot(password, $0)]) }
  }

  private func slots(openedBy password: [UInt8]) throws -> [Digest] {
    var normalized = try Password.normalized(password)
    defer { Secret.wipe(&normalized) }
    let found = try keychain.validSlots().filter { slot in
      slot.isPassword && (try? slot.open(password: normalized)) != nil
    }.map(\.digest)
    guard !found.isEmpty else { throw KitError.badPassword(place: folder.path) }
    return found
  }

  private func summary(added: Digest? = nil, ended: [Digest] = []) throws -> SlotChange {
    var change = SlotChange(added: added, ended: ended)
    change.blocks = try store.branches.chains().reduce(0) { $0 + Int($1.head.index) + 1 }
    change.readers = try namedReaders()
    return change
  }

  /// Returns the instances that keys are wrapped for, with the names that `instances` returns.
  func namedReaders() throws -> [Reader] {
    let names = try requests.names(requests.all())
    return try members.readers().map {
      Reader(instance: $0.instance, name: names[$0.instance] ?? "", exchange: $0.exchange)
    }.sorted { ($0.name, $0.instance) < ($1.name, $1.instance) }
  }
}

extension SlotView.Kind {
  fileprivate var order: Int {
    switch self {
    case .password: 0
    case .instance: 1
    case .previous: 2
    }
  }
}
