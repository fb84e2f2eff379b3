/// A priority queue. `first` and `pop` return the element that sorts first.
package struct Heap<Element> {
  private var items: [Element] = []
  private let isBefore: (Element, Element) -> Bool

  package init(_ isBefore: @escaping (Element, Element) -> Bool) { self.isBefore = isBefore }

  package var first: Element? { items.first }

  package mutating func push(_ item: Element) {
    items.append(item)
    var at = items.count - 1
    while at > 0, isBefore(items[at], items[(at - 1) / 2]) {
      items.swapAt(at, (at - 1) / 2)
      at = (at - 1) / 2
    }
  }

  package mutating func pop() -> Element? {
    guard let first = items.first else { return nil }
    let last = items.removeLast()
    guard !items.isEmpty else { return first }
    items[0] = last
    var at = 0
    while true {
      var best = at
      for child in [2 * at + 1, 2 * at + 2] where child < items.count && isBefore(items[child], items[best]) {
        best = child
      }
      if best == at { return first }
      items.swapAt(at, best)
      at = best
    }
  }
}
