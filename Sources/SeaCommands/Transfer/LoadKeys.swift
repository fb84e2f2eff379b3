import SeaCore
import SeaEngine

/// Which record a key means: the one that has these values already, else one whose id follows from them. So two
/// instances that load the same file come to the same records.
final class LoadKeys {
  private let paths: [PropertyPath]
  private let type: String
  private let database: Database
  /// By what is the same for the same numbers, however they are written.
  private let known: KnownIDs

  init(_ paths: [PropertyPath], type: String, _ database: Database) throws {
    (self.paths, self.type, self.database) = (paths, type, database)
    known = try KnownIDs(database.records)
    var filter = RecordFilter()
    filter.type = type
    try database.queries.forEach(RecordQuery(filter)) { view in
      guard let body = view.body, let key = try body.withUnsafeBufferPointer({ try digest($0) }).same else { return }
      try known.add(view.id, for: key)
    }
  }

  /// - Parameters:
  ///   - body: what the record is to have.
  ///   - given: its id, if the input names one: for a key that no record has.
  func id(of body: UnsafeBufferPointer<UInt8>, type: String?, given: String?) throws -> String {
    if let type, !UTF8Text.equal(type, self.type) { throw TableFault.otherType(have: type, want: self.type) }
    let (same, exact, missing) = try digest(body)
    guard let same, let exact else {
      throw TableFault.emptyKey(missing, similar: Similarity.nearest(to: missing, among: try LoadKeys.names(body)))
    }
    let all = try known[same]
    if all.count > 1 { throw TableFault.severalOfKey(paths.map(\.description).joined(separator: ","), all) }
    if let only = all.first { return only }
    let id = try given ?? unused(exact)
    try known.add(id, for: same)
    return id
  }

  private static func names(_ body: UnsafeBufferPointer<UInt8>) throws -> [String] {
    var cursor = CBORCursor(body)
    return try (0..<cursor.count(5, least: 2)).map { _ in
      let name = String(decoding: try cursor.text(), as: UTF8.self)
      try cursor.skipValue()
      return name
    }
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

  /// What stands for the type and the values, as equal and as the same to the byte; nil if a value is missing, and which.
  private func digest(_ body: UnsafeBufferPointer<UInt8>) throws -> (same: Digest?, exact: Digest?, missing: String) {
    var same = ByteWriter(capacity: 128)
    var exact = ByteWriter(capacity: 128)
    same.cborText(type)
    exact.cborText(type)
    for path in paths {
      guard let range = try path.find(in: body), body[range.lowerBound] != 0xF6 else {
        return (nil, nil, path.description)
      }
      let value = UnsafeBufferPointer(rebasing: body[range])
      same.cborText(path.description)
      exact.cborText(path.description)
      exact.append(value)
      if let number = try SortKey.number(value) {
        // No value begins so.
        same.byte(0xFF)
        same.append(number)
      } else {
        same.append(value)
      }
    }
    return (SHA256.hash(same.array()), SHA256.hash(exact.array()), "")
  }
}
