import SeaCore

/// The content of `info.json`: what a container says about itself. It is written once, and it is a hint: nothing
/// vouches for it, so it is compared with what the database knows and never believed against it.
package struct ContainerInfo: Equatable, Sendable {
  package static let version: Int64 = 1
  /// A larger file is refused unread.
  package static let largestFile = 65536

  package let container: UUID
  package let database: UUID
  /// What kind of data the database holds, in reversed domain form.
  package let contentType: String
  /// The database is sealed.
  package let sealed: Bool

  package init(container: UUID, database: UUID, contentType: String, sealed: Bool = false) {
    self.container = container
    self.database = database
    self.contentType = contentType
    self.sealed = sealed
  }

  /// Members that are not known are ignored; the known ones must be there once and be right, `sealed` at most once.
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
    func identifier(_ name: String) throws(ContainerError) -> UUID {
      guard let id = UUID(try text(name)) else { throw .badInfo(.badMember, path: path) }
      return id
    }
    container = try identifier("containerID")
    database = try identifier("databaseID")
    contentType = try text("contentType")
    switch members["sealed"] {
    case nil: sealed = false
    case .flag(let flag): sealed = flag
    default: throw .badInfo(.badMember, path: path)
    }
  }

  /// The one text of it: a line.
  package var text: String {
    "{\"sea\":\(ContainerInfo.version),\"containerID\":\"\(container)\",\"databaseID\":\"\(database)\","
      + "\"contentType\":\(FlatJSON.quoted(contentType))\(sealed ? ",\"sealed\":true" : "")}\n"
  }
}
