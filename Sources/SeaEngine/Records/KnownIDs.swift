import SeaCore
import SeaStore

/// The ids of records by something that is known of them. However many there are, memory does not grow with them.
package final class KnownIDs {
  /// So many records that have the same are told of.
  private static let most = 20
  private let names: DigestNames

  package init(_ records: Records) throws { names = try DigestNames(beside: records.store) }

  package func add(_ id: String, for digest: Digest) throws { try names.add(id, for: digest) }

  package subscript(digest: Digest) -> [String] {
    get throws { try names.names(digest, limit: KnownIDs.most) }
  }
}
