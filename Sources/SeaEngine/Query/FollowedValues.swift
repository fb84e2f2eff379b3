import SeaCore
import SeaStore

/// A cache of the values that references lead to, so that a record with many references to it is read only once.
struct FollowedValues {
  private struct Key: Hashable {
    let id: [UInt8]
    let path: String
  }

  private var known: [Key: [UInt8]?] = [:]
  private var bytes = 0
  private static let most = 16 << 20

  mutating func value(_ id: String, _ path: String, _ find: () throws -> [UInt8]?) rethrows -> [UInt8]? {
    let key = Key(id: Array(id.utf8), path: path)
    if let value = known[key] { return value }
    let value = try find()
    bytes += key.id.count + (value?.count ?? 0) + 100
    if bytes > FollowedValues.most { (known, bytes) = ([:], 0) }
    known[key] = .some(value)
    return value
  }
}
