import SeaCore
import SeaStore
import SeaSystem

/// What letting somebody in, or shutting somebody out, has done.
package struct MemberChange: Sendable {
  package var role: Role?
  /// The newest epoch, whose key is wrapped for who was let in, or which begins.
  package var epoch: UInt32?
  /// The last block that counts, after a revocation, by the branch that it lies in here.
  package var last: BlockRef?
  /// Blocks that count now and did not before, or the other way round.
  package var blocks = 0
  /// Records with a new winner.
  package var records = 0
  /// Who can read what is written from now on.
  package var readers: [Reader] = []
  /// Passwords that open nothing any more.
  package var passwords = 0
  /// What a revocation took away.
  package var loss = RevocationLoss()
}

/// The last block of an instance that is to count.
package enum CutPoint: ExpressibleByIntegerLiteral, Sendable {
  /// In the trunk.
  case index(UInt32)
  case block(BlockRef)

  package init(integerLiteral value: UInt32) { self = .index(value) }
}

/// Who is let in and who is shut out, and the ways in: slots for passwords and for instances, and epochs.
///
/// What an admin decides becomes control entries of our own chain (`Author`), with the slots that go with them, in one
/// block: it holds everywhere or nowhere. Without members, whoever has the key may decide about slots.
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

  /// - Throws: `nothingToAuthorise` where everybody is in already, `aboutOurselves`, `unauthorised`.
  package func checkMayAuthorise(_ candidate: Candidate) throws {
    try members.requireAdmin()
    guard try folder.hasMembers || folder.isSealed() else { throw KitError.nothingToAuthorise }
    guard candidate.instance != folder.instance else { throw KitError.aboutOurselves }
  }

  /// - Parameters: as of `revoke`.
  /// - Throws: `noMembers`, `notAMember`, `blockNotFound`, `unauthorised`, `tooManySuccessors`.
  package func checkMayRevoke(_ instance: UUID, after point: CutPoint?, only: Bool = false) throws {
    guard folder.hasMembers else { throw KitError.noMembers(isSealed: try folder.isSealed()) }
    let isAdmin = try instance == folder.instance || members.membership()?.role(of: folder.instance) == .admin
    if !isAdmin {
      let (_, _, entries) = try revocation(of: instance, after: point, only: only)
      try members.assuming(entries) { try members.requireAdmin() }
    }
    guard try members.membership()?.role(of: instance) != nil else { throw KitError.notAMember(instance) }
    // What can be said is known before anything is done, and in a dry run.
    if isAdmin { _ = try revocation(of: instance, after: point, only: only) }
  }

  /// What revokes an instance: its last block that counts, its line as far as that goes with it, and the entries.
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

  /// The last block of an instance that would count if it were revoked, and what would not any more.
  /// - Parameters: as of `revoke`; `author` is who would do it, nil for this instance.
  package func revocationLoss(
    of instance: UUID, after point: CutPoint?, only: Bool = false, by author: UUID? = nil
  ) throws -> (last: BlockRef?, loss: RevocationLoss) {
    let (last, line, entries) = try revocation(of: instance, after: point, only: only)
    return (last, try loss(line, by: author ?? folder.instance, entries))
  }

  /// Lets an instance in: as a member with a role where there are members, and to the keys where blocks are sealed.
  package func authorise(_ candidate: Candidate, as role: Role) throws -> MemberChange {
    try store.locked {
      try author.ensureSole()
      try checkMayAuthorise(candidate)
      var entries: [ControlEntry] = []
      if let old = try members.membership()?.role(of: candidate.instance), old > role {
        // What it wrote so far, and whom it let in, counts as before, and so for those that follow it.
        entries += try revocations(of: successors(of: candidate.instance))
      }
      entries.append(
        .authorise(try Authorisation(key: candidate.key, exchange: candidate.exchange, role: role)))
      var change = MemberChange(role: role)
      if try folder.isSealed() {
        let reader = Reader(instance: candidate.instance, name: candidate.name, exchange: candidate.exchange)
        let slots = try keysForWrapping().map { SlotList(key: $0, slots: [try slot(for: reader, $0)]) }
        try changeSlots(slots, ended: [], with: entries, label: "authorize")
        change.epoch = slots.first?.key.number
      } else {
        try author.write { try author.append(controls: entries, label: "authorize") }
      }
      try bringAbout(&change)
      return change
    }
  }

  /// Shuts an instance out: what it writes behind a block counts nowhere, and the next epoch is not wrapped for it.
  /// - Parameters:
  ///   - point: the last block that counts; nil for the last one of the trunk that is known here.
  ///   - rotates: whether an epoch begins.
  ///   - only: leaves those alone that follow it; else its whole line goes.
  ///   - isConfirmed: whether it is also to be done where what it has purged becomes damage, or no admin is left.
  /// - Throws: `wouldUncover`, `noAdminLeft`, and as `checkMayRevoke`.
  package func revoke(
    _ instance: UUID, after point: CutPoint?, rotates: Bool, only: Bool = false, isConfirmed: Bool = false
  ) throws -> MemberChange {
    try store.locked {
      try author.ensureSole()
      try checkMayRevoke(instance, after: point, only: only)
      let (last, line, entries) = try revocation(of: instance, after: point, only: only)
      var change = MemberChange(last: last)
      change.loss = try loss(line, by: folder.instance, entries)
      guard isConfirmed || change.loss.removed == 0 else { throw KitError.wouldUncover(change.loss) }
      // Who has the key of recovery is one.
      let leavesAdmin = try members.assuming(entries) { try members.membership()?.known.contains { $0.role == .admin } }
      guard isConfirmed || leavesAdmin != false else { throw KitError.noAdminLeft }
      // Whom the revoked one has revoked acts by this very revocation.
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
          try author.write { try author.append(controls: entries, label: "revoke") }
        }
      }
      try bringAbout(&change)
      return change
    }
  }

  /// All of the line of an instance that have a role, successors before their predecessors.
  private func line(of instance: UUID) throws -> [UUID] {
    let known = try members.membership()?.known ?? []
    guard let line = known.first(where: { $0.instance == instance })?.line else { return [instance] }
    return known.filter { $0.line == line && ($0.role != nil || $0.instance == instance) }.map(\.instance).reversed()
  }

  /// An instance and all that follow it and have a role, successors before their predecessors.
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

  /// Lets count what counts now, and says what came of it.
  private func bringAbout(_ change: inout MemberChange) throws {
    let before = try store.blocks.heldBlocks().reduce(0) { $0 + $1.blocks }
    var applied = try members.applyWhatCounts()
    applied.add(try keychain.vouchForBlocks())
    change.records = applied.records
    change.blocks = abs(try store.blocks.heldBlocks().reduce(0) { $0 + $1.blocks } - before)
    change.readers = try namedReaders()
  }
}
