import SeaCore

/// What a bundle says about itself before its members.
package struct BundleManifest: Equatable, Sendable {
  package static let version = ContainerInfo.version
  package static let mostMembers: Int64 = 10_000_000
  package static let largest: Int64 = 2 << 30
  /// What stands before the list.
  package static let largestHead = 16 << 20

  package var database: UUID
  package var contentType: String
  /// What the databaseID stands for; nil for one of version 4.
  package var proof: DatabaseProof?
  /// The instance that made it.
  package var from: UUID
  /// Its name; nil in a sealed database.
  package var name: String?
  /// Asset files that the exported blocks name and that the author had not.
  package var absentAssets: Int64
  /// The blocks that a receiver has to have, by chain.
  package var base: [BundleHead]
  /// The last block of each chain, by chain.
  package var heads: [BundleHead]
  /// The counts of the list: blocks (a folded file has 1000), asset files, members, and the bytes of all members.
  /// `BundleWriter` counts for itself.
  package var blocks: Int64 = 0
  package var assets: Int64 = 0
  package var members: Int64 = 0
  package var bytes: Int64 = 0

  package init(
    database: UUID, contentType: String, proof: DatabaseProof?, from: UUID, name: String?, absentAssets: Int64,
    base: [BundleHead], heads: [BundleHead]
  ) {
    self.database = database
    self.contentType = contentType
    self.proof = proof
    self.from = from
    self.name = name
    self.absentAssets = absentAssets
    self.base = base
    self.heads = heads
  }

  /// The containerID in the `info.json` of every bundle of a database, so that several, unpacked into one folder, are
  /// one container.
  package static func container(of database: UUID) -> UUID {
    var hash = SHA256()
    hash.update("sea bundle v1")
    database.withBytes { hash.update($0) }
    return UUID(version: 8, from: hash.digest())
  }

  package var isSealed: Bool { proof?.isSealed ?? false }

  /// What `info.json` says.
  package var info: ContainerInfo {
    ContainerInfo(
      container: BundleManifest.container(of: database), database: database, contentType: contentType, proof: proof)
  }

  /// The first member of every bundle.
  package var infoMember: BundleMember {
    let text = Array(info.text.utf8)
    return BundleMember(path: .info, size: Int64(text.count), sha256: SHA256.hash(text))
  }

  /// Counts one member more.
  mutating func count(_ member: BundleMember) {
    members += 1
    bytes += member.size
    if let (_, first, last) = member.path.blocks { blocks += Int64(last - first) + 1 }
    if case .asset = member.path { assets += 1 }
  }
}
