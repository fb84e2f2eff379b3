import SeaCore
import SeaStore

/// Maps digests to record IDs. Memory use does not grow with the number of records.
package final class KnownIDs {
  private static let most = 20
  private let names: DigestNames

  package init(_ records: Records) throws { names = try DigestNames(beside: records.store) }

  package func add(_ id: String, for digest: Digest) throws { try names.add(id, for: digest) }

  package subscript(digest: Digest) -> [String] {
    get throws { try names.names(digest, limit: KnownIDs.most) }
  }
}
