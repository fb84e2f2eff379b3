/// A key slot, which contains the key of one epoch, encrypted with a password, for an instance, or with a later key.
///
/// The encoding is canonical, because commitments refer to it.
package struct Slot: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case password(salt: [UInt8], rounds: Int)
    case instance(UUID)
    /// The slot contains the key of the epoch with the given number. `epoch` is the epoch of the key that opens the
    /// slot.
    case previous(UInt32)
    /// Only a newer version knows the kind or key derivation. Such a slot is kept, but cannot be opened.
    case other
  }

  /// The numbers of rounds that a reader accepts. The number in a slot is checked before any computation.
  package static let roundBounds = 50_000...10_000_000
  package static let leastNewRounds = 600_000
  /// The total number of rounds for one attempt to open key slots, which is enough for 83 typical slots.
  package static let mostRoundsTogether = 50_000_000
  package static let newRounds = leastNewRounds...roundBounds.upperBound
  package static let saltBounds = 8...64
  static let largestKnown = 512
  package static let maxSize = 65536

  package let bytes: [UInt8]
  package let digest: Digest
  package let epoch: UInt32
  package let database: UUID
  package let kind: Kind
  let header: [UInt8]
  let commitment: [UInt8]
  /// The IV, or the encapsulated key (`enc`) of HPKE.
  let opening: [UInt8]
  let wrapped: [UInt8]

  static let wrappedSize = EpochKey.size + AESGCM.tagSize

  package var isPassword: Bool { if case .password = kind { true } else { false } }
  package var isPrevious: Bool { if case .previous = kind { true } else { false } }
  /// Whether the slot may belong to the database. The result is true if the kind is unknown.
  package func belongs(to database: UUID) -> Bool { kind == .other || self.database == database }
  package func isFor(_ instance: UUID) -> Bool { kind == .instance(instance) }

  /// - Throws: `badSlot(.badRounds)` if the number of rounds is out of bounds, `badSlot(.badEncoding)` for any other
  ///   invalid slot.
  package init(_ bytes: [UInt8]) throws(CoreError) {
    guard bytes.count <= Slot.maxSize else { throw .badSlot(.badEncoding) }
    let parsed = bytes.withUnsafeBufferPointer { buffer in
      Result<SlotParts?, CoreError> { () throws(CoreError) in
        try SlotParts.isKnown(buffer) ? try SlotParts(buffer) : nil
      }
    }
    switch parsed {
    case .success(let parts?):
      guard bytes.count <= Slot.largestKnown else { throw .badSlot(.badEncoding) }
      self.init(bytes, parts)
    case .success(nil): self.init(unknown: bytes)
    case .failure(.badSlot(let fault)): throw .badSlot(fault)
    case .failure: throw .badSlot(.badEncoding)
    }
  }

  private init(unknown bytes: [UInt8]) {
    self.bytes = bytes
    digest = SHA256.hash(bytes)
    (epoch, database, kind) = (0, UUID(high: 0, low: 0), .other)
    (header, commitment, opening, wrapped) = ([], [], [], [])
  }

  private init(_ bytes: [UInt8], _ parts: SlotParts) {
    self.bytes = bytes
    digest = SHA256.hash(bytes)
    epoch = parts.header.epoch
    database = parts.header.database
    kind = parts.header.kind
    header = parts.encodedHeader
    commitment = parts.commitment
    opening = parts.opening
    wrapped = parts.wrapped
  }

  // MARK: - Writing

  /// - Parameters:
  ///   - normalized: the result of `Password.normalized`.
  ///   - salt: 16 random bytes.
  ///   - iv: 12 random bytes.
  package static func password(
    _ normalized: [UInt8], _ key: EpochKey, database: UUID, rounds: Int, salt: [UInt8], iv: [UInt8]
  ) throws(CoreError) -> Slot {
    guard roundBounds.contains(rounds) else { throw .badSlot(.badRounds) }
    guard saltBounds.contains(salt.count) else { throw .badSlot(.badEncoding) }
    let header = SlotHeader(epoch: key.number, database: database, kind: .password(salt: salt, rounds: rounds)).encoded
    var stretched = try PBKDF2.key(password: normalized, salt: salt, rounds: rounds)
    defer { Secret.wipe(&stretched) }
    return try wrapping(
      key.bytes, under: HKDF.key(stretched, info: info("sea slot key v1", header)), iv, header,
      HKDF.key(stretched, info: info("sea slot commit v1", header)))
  }

  /// - Parameters:
  ///   - exchange: the X25519 key that the instance has announced.
  ///   - ephemeral: 32 random bytes.
  package static func instance(
    _ instance: UUID, exchange: [UInt8], _ key: EpochKey, database: UUID, ephemeral: [UInt8]
  ) throws(CoreError) -> Slot {
    let header = SlotHeader(epoch: key.number, database: database, kind: .instance(instance)).encoded
    let message = try HPKE.seal(key.bytes, to: exchange, info: hpkeInfo, additional: header, ephemeral: ephemeral)
    let commitment = try key.derived("sea epoch v1", header)
    return try Slot(SlotParts.encoded(header, commitment, message.enc, message.sealed))
  }

  package static func previous(
    _ old: EpochKey, under new: EpochKey, database: UUID, iv: [UInt8]
  ) throws(CoreError) -> Slot {
    guard old != new else { throw .badSlot(.badEncoding) }
    let header = SlotHeader(epoch: new.number, database: database, kind: .previous(old.number)).encoded
    return try wrapping(
      old.bytes, under: new.derived("sea previous v1", header), iv, header, new.derived("sea epoch v1", header))
  }

  private static func wrapping(
    _ clear: [UInt8], under key: [UInt8], _ iv: [UInt8], _ header: [UInt8], _ commitment: [UInt8]
  ) throws(CoreError) -> Slot {
    var key = key
    defer { Secret.wipe(&key) }
    let wrapped = try AESGCM.seal(clear, key: key, iv: iv, additional: header)
    return try Slot(SlotParts.encoded(header, commitment, iv, wrapped))
  }

  // MARK: - Opening

  /// - Throws: `badSlot(.badCommitment)` if the password is wrong.
  package func open(password normalized: [UInt8]) throws(CoreError) -> EpochKey {
    guard case .password(let salt, let rounds) = kind else { throw .badSlot(.wrongKind) }
    var stretched = try PBKDF2.key(password: normalized, salt: salt, rounds: rounds)
    defer { Secret.wipe(&stretched) }
    let expected = try HKDF.key(stretched, info: Slot.info("sea slot commit v1", header))
    guard Secret.equal(expected, commitment) else { throw .badSlot(.badCommitment) }
    return try unwrapped(epoch, under: HKDF.key(stretched, info: Slot.info("sea slot key v1", header)))
  }

  /// - Throws: `badSlot(.badTag)` if the secret belongs to another instance.
  package func open(exchangeSecret: [UInt8]) throws(CoreError) -> EpochKey {
    guard case .instance = kind else { throw .badSlot(.wrongKind) }
    guard
      let clear = HPKE.open(wrapped, enc: opening, secret: exchangeSecret, info: Slot.hpkeInfo, additional: header),
      let key = EpochKey(number: epoch, bytes: clear)
    else { throw .badSlot(.badTag) }
    guard Secret.equal(try key.derived("sea epoch v1", header), commitment) else { throw .badSlot(.badCommitment) }
    return key
  }

  /// Returns the key of an earlier epoch.
  /// - Throws: `badSlot(.badCommitment)` if `key` belongs to another epoch.
  package func open(under key: EpochKey) throws(CoreError) -> EpochKey {
    guard case .previous(let number) = kind else { throw .badSlot(.wrongKind) }
    guard key.number == epoch, Secret.equal(try key.derived("sea epoch v1", header), commitment) else {
      throw .badSlot(.badCommitment)
    }
    return try unwrapped(number, under: key.derived("sea previous v1", header))
  }

  /// Whether the commitment matches the key. If so, an instance's slot contains the key, and an earlier epoch's slot
  /// can be opened with it. A password slot never matches.
  package func isCommitted(to key: EpochKey) -> Bool {
    guard key.number == epoch, let expected = try? key.derived("sea epoch v1", header) else { return false }
    return Secret.equal(expected, commitment)
  }

  private func unwrapped(_ number: UInt32, under key: [UInt8]) throws(CoreError) -> EpochKey {
    var key = key
    defer { Secret.wipe(&key) }
    guard let clear = AESGCM.open(wrapped, key: key, iv: opening, additional: header),
      let result = EpochKey(number: number, bytes: clear)
    else { throw .badSlot(.badTag) }
    return result
  }

  private static let hpkeInfo = Array("sea slot v1".utf8)

  private static func info(_ label: String, _ header: [UInt8]) -> [UInt8] { Array(label.utf8) + header }
}
