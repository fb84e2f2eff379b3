import SeaCore

package struct KeptIndex: Sendable {
  let slot: Int
  package let name: String
  package let definition: IndexDefinition

  /// The name of the FTS5 table, for a text index.
  var words: String { "words_\(slot)" }
}

extension KeptIndex {
  static func value(_ path: PropertyPath, _ body: [UInt8]) throws(StoreError) -> Value? {
    do throws(CoreError) {
      return try body.withUnsafeBufferPointer { body throws(CoreError) -> Value? in
        guard let range = try path.find(in: body) else { return nil }
        return try Value.decode(value: UnsafeBufferPointer(rebasing: body[range])).unlabeled
      }
    } catch {
      throw .damaged("body")
    }
  }

  /// Returns the index keys of a record. The result is empty if the record lacks the first property.
  func keys(_ body: [UInt8]) throws(StoreError) -> [[UInt8]] {
    var keys: [[UInt8]] = [[]]
    for (k, path) in definition.paths.enumerated() {
      var next = try KeptIndex.value(path, body).map(IndexKey.keys) ?? []
      if next.isEmpty {
        if k == 0 { return [] }
        next = [[IndexKey.Class.missing.rawValue]]
      }
      keys = keys.flatMap { key in next.map { key + $0 } }
    }
    return keys
  }
}
