import SeaCore

/// Whether any record has a path, and which names there are where it leads nowhere.
package struct NestedSearch {
  package let path: PropertyPath
  /// By how many names of the path lead to a dictionary that lacks the next one.
  private var beside: [Int: Set<String>] = [:]
  package private(set) var isFound = false
  /// Whether it has met a value that is no dictionary, and yet may have parts in SQL: as JSON, or a text that is some.
  private(set) var meetsOther = false
  /// By how many names of the path lead to a reference.
  private var reference: Int?
  /// Of how many it was looked for in what they say.
  private var met = 0
  private static let mostNames = 1000

  package init(_ path: PropertyPath) { self.path = path }

  package mutating func look(at body: UnsafeBufferPointer<UInt8>) throws {
    met += 1
    if try path.find(in: body) != nil { isFound = true }
    if isFound { return }
    for count in (0..<path.names.count).reversed() {
      let value: Value
      if count == 0 {
        value = try Value.decode(body: body)
      } else {
        guard let range = try PropertyPath(names: Array(path.names[..<count])).find(in: body) else { continue }
        value = try Value.decode(value: UnsafeBufferPointer(rebasing: body[range])).unlabelled
      }
      guard case .dictionary(let members) = value else {
        switch value {
        case .reference: reference = count
        case .string, .asset, .set: meetsOther = true
        default: break
        }
        return
      }
      guard beside[count]?.count ?? 0 < NestedSearch.mostNames else { return }
      beside[count, default: []].formUnion(members.keys)
      return
    }
  }

  /// What is to be said of the path: nothing where a record has it, and where it was looked for in none.
  /// - Parameters:
  ///   - seen: how many records were looked at, if not all.
  ///   - text: what people call a path.
  /// - Throws: `QueryFault` where all were looked at and it is much like one that there is.
  package func notice(
    seen: Int?, _ text: (PropertyPath) -> String, _ nearest: (_ word: String, _ known: [String]) -> String?
  ) throws(QueryFault) -> QueryNotice? {
    guard !isFound, met > 0 else { return nil }
    if let reference, reference > beside.keys.max() ?? 0 {
      let (hop, rest) = (Array(path.names[..<reference]), Array(path.names[reference...]))
      return .behindReference(text(path), as: "\(PropertyPath(names: hop))->\(PropertyPath(names: rest))")
    }
    let slip = similar(nearest).map(text)
    if let seen { return slip.map { .unseen(text(path), similar: $0, looked: seen) } }
    if let slip { throw QueryFault.unknownColumn(text(path), similar: slip) }
    return .noProperty(text(path))
  }

  /// The path that was probably meant: one that there is as far as it is told otherwise.
  private func similar(_ nearest: (_ word: String, _ known: [String]) -> String?) -> PropertyPath? {
    guard let count = beside.keys.max(), let name = nearest(path.names[count], beside[count, default: []].sorted())
    else { return nil }
    return PropertyPath(names: path.names[..<count] + [name] + path.names[(count + 1)...])
  }
}
