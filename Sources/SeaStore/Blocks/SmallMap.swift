/// Values by number, some hundreds at most, in the order of the numbers.
///
/// A `Dictionary` would be as good, but for its type: the runtime makes that when it is first needed, and looks through
/// every conformance of the program for it. That is a twentieth of what `sea get` does.
package struct SmallMap<Value> {
  package private(set) var keys: [Int64] = []
  package var values: [Value] = []

  package init() {}

  package var count: Int { keys.count }

  /// Where the first number is that is not less than this one.
  private func place(of key: Int64) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle] < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Where a number and its value are; nil if it has none.
  package func index(of key: Int64) -> Int? {
    let at = place(of: key)
    return at < keys.count && keys[at] == key ? at : nil
  }

  package subscript(key: Int64) -> Value? {
    get { index(of: key).map { values[$0] } }
    set {
      let at = place(of: key)
      let isThere = at < keys.count && keys[at] == key
      switch newValue {
      case let value? where isThere: values[at] = value
      case let value?:
        keys.insert(key, at: at)
        values.insert(value, at: at)
      case nil: if isThere { remove(at: at) }
      }
    }
  }

  package mutating func remove(at index: Int) {
    keys.remove(at: index)
    values.remove(at: index)
  }

  package mutating func removeAll() { self = SmallMap() }
}
