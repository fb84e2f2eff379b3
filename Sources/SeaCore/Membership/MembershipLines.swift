/// Who comes from whom, in numbers: the lines of some instances.
///
/// The members of a line stand in an order in which everybody's successors follow right behind him, so that what is said
/// about one and his successors is said about a run of it.
struct MembershipLines {
  /// The line of each instance, and the members of each line, the oldest first.
  private(set) var line: [Int]
  private(set) var members: [[Int]] = []
  private(set) var predecessor: [Int?]
  /// Of each instance its place among the members of its line, and where its successors end.
  private(set) var place: [Int]
  private(set) var end: [Int]

  /// - Parameters:
  ///   - follows: the predecessor of each instance; circles are undone.
  ///   - precedes: an order of instances, for those that have one predecessor.
  init(_ follows: [Int?], precedes: (Int, Int) -> Bool) {
    predecessor = MembershipLines.withoutCircles(follows)
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
      // Whoever stands behind its predecessor without a break comes from it.
      for one in row { end[one] = place[one] + 1 }
      for one in row.reversed() {
        if let before = predecessor[one] { end[before] = max(end[before], end[one]) }
      }
      members.append(row)
    }
  }

  /// Those in a circle have no predecessor; who comes from one of them keeps it.
  private static func withoutCircles(_ follows: [Int?]) -> [Int?] {
    var result = follows
    /// 0: not seen; else the number of the walk that came by.
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

/// The states of those in one line, while what is said about them is applied, entry by entry: each about a member and all
/// that come from it, in time that the logarithm of their number bounds.
struct LineStates {
  /// What was said about all below a node of the tree and has not reached them: no more than four acts have the effect
  /// of any number.
  private var waiting: [[Said]]
  private var leaves: [MembershipState]
  private let width: Int

  private struct Said {
    let act: Membership.Entry.Act
    let position: Int

    /// Nil for a revocation.
    var role: Role? {
      guard case .authorise(let authorisation) = act else { return nil }
      return authorisation.role
    }
  }

  init(_ states: [MembershipState]) {
    var width = 1
    while width < states.count { width *= 2 }
    self.width = width
    leaves = states
    waiting = Array(repeating: [], count: width)
  }

  /// Applies what is said about one itself.
  mutating func apply(_ act: Membership.Entry.Act, at position: Int, to place: Int) {
    passDown(to: place)
    leaves[place].apply(act, at: position)
  }

  /// Applies what is said about a predecessor of a run of them.
  mutating func inherit(_ act: Membership.Entry.Act, at position: Int, _ places: Range<Int>) {
    guard !places.isEmpty else { return }
    inherit(Said(act: act, position: position), places, node: 1, covering: 0..<width)
  }

  mutating func state(_ place: Int) -> MembershipState {
    passDown(to: place)
    return leaves[place]
  }

  private mutating func inherit(_ said: Said, _ places: Range<Int>, node: Int, covering range: Range<Int>) {
    if places.lowerBound <= range.lowerBound, range.upperBound <= places.upperBound { return give([said], to: node) }
    guard places.lowerBound < range.upperBound, range.lowerBound < places.upperBound else { return }
    pass(node)
    let middle = range.lowerBound + range.count / 2
    inherit(said, places, node: 2 * node, covering: range.lowerBound..<middle)
    inherit(said, places, node: 2 * node + 1, covering: middle..<range.upperBound)
  }

  /// Lets reach a leaf what waits above it.
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

  private mutating func give(_ all: [Said], to node: Int) {
    guard node >= width else {
      for said in all { LineStates.add(said, to: &waiting[node]) }
      return
    }
    guard node - width < leaves.count else { return }
    for said in all { leaves[node - width].inherit(said.act, at: said.position) }
  }

  /// Adds an act and leaves out those that it leaves without effect.
  private static func add(_ said: Said, to list: inout [Said]) {
    switch said.role {
    case .admin: list = [said]
    case .write:
      while let last = list.last?.role, last != .admin { list.removeLast() }
      list.append(said)
    case .read:
      if list.last?.role == .read { list.removeLast() }
      // Behind an admin's or a revoked one's state a writer's is nothing that a reader's would keep.
      if list.last?.role == .write, list.count > 1, list[list.count - 2].role == .admin || list.count > 2 {
        list.removeLast()
      }
      list.append(said)
    case nil:
      if let last = list.last {
        // Who has no role loses nothing more.
        if last.role != nil { list = [last, said] }
      } else {
        list = [said]
      }
    }
  }
}
