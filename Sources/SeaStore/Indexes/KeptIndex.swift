import SeaCore

/// An index that the store has.
package struct KeptIndex: Sendable {
  /// What stands for it in the tables.
  let slot: Int
  package let name: String
  package let definition: IndexDefinition

  /// The table of the words, if it is one of text.
  var words: String { "words_\(slot)" }
}

extension KeptIndex {
  /// The value at a path of a body; nil if there is none.
  static func value(_ path: PropertyPath, _ body: [UInt8]) throws(StoreError) -> Value? {
    do throws(CoreError) {
      return try body.withUnsafeBufferPointer { body throws(CoreError) -> Value? in
        guard let range = try path.find(in: body) else { return nil }
        return try Value.decode(value: UnsafeBufferPointer(rebasing: body[range])).unlabelled
      }
    } catch {
      throw .damaged("body")
    }
  }

  /// The keys that a record has; none if it lacks the first property.
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
