/// Where columns stand in a body, by the order of its properties.
struct ColumnPlaces {
  private var columns: [[UInt8]: [Int]] = [:]
  private let count: Int

  /// - Parameter names: of a column that is no property nil.
  init(_ names: [String?]) {
    count = names.count
    for (k, name) in names.enumerated() { if let name { columns[Array(name.utf8), default: []].append(k) } }
  }

  /// - Returns: for each column its place among the properties of a body; -1 where there is none.
  func find(_ properties: some Sequence<String>) -> [Int] {
    var found = [Int](repeating: -1, count: count)
    for (place, name) in properties.enumerated() {
      for column in columns[Array(name.utf8)] ?? [] { found[column] = place }
    }
    return found
  }
}
