/// The permanent properties of a database, which are its creator, its content type, and whether it has encryption,
/// members and a recovery key.
///
/// A version 8 databaseID is derived from the digest of the proof. Therefore, an attacker cannot remove the database's
/// members, replace its creator, or make instances write unencrypted blocks.
///
///     creator's Ed25519 key (32) ‖ flags (1) ‖ SHA-256 of the content type (32)
///       ‖ digest of the first key (32) if the database is encrypted
///       ‖ Ed25519 recovery key (32) if there is a recovery key
package struct DatabaseProof: Hashable, Sendable {
  package let founder: [UInt8]
  private let contentType: Digest
  /// The digest of the first epoch key; nil for an unencrypted database.
  package let first: Digest?
  package let hasMembers: Bool
  /// The Ed25519 key of the recovery instance, which is senior to the creator. The secret key is kept on paper.
  package let recovery: [UInt8]?

  private static let sealed: UInt8 = 0x01
  private static let members: UInt8 = 0x02
  private static let recovers: UInt8 = 0x04

  package var isSealed: Bool { first != nil }

  /// - Returns: nil if a key is weak or malformed, or if there is a recovery key but no members.
  package init?(
    founder: [UInt8], contentType: String, first: Digest?, hasMembers: Bool, recovery: [UInt8]? = nil
  ) {
    self.init(founder, SHA256.hash(Array(contentType.utf8)), first, hasMembers, recovery)
  }

  private init?(
    _ founder: [UInt8], _ contentType: Digest, _ first: Digest?, _ hasMembers: Bool, _ recovery: [UInt8]?
  ) {
    guard Ed25519.isAcceptable(founder), recovery.map({ Ed25519.isAcceptable($0) && $0 != founder }) ?? true,
      hasMembers || recovery == nil
    else { return nil }
    self.founder = founder
    self.contentType = contentType
    self.first = first
    self.hasMembers = hasMembers
    self.recovery = recovery
  }

  package init?(_ bytes: [UInt8]) {
    guard bytes.count >= 33 + Digest.size, let contentType = Digest(Array(bytes[33..<65])) else { return nil }
    let flags = bytes[32]
    let (isSealed, recovers) = (flags & DatabaseProof.sealed != 0, flags & DatabaseProof.recovers != 0)
    guard flags < 8, bytes.count == 65 + (isSealed ? Digest.size : 0) + (recovers ? 32 : 0) else { return nil }
    self.init(
      Array(bytes[..<32]), contentType, isSealed ? Digest(Array(bytes[65..<97])) : nil,
      flags & DatabaseProof.members != 0, recovers ? Array(bytes.suffix(32)) : nil)
  }

  package var bytes: [UInt8] {
    var flags: UInt8 = 0
    if isSealed { flags |= DatabaseProof.sealed }
    if hasMembers { flags |= DatabaseProof.members }
    if recovery != nil { flags |= DatabaseProof.recovers }
    return founder + [flags] + contentType.bytes + (first?.bytes ?? []) + (recovery ?? [])
  }

  /// The databaseID, a UUIDv8 derived from SHA-256("sea database v1" ‖ proof).
  package var database: UUID {
    var hash = SHA256()
    hash.update("sea database v1")
    hash.update(bytes)
    return UUID(version: 8, from: hash.digest())
  }

  package func has(contentType: String) -> Bool { self.contentType == SHA256.hash(Array(contentType.utf8)) }

  package var founderInstance: UUID { Identity.instance(key: founder) }
  package var recoveryInstance: UUID? { recovery.map { Identity.instance(key: $0) } }

  /// Whether a databaseID and a proof match. A version 8 id requires its proof, whereas a version 4 id has no proof.
  package static func holds(_ proof: DatabaseProof?, for database: UUID) -> Bool {
    switch database.version {
    case 4: proof == nil && database.bytes[8] & 0xC0 == 0x80
    case 8: proof?.database == database
    default: false
    }
  }
}
