/// Stores elements by path. The time for a lookup depends only on the length of the path, not on the number of paths.
package struct PathTree<Element> {
  fileprivate final class Node {
    var element: Element?
    var children: [[UInt8]: Node] = [:]
  }

  package struct Place {
    fileprivate let node: Node

    package var element: Element? { node.element }

    package func child(_ name: String) -> Place? { node.children[Array(name.utf8)].map { Place(node: $0) } }
  }

  private var root = Node()
  package private(set) var isEmpty = true

  package init() {}

  package var top: Place? { isEmpty ? nil : Place(node: root) }

  package subscript(path: PropertyPath) -> Element? { find(path)?.element }

  /// Returns the element at the given path or, failing that, at the nearest ancestor.
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

  /// Whether there is an element at the path, at an ancestor or at a descendant.
  package func overlaps(_ path: PropertyPath) -> Bool { around(path) != nil || find(path) != nil }

  private func find(_ path: PropertyPath) -> Place? {
    var place = top
    for name in path.names { place = place?.child(name) }
    return place
  }

  /// Sets the element at a path, and removes all elements at paths within it.
  package mutating func replace(_ path: PropertyPath, with element: Element) {
    let node = made(path)
    node.element = element
    node.children = [:]
  }

  /// Adds an element, unless the path already has one.
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

  /// The paths of all elements that are not within the path of another element, in no particular order.
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
