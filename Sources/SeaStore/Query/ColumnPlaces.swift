import SeaCore

/// Where columns stand in a body, by the order of its properties.
struct ColumnPlaces {
  private let names: [String?]
  /// The columns that are properties, in the order of their names.
  private let order: [Int]

  /// - Parameter names: of a column that is no property nil.
  init(_ names: [String?]) {
    self.names = names
    order = names.indices.filter { names[$0] != nil }.sorted { Members.precedes(names[$0]!, names[$1]!) }
  }

  /// - Returns: for each column its place among the properties of a body; -1 where there is none.
  func find(_ properties: some Sequence<String>) -> [Int] {
    var found = [Int](repeating: -1, count: names.count)
    for (place, name) in properties.enumerated() {
      var (low, high) = (0, order.count)
      while low < high {
        let middle = (low + high) / 2
        if Members.precedes(names[order[middle]]!, name) { low = middle + 1 } else { high = middle }
      }
      // A property may be several columns.
      while low < order.count, UTF8Text.equal(names[order[low]]!, name) {
        found[order[low]] = place
        low += 1
      }
    }
    return found
  }
}
