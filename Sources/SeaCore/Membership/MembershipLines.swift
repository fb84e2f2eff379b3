/// The lines of instances. Instances and lines are represented by indices.
///
/// In a line, each instance is directly followed by its successors, so an entry about an instance and its successors
/// applies to a range.
struct MembershipLines {
  /// The line of each instance. The next property holds the members of each line, oldest first.
  private(set) var line: [Int]
  private(set) var members: [[Int]] = []
  private(set) var predecessor: [Int?]
  /// The position of each instance in its line. The next property holds the end of the range of its successors.
  private(set) var place: [Int]
  private(set) var end: [Int]

  /// - Parameters:
  ///   - follows: the predecessor of each instance. Cycles are removed.
  /// - precedes: the order of instances that have the same predecessor.
  init(_ follows: [Int?], precedes: (Int, Int) -> Bool) {
    predecessor = MembershipLines.removingCycles(follows)
    line = Array(repeating: 0, count: follows.count)
    place = line
    end = line
    var successors: [[Int]] = Array(repeating: [], count: follows.count)
    for (one, before) in predecessor.enumerated() { if let before { successors[before].append(one) } }
    for oldest in predecessor.indices where predecessor[oldest] == nil {
      var row: [Int] = []
      var open = [oldest]
      while let next = open.popLast() {
        place[next] = row.count
        line[next] = members.count
        row.append(next)
        if successors[next].count > 1 { successors[next].sort { precedes($1, $0) } }
        open += successors[next]
      }
      for one in row { end[one] = place[one] + 1 }
      for one in row.reversed() {
        if let before = predecessor[one] { end[before] = max(end[before], end[one]) }
      }
      members.append(row)
    }
  }

  /// Removes the predecessors of the instances that form a cycle. Successors outside the cycle keep their predecessors.
  private static func removingCycles(_ follows: [Int?]) -> [Int?] {
    var result = follows
    /// For each instance, 0 if it has not been visited, or the number of the walk that visited it.
    var walk = Array(repeating: 0, count: follows.count)
    for start in follows.indices where walk[start] == 0 {
      var at: Int? = start
      while let here = at, walk[here] == 0 {
        walk[here] = start + 1
        at = follows[here]
      }
      guard let meeting = at, walk[meeting] == start + 1 else { continue }
      var here = meeting
      repeat {
        result[here] = nil
        here = follows[here]!
      } while here != meeting
    }
    return result
  }
}

/// The states of the members of one line, in a lazy segment tree. An act about a member and all its successors takes
/// logarithmic time.
struct LineStates {
  /// For each tree node, the acts that have not been passed down to the leaves yet. At most four acts can have an
  /// effect.
  private var waiting: [[PendingAct]]
  private var leaves: [MembershipState]
  private let width: Int

  private struct PendingAct {
    let act: Membership.Entry.Act
    let position: Int

    var role: Role? {
      guard case .authorize(let authorization) = act else { return nil }
      return authorization.role
    }
  }

  init(_ states: [MembershipState]) {
    var width = 1
    while width < states.count { width *= 2 }
    self.width = width
    leaves = states
    waiting = Array(repeating: [], count: width)
  }

  mutating func apply(_ act: Membership.Entry.Act, at position: Int, to place: Int) {
    passDown(to: place)
    leaves[place].apply(act, at: position)
  }

  /// Applies an act about a predecessor that the instances at `places` have in common.
  mutating func inherit(_ act: Membership.Entry.Act, at position: Int, _ places: Range<Int>) {
    guard !places.isEmpty else { return }
    inherit(PendingAct(act: act, position: position), places, node: 1, covering: 0..<width)
  }

  mutating func state(_ place: Int) -> MembershipState {
    passDown(to: place)
    return leaves[place]
  }

  private mutating func inherit(_ said: PendingAct, _ places: Range<Int>, node: Int, covering range: Range<Int>) {
    if places.lowerBound <= range.lowerBound, range.upperBound <= places.upperBound { return give([said], to: node) }
    guard places.lowerBound < range.upperBound, range.lowerBound < places.upperBound else { return }
    pass(node)
    let middle = range.lowerBound + range.count / 2
    inherit(said, places, node: 2 * node, covering: range.lowerBound..<middle)
    inherit(said, places, node: 2 * node + 1, covering: middle..<range.upperBound)
  }

  private mutating func passDown(to place: Int) {
    var step = width
    while step > 1 {
      pass((width + place) / step)
      step /= 2
    }
  }

  private mutating func pass(_ node: Int) {
    guard !waiting[node].isEmpty else { return }
    give(waiting[node], to: 2 * node)
    give(waiting[node], to: 2 * node + 1)
    waiting[node].removeAll()
  }

  private mutating func give(_ all: [PendingAct], to node: Int) {
    guard node >= width else {
      for said in all { LineStates.add(said, to: &waiting[node]) }
      return
    }
    guard node - width < leaves.count else { return }
    for said in all { leaves[node - width].inherit(said.act, at: said.position) }
  }

  /// Adds an act to a list, removing acts that become ineffective.
  private static func add(_ said: PendingAct, to list: inout [PendingAct]) {
    switch said.role {
    case .admin: list = [said]
    case .write:
      while let last = list.last?.role, last != .admin { list.removeLast() }
      list.append(said)
    case .read:
      if list.last?.role == .read { list.removeLast() }
      // After an admin act or a revocation, a read act undoes everything that a write act has changed.
      if list.last?.role == .write, list.count > 1, list[list.count - 2].role == .admin || list.count > 2 {
        list.removeLast()
      }
      list.append(said)
    case nil:
      if let last = list.last {
        // A second revocation in a row has no effect.
        if last.role != nil { list = [last, said] }
      } else {
        list = [said]
      }
    }
  }
}
