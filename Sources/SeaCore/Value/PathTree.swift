/// What is said of paths, so that what holds at a place, around it or within it is found in a step for each name of its path,
/// however many paths there are.
package struct PathTree<Element> {
  fileprivate final class Node {
    var element: Element?
    var children: [[UInt8]: Node] = [:]
  }

  /// A place in the tree, at or below which something is said.
  package struct Place {
    fileprivate let node: Node

    /// What is said of just this place.
    package var element: Element? { node.element }

    /// The place below; nil if nothing is said there.
    package func child(_ name: String) -> Place? { node.children[Array(name.utf8)].map { Place(node: $0) } }
  }

  private var root = Node()
  package private(set) var isEmpty = true

  package init() {}

  package var top: Place? { isEmpty ? nil : Place(node: root) }

  /// What is said of just this path.
  package subscript(path: PropertyPath) -> Element? { place(path)?.element }

  /// What is said of this path, else of the nearest one that leads to it.
  package func around(_ path: PropertyPath) -> Element? {
    var node = root
    var found = node.element
    for name in path.names {
      guard let next = node.children[Array(name.utf8)] else { break }
      node = next
      found = node.element ?? found
    }
    return found
  }

  /// Whether anything is said of the path, of what leads to it or of what is within it.
  package func overlaps(_ path: PropertyPath) -> Bool { around(path) != nil || place(path) != nil }

  private func place(_ path: PropertyPath) -> Place? {
    var place = top
    for name in path.names { place = place?.child(name) }
    return place
  }

  /// Says something of a path; what was said of places within it is gone.
  package mutating func replace(_ path: PropertyPath, with element: Element) {
    let node = made(path)
    node.element = element
    node.children = [:]
  }

  /// Says something of a path of which nothing was said.
  package mutating func add(_ path: PropertyPath, _ element: Element) {
    let node = made(path)
    if node.element == nil { node.element = element }
  }

  private mutating func made(_ path: PropertyPath) -> Node {
    if !isKnownUniquelyReferenced(&root) { root = PathTree.copy(root) }
    isEmpty = false
    var node = root
    for name in path.names {
      let key = Array(name.utf8)
      if let next = node.children[key] {
        node = next
      } else {
        let next = Node()
        node.children[key] = next
        node = next
      }
    }
    return node
  }

  private static func copy(_ node: Node) -> Node {
    let result = Node()
    result.element = node.element
    result.children = node.children.mapValues { copy($0) }
    return result
  }

  /// The paths of which something is said and that are within no other such path, in no order.
  package var outermost: [PropertyPath] {
    var found: [PropertyPath] = []
    var open: [(Node, [String])] = isEmpty ? [] : [(root, [])]
    while let (node, names) = open.popLast() {
      if node.element != nil {
        found.append(PropertyPath(names: names))
        continue
      }
      for (name, child) in node.children { open.append((child, names + [String(decoding: name, as: UTF8.self)])) }
    }
    return found
  }
}
