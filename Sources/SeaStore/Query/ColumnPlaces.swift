import SeaCore

struct ColumnPlaces {
  private let names: [String?]
  private let order: [Int]

  /// - Parameter names: the property of each column; nil for a column that is not a property.
  init(_ names: [String?]) {
    self.names = names
    order = names.indices.filter { names[$0] != nil }.sorted { Members.precedes(names[$0]!, names[$1]!) }
  }

  /// - Returns: the position of each column among the properties of a body; -1 for a missing property.
  func find(_ properties: some Sequence<String>) -> [Int] {
    var found = [Int](repeating: -1, count: names.count)
    for (place, name) in properties.enumerated() {
      var (low, high) = (0, order.count)
      while low < high {
        let middle = (low + high) / 2
        if Members.precedes(names[order[middle]]!, name) { low = middle + 1 } else { high = middle }
      }
      // A property can have several columns.
      while low < order.count, UTF8Text.equal(names[order[low]]!, name) {
        found[order[low]] = place
        low += 1
      }
    }
    return found
  }
}
