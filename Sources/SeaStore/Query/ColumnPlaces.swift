import SeaCore

/// Finds the positions of columns in a body.
struct ColumnPlaces {
  private let names: [String?]
  /// The columns that are properties, sorted by name.
  private let order: [Int]

  /// - Parameter names: nil for a column that is not a property.
  init(_ names: [String?]) {
    self.names = names
    order = names.indices.filter { names[$0] != nil }.sorted { Members.precedes(names[$0]!, names[$1]!) }
  }

  /// - Returns: for each column its position among the properties of a body; -1 if it is missing.
  func find(_ properties: some Sequence<String>) -> [Int] {
    var found = [Int](repeating: -1, count: names.count)
    for (place, name) in properties.enumerated() {
      var (low, high) = (0, order.count)
      while low < high {
        let middle = (low + high) / 2
        if Members.precedes(names[order[middle]]!, name) { low = middle + 1 } else { high = middle }
      }
      // One property may have several columns.
      while low < order.count, UTF8Text.equal(names[order[low]]!, name) {
        found[order[low]] = place
        low += 1
      }
    }
    return found
  }
}
