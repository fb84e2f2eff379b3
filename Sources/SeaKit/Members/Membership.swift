internal import SeaCore
internal import SeaEngine

extension Database {
  /// The database's members, key slots and passwords.
  public var members: Membership { Membership(database: self) }

  /// Operations on members, key slots and passwords, available as `database.members`.
  public struct Membership: Sendable { let database: Database }
}

extension Database.Membership {
  // MARK: - Members

  /// Returns all instances that have written anything, are authorized or have requested access, sorted by name.
  public func all() async throws -> [Member] {
    try await database.reading { engine in
      try engine.atOneState { try engine.access.instances().map { Member($0, own: engine.instance) } }
    }
  }

  /// Returns the instances that have requested access, as of the last sync.
  public func requests() async throws -> [Member] { try await all().filter { $0.state == .pending } }

  /// Returns whether this instance is waiting to be authorized. A waiting instance cannot write to an encrypted
  /// database. In an unencrypted database, its changes take effect only on this device.
  public func isWaiting() async throws -> Bool {
    try await database.reading { try $0.access.requests.isWaiting() }
  }

  // MARK: - Authorizing and revoking

  /// Authorizes an instance: makes it a member, and gives it the keys if blocks are encrypted.
  /// - Parameters:
  /// - member: the instance. Before authorizing it, compare its `fingerprint` with the one shown on the other device.
  /// - recovery: the recovery key to sign with; nil to sign as this instance, which must be an admin.
  /// - Throws: `unauthorized` if this instance cannot authorize, `denied` if the keys differ from those of `member`,
  ///   `not-found` if there is no request with this id, `usage` if there is nothing to authorize.
  @discardableResult
  public func authorize(
    _ member: Member, as role: Member.Role = .write, by recovery: RecoveryKey? = nil
  ) async throws -> MemberChange {
    try await database.writing(by: recovery) { engine in
      let candidate = try engine.access.candidate(member.id)
      guard candidate.words.description == member.fingerprint else {
        throw SeaError(
          .denied, "the keys of '\(member.id)' differ from the compared ones", ["id": member.id])
      }
      return MemberChange(try engine.access.authorize(candidate, as: role.core))
    }
  }

  /// Revokes an instance: from now on, its blocks after the revocation point are ignored. In an encrypted database, all
  /// other instances get a new key, and all passwords stop working. The revoked instance can still read its own copy.
  /// - Parameters:
  /// - last: the index of the instance's last valid block, as in `History.transactions`; nil for the last known block.
  ///   - keepsReading: whether the instance can continue to read, because no new key is created.
  ///   - onlyThis: whether successors of the instance stay authorized.
  /// - recovery: the recovery key to sign with; nil to sign as this instance, which must be an admin.
  /// - acceptsLoss: whether to continue even if blocks that the instance purged would then count as damaged, or no
  /// admin would remain.
  /// - Throws: `unauthorized` if this instance cannot revoke, `not-found` if there is no such member, `not-confirmed`
  ///   if `acceptsLoss` is required.
  @discardableResult
  public func revoke(
    _ id: String, after last: UInt32? = nil, keepsReading: Bool = false, onlyThis: Bool = false,
    by recovery: RecoveryKey? = nil, acceptsLoss: Bool = false
  ) async throws -> MemberChange {
    try await database.writing(by: recovery) { engine in
      let member = try engine.access.member(id)
      return MemberChange(
        try engine.access.revoke(
          member.instance, after: last.map { .index($0) }, rotates: !keepsReading, only: onlyThis,
          isConfirmed: acceptsLoss))
    }
  }

  /// Returns the effect of a revocation without changing anything.
  /// - Parameters:
  ///   - id: the id of the member.
  ///   - last: the index of the instance's last valid block; nil for the last known block.
  ///   - onlyThis: whether successors of the instance stay authorized.
  /// - Throws: `unauthorized` if this instance cannot revoke, `not-found` if there is no such member.
  public func preview(
    revoking id: String, after last: UInt32? = nil, onlyThis: Bool = false
  ) async throws -> RevocationPreview {
    try await database.reading { engine in
      let member = try engine.access.member(id)
      let point = last.map { CutPoint.index($0) }
      try engine.access.checkMayRevoke(member.instance, after: point, only: onlyThis)
      let (end, loss) = try engine.access.revocationLoss(of: member.instance, after: point, only: onlyThis)
      return RevocationPreview(end?.index, loss)
    }
  }

  // MARK: - Key slots

  /// Returns the current key slots, ordered by key, with password slots before instance slots.
  /// - Throws: an error if the database is not encrypted.
  public func slots() async throws -> [KeySlot] {
    try await database.reading { engine in try engine.access.slotViews().map { KeySlot($0) } }
  }

  /// Removes the key slot of a password or an instance. A device that has used the slot keeps its keys; to exclude the
  /// device, use `rotateKey` or `revoke`.
  /// - Parameter id: the id of the slot, or its first digits, at least four.
  /// - Throws: `not-found` if there is no such slot, `ambiguous` if several slots match, `denied` for the last slot.
  public func removeSlot(_ id: String) async throws {
    try await database.writing { engine in _ = try engine.access.removeSlot(id) }
  }

  // MARK: - Passwords

  /// Returns whether the database can be opened with a password; false if it is not encrypted.
  public func hasPassword() async throws -> Bool { try await database.reading { try $0.access.hasPassword() } }

  /// Adds a password that new devices can use to clone the database.
  /// - Parameter password: 1 to 1,048,576 bytes, which are normalized to NFC.
  /// - Throws: `no-key` if the database's keys are not available.
  public func addPassword(_ password: String) async throws {
    try await database.writing { engine in
      _ = try engine.access.addPassword(Array(password.utf8))
    }
  }

  /// Replaces a password. Devices that were cloned with the old password are not affected; to exclude them, use
  /// `rotateKey`.
  /// - Throws: `bad-password` if the old password is wrong.
  public func changePassword(from old: String, to new: String) async throws {
    try await database.writing { engine in
      _ = try engine.access.changePassword(from: Array(old.utf8), to: Array(new.utf8))
    }
  }

  /// Creates a new key, which all instances with access receive and which encrypts everything from now on. All
  /// passwords except `password` stop working.
  /// - Parameter password: the password to keep; nil for none.
  /// - Throws: `bad-password` if the password is wrong.
  @discardableResult
  public func rotateKey(keeping password: String? = nil) async throws -> Int {
    try await database.writing { engine in
      return Int(try engine.access.rotate(password.map { Array($0.utf8) }).epoch ?? 0)
    }
  }
}
