import SeaCore
import SeaStore

extension Queries {
  /// What is asked for only in part costs no look at all records.
  static let mostLooked = 1000

  /// Holds paths within properties, and behind references, against what there is. Where any record has the path nothing is said.
  /// - Throws: `QueryFault`.
  func checkNested(_ query: RecordQuery, _ selections: [Selection]) throws {
    let isAll = query.limit == nil && query.condition == nil
    for one in selections where one.hops.count > 1 || one.path?.names.count ?? 0 > 1 {
      // Of several paths that lead from one record to the next, the first that nothing has.
      for count in 1...one.hops.count where !(count == 1 && one.hops[0].names.count == 1) {
        if count > 1, count == one.hops.count, one.endsInField { break }
        let isFound = try search(query, one, hops: count, most: isAll ? .max : Queries.mostLooked)
        if !isFound { break }
      }
    }
  }

  /// Looks for the last of so many paths.
  /// - Returns: whether a record has it.
  private func search(_ query: RecordQuery, _ selection: Selection, hops count: Int, most: Int) throws -> Bool {
    var search = NestedSearch(selection.hops[count - 1])
    var (looked, isCut) = (0, false)
    var filter = RecordFilter()
    filter.type = query.filter.type
    var seen: Set<[UInt8]> = []
    try records.store.records.forEachRecord(filter) { row in
      guard looked < most else {
        isCut = true
        return false
      }
      looked += 1
      guard let body = try body(of: row, behind: selection.hops.prefix(count - 1), &seen) else { return true }
      try body.withUnsafeBufferPointer { try search.look(at: $0) }
      return !search.isFound
    }
    let fields = count > 1 ? Selection.fields : []
    let notice = try search.notice(
      seen: isCut ? looked : nil, { Queries.text(selection, $0, at: count - 1) },
      { Similarity.nearest(to: $0, among: $1 + fields) })
    if let notice { notices.append(notice) }
    return search.isFound
  }

  /// What a record says that is reached by references; nil if there is none, or it was seen before.
  private func body(
    of row: RecordRow, behind hops: ArraySlice<PropertyPath>, _ seen: inout Set<[UInt8]>
  ) throws -> [UInt8]? {
    let table = records.store.records
    var row = row
    for path in hops {
      guard let leaf = try table.winner(of: row), let body = try table.body(of: leaf),
        let range = try body.withUnsafeBufferPointer({ try path.find(in: $0) }),
        case .reference(let id, _) = try body.withUnsafeBufferPointer({
          try Value.decode(value: UnsafeBufferPointer(rebasing: $0[range]))
        }).unlabelled,
        let next = try table.record(id), !next.isDeleted
      else { return nil }
      row = next
    }
    if !hops.isEmpty, !seen.insert(Array(row.id.utf8)).inserted { return nil }
    guard let leaf = try table.winner(of: row) else { return nil }
    return try table.body(of: leaf)
  }

  /// The selection with another path in one place.
  private static func text(_ selection: Selection, _ path: PropertyPath, at place: Int) -> String {
    selection.hops.enumerated().prefix(place + 1).map { $0 == place ? path.description : $1.description }
      .joined(separator: "->")
  }
}
