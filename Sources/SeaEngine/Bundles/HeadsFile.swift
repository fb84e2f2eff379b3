import SeaContainer
import SeaCore
import SeaSystem

/// The heads that an instance publishes in an exchange folder, to show which blocks do not have to be written again.
package struct HeadsFile: Equatable, Sendable {
  static let version: Int64 = 1
  package static let largest = ExchangeDirectoryNames.largestHeads

  package var database: UUID
  package var instance: UUID
  package var heads: [BlockRef]

  package init(database: UUID, instance: UUID, heads: [BlockRef]) {
    self.database = database
    self.instance = instance
    self.heads = heads
  }

  /// Returns nil for an invalid file. Unknown JSON members and invalid heads are ignored.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= HeadsFile.largest, let text = String(validating: bytes, as: UTF8.self),
      let members = try? Value.json(text).members, case .integer(HeadsFile.version)? = members["sea"],
      case .string(let database)? = members["databaseID"], let database = UUID(database),
      case .string(let instance)? = members["instance"], let instance = UUID(instance),
      case .array(let list)? = members["heads"]
    else { return nil }
    self.init(database: database, instance: instance, heads: list.compactMap { BlockRef($0) })
  }

  static func path(of instance: UUID) -> String {
    Path.join(ExchangeDirectoryNames.headsFolder, instance.description + ExchangeDirectoryNames.headsSuffix)
  }

  package var text: String {
    let list = heads.map { "{\"chain\":\"\($0.branch)\",\"index\":\($0.index),\"digest\":\"\($0.digest)\"}" }
    return "{\"sea\":\(HeadsFile.version),\"databaseID\":\"\(database)\",\"instance\":\"\(instance)\","
      + "\"heads\":[\n\(list.joined(separator: ",\n"))\n]}\n"
  }
}

extension BlockRef {
  fileprivate init?(_ value: Value) {
    guard let members = value.members, case .string(let text)? = members["chain"], let branch = BranchID(text),
      case .integer(let index)? = members["index"], let index = UInt32(exactly: index),
      case .string(let digest)? = members["digest"], let digest = Digest(hex: digest)
    else { return nil }
    self.init(branch, index: index, digest: digest)
  }
}
