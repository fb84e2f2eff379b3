internal import SeaCore
internal import SeaEngine

extension Database {
  /// Who may read and write, and the ways in.
  public var members: Membership { Membership(database: self) }

  /// Who may read and write a database, and the passwords that open it: `database.members`.
  public struct Membership: Sendable { let database: Database }
}

extension Database.Membership {
  // MARK: - Who is in

  /// All instances that are known: those that have written, those that were let in, and those that ask to be, by their names.
  public func all() async throws -> [Member] {
    try await database.reading { engine in
      try engine.atOneState { try engine.access.instances().map { Member($0, own: engine.instance) } }
    }
  }

  /// Those that ask to be let in, as far as a sync has told.
  public func requests() async throws -> [Member] { try await all().filter { $0.state == .pending } }

  /// Whether this instance waits for somebody to let it in. Until then it can write nothing if the database is sealed, and what it writes
  /// counts only here if the database has members.
  public func isWaiting() async throws -> Bool {
    try await database.reading { try $0.access.requests.isWaiting() }
  }

  // MARK: - Letting in, shutting out

  /// Lets an instance in: as a member where there are members, and to the keys where blocks are sealed.
  /// - Parameters:
  ///   - member: as it was shown to a person, who has compared its `fingerprint` with what the owner of the instance has read out.
  ///   - role: what it may do.
  ///   - recovery: the key of recovery, by which it is done; nil for this instance, which is an admin then.
  /// - Throws: `unauthorised` if this instance may not, `denied` if the keys are others than those that were shown, `not-found` if nobody asks
  ///   with this id, `usage` if everybody is in already.
  @discardableResult
  public func authorise(
    _ member: Member, as role: Member.Role = .write, by recovery: RecoveryKey? = nil
  ) async throws -> MemberChange {
    try await database.writing(by: recovery) { engine in
      let candidate = try engine.access.candidate(member.id)
      guard candidate.words.description == member.fingerprint else {
        throw SeaError(
          .denied, "the keys of '\(member.id)' are others than those that were compared", ["id": member.id])
      }
      return MemberChange(try engine.access.authorise(candidate, as: role.core))
    }
  }

  /// Shuts an instance out: what it writes behind its last block that is known here, or behind an earlier one, counts nowhere, and where blocks are sealed a new key
  /// begins, which it does not get. What it has copied stays readable to it, and every password opens nothing any more.
  /// - Parameters:
  ///   - id: of the instance.
  ///   - last: the number of its last block that counts, from 0, as `History.transactions` tells it; nil for the last one that is known here.
  ///   - keepsReading: whether no new key begins.
  ///   - onlyThis: whether those are left alone that go on in its place.
  ///   - recovery: the key of recovery, by which it is done; nil for this instance, which is an admin then.
  ///   - acceptsLoss: whether it is also to be done where what it has purged becomes damage, or no admin is left; else that is an error.
  /// - Throws: `unauthorised` if this instance may not, `not-found` if there is no such member, `not-confirmed` if it was not accepted that
  ///   something becomes damage, or that no admin is left.
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

  // MARK: - Ways in

  /// The ways into a sealed database that are in effect, by the numbers of their keys: those for passwords first, then those for
  /// instances.
  /// - Throws: an error if it is not sealed.
  public func slots() async throws -> [KeySlot] {
    try await database.reading { engine in try engine.access.slotViews().map { KeySlot($0) } }
  }

  /// Ends one for a password or an instance. Who has come in by it keeps the keys that it has: `rotateKey` and `revoke` shut out.
  /// - Parameter id: of the slot, or its first digits, four at least.
  /// - Throws: `not-found` if there is none, `ambiguous` if there are several, `denied` if nothing else would open the database.
  public func removeSlot(_ id: String) async throws {
    try await database.writing { engine in _ = try engine.access.removeSlot(id) }
  }

  // MARK: - Passwords

  /// Whether any password opens the database; false of one that is not sealed.
  public func hasPassword() async throws -> Bool { try await database.reading { try $0.access.hasPassword() } }

  /// Adds a password with which a newcomer can clone the database.
  /// - Parameter password: 1 to 1,048,576 bytes; compared after normalisation to NFC.
  /// - Throws: `no-key` if the keys are not at hand.
  public func addPassword(_ password: String) async throws {
    try await database.writing { engine in
      _ = try engine.access.addPassword(Array(password.utf8))
    }
  }

  /// Puts a password in the place of another one. Who knows the old one and has cloned the database can go on: `rotateKey` shuts out.
  /// - Throws: `bad-password` if the old one opens nothing.
  public func changePassword(from old: String, to new: String) async throws {
    try await database.writing { engine in
      _ = try engine.access.changePassword(from: Array(old.utf8), to: Array(new.utf8))
    }
  }

  /// Begins a new key for all who may read, under which everything is sealed from now on. All other passwords open nothing any more.
  /// - Parameter password: one that stays; nil for none.
  /// - Throws: `bad-password` if it opens nothing.
  @discardableResult
  public func rotateKey(keeping password: String? = nil) async throws -> Int {
    try await database.writing { engine in
      return Int(try engine.access.rotate(password.map { Array($0.utf8) }).epoch ?? 0)
    }
  }
}
