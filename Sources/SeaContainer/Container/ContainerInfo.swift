import SeaCore

/// The content of `info.json`: the description of a container. The file is written once and is not signed, so its
/// statements about the database must follow from the databaseID. The caller compares the databaseID with the one that
/// it knows.
package struct ContainerInfo: Equatable, Sendable {
  package static let version: Int64 = 4
  /// The maximum size in bytes. A larger file is rejected without being read.
  package static let largestFile = 65536

  package let container: UUID
  package let database: UUID
  package let contentType: String
  /// The proof of the databaseID; nil if the ID is a version 4 UUID.
  package let proof: DatabaseProof?

  package var sealed: Bool { proof?.isSealed ?? false }

  package init(container: UUID, database: UUID, contentType: String, proof: DatabaseProof? = nil) {
    self.container = container
    self.database = database
    self.contentType = contentType
    self.proof = proof
  }

  /// Parses the file. Unknown members are ignored. Known members must be valid and must not be repeated.
  /// - Throws: `badInfo(.noProof)` unless founder, recovery, sealed and members prove the databaseID.
  package init(_ bytes: [UInt8], path: String) throws(ContainerError) {
    guard bytes.count <= ContainerInfo.largestFile else { throw .badInfo(.tooLong, path: path) }
    let members: [String: FlatJSON.Value]
    do throws(InfoFault) { members = try FlatJSON.members(of: bytes) } catch { throw .badInfo(error, path: path) }
    guard let version = members["sea"] else { throw .badInfo(.missingMember, path: path) }
    guard case .integer(let number) = version else { throw .badInfo(.badMember, path: path) }
    guard number == ContainerInfo.version else { throw .incompatible(version: number, path: path) }
    func text(_ name: String) throws(ContainerError) -> String {
      guard let value = members[name] else { throw .badInfo(.missingMember, path: path) }
      guard case .text(let text) = value else { throw .badInfo(.badMember, path: path) }
      return text
    }
    guard let container = UUID(try text("containerID")) else { throw .badInfo(.badMember, path: path) }
    let databaseID = try text("databaseID")
    contentType = try text("contentType")
    guard let database = UUID(databaseID) else { throw .badInfo(.noProof, path: path) }
    (self.container, self.database) = (container, database)
    let proof = try ContainerInfo.proof(members, contentType, path: path)
    guard DatabaseProof.holds(proof, for: database) else { throw .badInfo(.noProof, path: path) }
    self.proof = proof
  }

  private static func proof(
    _ members: [String: FlatJSON.Value], _ contentType: String, path: String
  ) throws(ContainerError) -> DatabaseProof? {
    guard ["founder", "recovery", "sealed", "members"].contains(where: { members[$0] != nil }) else { return nil }
    func key(_ name: String) throws(ContainerError) -> [UInt8]? {
      guard let value = members[name] else { return nil }
      guard case .text(let text) = value, text.utf8.count == 64, text.utf8.allSatisfy({ $0 < 0x41 || $0 > 0x5A }),
        let key = Hex.bytes(text)
      else { throw .badInfo(.noProof, path: path) }
      return key
    }
    if let said = members["members"], said != .flag(true) { throw .badInfo(.noProof, path: path) }
    guard let founder = try key("founder"),
      let proof = DatabaseProof(
        founder: founder, contentType: contentType, first: try key("sealed").flatMap { Digest($0) },
        hasMembers: members["members"] != nil,
        recovery: try key("recovery"))
    else { throw .badInfo(.noProof, path: path) }
    return proof
  }

  /// The canonical text, which is a single line.
  package var text: String {
    var text = "{\"sea\":\(ContainerInfo.version),\"containerID\":\"\(container)\",\"databaseID\":\"\(database)\","
    text += "\"contentType\":\(FlatJSON.quoted(contentType))"
    if let proof {
      text += ",\"founder\":\"\(Hex.text(proof.founder))\""
      if let first = proof.first { text += ",\"sealed\":\"\(first)\"" }
      if proof.hasMembers { text += ",\"members\":true" }
      if let recovery = proof.recovery { text += ",\"recovery\":\"\(Hex.text(recovery))\"" }
    }
    return text + "}\n"
  }
}
