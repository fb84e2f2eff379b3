import SeaCore
import SeaKit

/// Which record a key means: the one that has these values already, else one whose id follows from them. So two
/// instances that load the same file come to the same records.
///
/// Memory grows with the number of records of the type, by some 100 bytes for each.
final class LoadKeys {
  private let paths: [PropertyPath]
  private let type: String
  private let database: Database
  private var known: [Digest: String] = [:]
  private var several: [Digest: [String]] = [:]

  init(_ paths: [PropertyPath], type: String, _ database: Database) throws {
    (self.paths, self.type, self.database) = (paths, type, database)
    var filter = RecordFilter()
    filter.type = type
    try database.queries.forEach(RecordQuery(filter)) { view in
      guard let body = view.body, let key = try body.withUnsafeBufferPointer({ try digest($0) }).digest else { return }
      if let other = known[key] {
        several[key, default: [other]].append(view.id)
      } else {
        known[key] = view.id
      }
    }
  }

  /// - Parameters:
  ///   - body: what the record is to have.
  ///   - given: its id, if the input names one: for a key that no record has.
  func id(of body: UnsafeBufferPointer<UInt8>, type: String?, given: String?) throws -> String {
    if let type, !UTF8Text.equal(type, self.type) { throw TableFault.otherType(have: type, want: self.type) }
    let (found, missing) = try digest(body)
    guard let found else { throw TableFault.emptyKey(missing) }
    if let all = several[found] { throw TableFault.severalOfKey(paths.map(\.description).joined(separator: ","), all) }
    if let id = known[found] { return id }
    let id = try given ?? unused(found)
    known[found] = id
    return id
  }

  /// The id that follows from a key. If the record of that id has become another one's, the next that does.
  private func unused(_ key: Digest) throws -> String {
    var key = key
    while true {
      let id = UUID(version: 8, from: key).description
      guard let view = try database.records.view(id), view.body != nil else { return id }
      key = SHA256.hash(Array(key.description.utf8))
    }
  }

  /// What stands for the type and the values; nil if a value is missing, and which.
  private func digest(_ body: UnsafeBufferPointer<UInt8>) throws -> (digest: Digest?, missing: String) {
    var writer = ByteWriter(capacity: 128)
    writer.cborText(type)
    for path in paths {
      guard let range = try path.find(in: body), body[range.lowerBound] != 0xF6 else {
        return (nil, path.description)
      }
      writer.cborText(path.description)
      writer.append(UnsafeBufferPointer(rebasing: body[range]))
    }
    return (SHA256.hash(writer.array()), "")
  }
}
