import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Somebody who wants to be let in, or is in.
package struct Candidate: Sendable {
  package var instance: UUID
  /// Empty for who has only left a request.
  package var name: String
  /// Ed25519 and X25519.
  package var key: [UInt8]
  package var exchange: [UInt8]

  package var words: FingerprintWords { FingerprintWords(key: key, exchange: exchange) }
}

/// What letting somebody in, or shutting somebody out, has done.
package struct MemberChange: Sendable {
  package var role: Role?
  /// The newest epoch, whose key is wrapped for who was let in, or which begins.
  package var epoch: UInt32?
  /// The last block that counts, after a revocation.
  package var last: UInt32?
  /// Blocks that count now and did not before, or the other way round.
  package var blocks = 0
  /// Records with a new winner.
  package var records = 0
  /// Who can read what is written from now on.
  package var readers: [Reader] = []
  /// Passwords that open nothing any more.
  package var passwords = 0
}

extension Database {
  /// Whom a text names: an instance by name or id, or a request that was left in a container.
  package func candidate(_ text: String) throws -> Candidate {
    let fault: any Error
    do {
      let chain = try instance(named: text)
      return Candidate(
        instance: chain.instance, name: chain.name, key: chain.publicKey,
        exchange: try store.blocks.exchangeKey(of: chain.instance) ?? [])
    } catch { fault = error }
    let found = try requests().filter { text.utf8.count >= 4 && $0.instance.description.hasPrefix(text) }
    guard let one = found.first else { throw fault }
    guard found.count == 1 else { throw KitError.ambiguousInstance(text) }
    return one
  }

  /// The member that a text names: by its name or id.
  package func member(_ text: String) throws -> InstanceView {
    let all = text.isEmpty ? [] : try instances()
    let named = all.filter { $0.name == text }
    let matches = named.isEmpty ? all.filter { $0.instance.description.hasPrefix(text) } : named
    guard let one = matches.first else { throw KitError.instanceNotFound(text) }
    guard matches.count == 1 else { throw KitError.ambiguousInstance(text) }
    return one
  }

  /// Whom a join request is from.
  package func candidate(request bytes: [UInt8]) throws -> Candidate {
    let request = try JoinRequest(bytes, in: databaseID)
    return Candidate(instance: request.instance, name: "", key: request.key, exchange: request.exchange)
  }

  /// - Throws: `nothingToAuthorise` where everybody is in already, `aboutOurselves`, `unauthorised`.
  package func checkMayAuthorise(_ candidate: Candidate) throws {
    try requireAdmin()
    guard try hasMembers || isSealed() else { throw KitError.nothingToAuthorise }
    guard candidate.instance != instance else { throw KitError.aboutOurselves }
  }

  /// - Throws: `noMembers`, `notAMember`, `unauthorised`.
  package func checkMayRevoke(_ instance: UUID) throws {
    guard hasMembers else { throw KitError.noMembers }
    if instance != self.instance { try requireAdmin() }
    guard try membership()?.role(of: instance) != nil else { throw KitError.notAMember(instance) }
  }

  /// Lets an instance in: as a member with a role where there are members, and to the keys where blocks are sealed.
  package func authorise(_ candidate: Candidate, as role: Role) throws -> MemberChange {
    try beSole()
    defer { store.unlock() }
    try checkMayAuthorise(candidate)
    var entries: [ControlEntry] = []
    if let old = try membership()?.role(of: candidate.instance), old > role {
      // What it wrote so far, and whom it let in, counts as before.
      entries.append(.revoke(instance: candidate.instance, last: try headPoint(of: candidate.instance)))
    }
    entries.append(
      .authorise(try Authorisation(key: candidate.key, exchange: candidate.exchange, role: role)))
    var change = MemberChange(role: role)
    if try isSealed() {
      let reader = Reader(instance: candidate.instance, name: candidate.name, exchange: candidate.exchange)
      let slots = try keysForWrapping().map { try slot(for: reader, $0) }
      try changeSlots(slots, ended: [], with: entries, label: "authorize")
      change.epoch = slots.first?.epoch
    } else {
      try writing { try write(controls: entries, label: "authorize") }
    }
    try settle(&change)
    return change
  }

  /// Shuts an instance out: what it writes behind a block counts nowhere, and the next epoch is not wrapped for it.
  /// - Parameters:
  ///   - index: the last block that counts; nil for the last one known here.
  ///   - rotates: whether an epoch begins.
  package func revoke(_ instance: UUID, after index: UInt32?, rotates: Bool) throws -> MemberChange {
    try beSole()
    defer { store.unlock() }
    try checkMayRevoke(instance)
    let isLeaving = instance == self.instance
    let last =
      try index.map { index in
        guard let row = try store.blocks.block(BranchID(instance), index) else {
          throw KitError.blockNotFound("\(instance)/\(index)")
        }
        return BlockRef(instance: instance, index: index, digest: row.digest)
      } ?? headPoint(of: instance)
    let entry = ControlEntry.revoke(instance: instance, last: last)
    var change = MemberChange(last: last?.index)
    if try isSealed(), rotates, !isLeaving {
      let valid = try validSlots()
      let passwords = valid.filter(\.isPassword).map(\.digest)
      let theirs = valid.filter { $0.isFor(instance) }.map(\.digest)
      let readers = try self.readers().filter { $0.instance != instance }
      change.epoch = try beginEpoch(
        for: readers, password: nil, ended: passwords + theirs, with: [entry], label: "revoke")
      change.passwords = passwords.count
    } else {
      try writing { try write(controls: [entry], label: "revoke") }
    }
    try settle(&change)
    return change
  }

  private func headPoint(of instance: UUID) throws -> BlockRef? {
    try store.blocks.chain(instance)?.head
  }

  private func settle(_ change: inout MemberChange) throws {
    let before = try store.blocks.heldBlocks().reduce(0) { $0 + $1.blocks }
    change.records = try settleMembers().records
    change.blocks = abs(try store.blocks.heldBlocks().reduce(0) { $0 + $1.blocks } - before)
    change.readers = try readers()
  }

  // MARK: - Requests

  private static let mostRequests = 1000

  /// Those who have asked to be let in and were not yet, as containers have told.
  package func requests() throws -> [Candidate] {
    let old = try store.control.requests()
    guard !old.isEmpty else { return [] }
    let known = try insiders()
    return old.compactMap { try? candidate(request: $0) }.filter { !known.contains($0.instance) }
  }

  /// Those who need not ask any more.
  private func insiders() throws -> Set<UUID> {
    try Set(store.blocks.chains().map(\.instance) + readers().map(\.instance))
  }

  /// Remembers who asks, so that they can be listed where the container is away.
  func takeRequests(from container: Container) throws {
    guard try isSealed() else { return }
    let names = try container.names(in: .requests).prefix(Database.mostRequests)
    var found: [(UUID, [UInt8])] = []
    for name in names {
      guard let instance = UUID(name), instance != self.instance,
        let bytes = try container.bounded(name, in: .requests),
        (try? JoinRequest(bytes, of: instance, in: databaseID)) != nil
      else { continue }
      found.append((instance, bytes))
    }
    let old = try store.control.requests()
    guard !found.isEmpty || !old.isEmpty else { return }
    let known = try insiders()
    let answered = old.compactMap { try? candidate(request: $0).instance }.filter { known.contains($0) }
    let new = found.filter { !known.contains($0.0) && !old.contains($0.1) }
      .prefix(max(0, Database.mostRequests - old.count + answered.count))
    guard !new.isEmpty || !answered.isEmpty else { return }
    try store.write {
      for instance in answered { try store.control.removeRequest(of: instance) }
      for (instance, bytes) in new { try store.control.keepRequest(bytes, of: instance) }
    }
    store.unlock()
  }
}
