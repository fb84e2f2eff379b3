import SeaContainer
import SeaCore
import SeaSystem

/// What an instance says to have, as it leaves it for others in an exchange folder. Nothing vouches for it: it only
/// decides what need not be written again.
package struct HeadsFile: Equatable, Sendable {
  static let version: Int64 = 1
  /// A larger one is not read.
  package static let largest = BundlePlaces.largestHeads

  package var database: UUID
  package var instance: UUID
  package var heads: [BlockRef]

  package init(database: UUID, instance: UUID, heads: [BlockRef]) {
    self.database = database
    self.instance = instance
    self.heads = heads
  }

  /// Nil for what is none. Members that are not known are ignored, and heads that are not right are left out.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count <= HeadsFile.largest, let text = String(validating: bytes, as: UTF8.self),
      let members = try? Value.json(text).members, case .integer(HeadsFile.version)? = members["sea"],
      case .string(let database)? = members["databaseID"], let database = UUID(database),
      case .string(let instance)? = members["instance"], let instance = UUID(instance),
      case .array(let list)? = members["heads"]
    else { return nil }
    self.init(database: database, instance: instance, heads: list.compactMap { BlockRef($0) })
  }

  /// Where it lies in a directory of bundles.
  static func path(of instance: UUID) -> String {
    Path.join(BundlePlaces.headsFolder, instance.description + BundlePlaces.headsSuffix)
  }

  /// The one text of it.
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
