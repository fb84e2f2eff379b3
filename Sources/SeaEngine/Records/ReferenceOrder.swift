import SeaCore

/// Orders changes so that each record comes before the records that refer to it.
struct ReferenceOrder {
  private let changes: [Change]
  private let bytes: UnsafeBufferPointer<UInt8>
  private var byID: [[UInt8]: [Int]] = [:]
  private var state: [UInt8]
  private(set) var cycle: [String] = []

  init(_ changes: [Change], _ bytes: UnsafeBufferPointer<UInt8>) {
    self.changes = changes
    self.bytes = bytes
    state = [UInt8](repeating: 0, count: changes.count)
    byID.reserveCapacity(changes.count)
    for k in changes.indices { byID[Array(bytes[changes[k].id]), default: []].append(k) }
  }

  /// Sorts depth-first without recursion, because a chain of references may be as long as the batch.
  mutating func sorted() -> [Int] {
    var result: [Int] = []
    result.reserveCapacity(changes.count)
    for root in changes.indices where state[root] == 0 {
      var stack = [(node: root, needs: needs(of: root), next: 0)]
      state[root] = 1
      while let top = stack.last {
        if top.next < top.needs.count {
          stack[stack.count - 1].next += 1
          let need = top.needs[top.next]
          if state[need] == 0 {
            state[need] = 1
            stack.append((need, needs(of: need), 0))
          } else if state[need] == 1, need != top.node, cycle.isEmpty {
            cycle = stack.drop { $0.node != need }.map { id($0.node) }
          }
        } else {
          state[top.node] = 2
          result.append(top.node)
          stack.removeLast()
        }
      }
    }
    return result
  }

  private func id(_ k: Int) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[changes[k].id]), as: UTF8.self)
  }

  /// Returns the changes that must come first: changes to referenced records, and earlier changes to the same record.
  private func needs(of k: Int) -> [Int] {
    var needs: [Int] = []
    for other in byID[Array(bytes[changes[k].id])] ?? [] {
      if other == k { break }
      needs.append(other)
    }
    guard changes[k].hasReferences, let body = changes[k].body else { return needs }
    let own = changes[k].id
    BodyReferences.forEach(in: UnsafeBufferPointer(rebasing: bytes[body])) { target in
      guard UTF8Text.compare(target, UnsafeBufferPointer(rebasing: bytes[own])) != 0 else { return }
      needs += byID[Array(target)] ?? []
    }
    return needs
  }
}

extension BlockBuilder {
  /// Moves each record before the records that refer to it, except in cycles.
  /// - Returns: the IDs of a cycle.
  @discardableResult
  mutating func putReferencesFirst() -> [String] {
    guard changes.count > 1, changes.contains(where: { $0.hasReferences }) else { return [] }
    var sorter = ReferenceOrder(changes, bytes)
    reorder(sorter.sorted())
    return sorter.cycle
  }
}
