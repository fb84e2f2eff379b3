import SeaCore
import SeaStore

/// Whether any record has a path within a property, and which names there are where it leads nowhere.
private struct NestedSearch {
  let path: PropertyPath
  /// By how many names of the path lead to a dictionary that lacks the next one.
  private var beside: [Int: Set<String>] = [:]
  private(set) var isFound = false
  private static let mostNames = 1000

  init(_ path: PropertyPath) { self.path = path }

  mutating func look(at body: UnsafeBufferPointer<UInt8>) throws {
    if try path.find(in: body) != nil { isFound = true }
    if isFound { return }
    for count in (1..<path.names.count).reversed() {
      guard let range = try PropertyPath(names: Array(path.names[..<count])).find(in: body) else { continue }
      guard beside[count]?.count ?? 0 < NestedSearch.mostNames,
        case .dictionary(let members) = try Value.decode(value: UnsafeBufferPointer(rebasing: body[range]))
      else { return }
      beside[count, default: []].formUnion(members.keys)
      return
    }
  }

  /// The path that was probably meant: one that there is as far as it is told otherwise.
  var similar: PropertyPath? {
    guard let count = beside.keys.max(),
      let name = Similarity.nearest(to: path.names[count], among: beside[count, default: []].sorted())
    else { return nil }
    return PropertyPath(names: path.names[..<count] + [name] + path.names[(count + 1)...])
  }
}

extension Queries {
  /// What is asked for only in part costs no look at all records.
  private static let mostLooked = 1000

  /// Holds paths within properties against what there is. Where any record has the path nothing is said, nor where not all were looked at.
  /// - Throws: `QueryFault`.
  func checkNested(_ query: RecordQuery, _ paths: [PropertyPath]) throws {
    for path in paths where path.names.count > 1 {
      var search = NestedSearch(path)
      var left = query.limit == nil && query.condition == nil ? Int.max : Queries.mostLooked
      var filter = RecordFilter()
      filter.type = query.filter.type
      try records.store.records.forEachRecord(filter) { row in
        left -= 1
        guard left >= 0, let leaf = try records.store.records.winner(of: row),
          let body = try records.store.records.body(of: leaf)
        else {
          return left >= 0
        }
        try body.withUnsafeBufferPointer { try search.look(at: $0) }
        return !search.isFound
      }
      if left >= 0, !search.isFound, let similar = search.similar {
        throw QueryFault.unknownColumn(path.description, similar: similar.description)
      }
    }
  }
}
