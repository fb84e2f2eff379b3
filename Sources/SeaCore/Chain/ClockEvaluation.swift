/// Provides the facts about blocks that determine which clocks are earned. They come from a store or from verified
/// blocks in memory. Branches are identified by numbers.
package protocol ClockFacts {
  associatedtype Failure: Error
  /// Returns the Lamport time and the heads of a block; nil if the block is not in the branch itself.
  func block(_ branch: Int, _ index: Int) throws(Failure) -> ClockBlock?
  func lamport(_ branch: Int, _ index: Int) throws(Failure) -> UInt32
  /// Returns the last block before the point where a branch forks; nil for a main branch.
  func base(of branch: Int) throws(Failure) -> BlockRef?
  func siblings(leaving branch: Int) throws(Failure) -> [Int]
  func locate(_ head: BlockRef) throws(Failure) -> ClockPlace?
}

package struct ClockBlock {
  package var lamport: UInt32
  package var heads: [BlockRef]

  package init(lamport: UInt32, heads: [BlockRef]) { (self.lamport, self.heads) = (lamport, heads) }
}

package struct ClockPlace: Hashable {
  package var branch: Int
  package var index: Int
  package var lamport: UInt32

  package init(branch: Int, index: Int, lamport: UInt32) {
    (self.branch, self.index, self.lamport) = (branch, index, lamport)
  }
}

package struct ClockBranch {
  package var first: Int
  package var end: Int
  /// The index of the first block whose clock has not been earned yet.
  package var next: Int
  /// Whether the clock of the block at `next` is wrong, so that this block and all later blocks do not count.
  package var isWrong: Bool

  package init(first: Int, end: Int, next: Int, isWrong: Bool = false) {
    (self.first, self.end, self.next, self.isWrong) = (first, end, next, isWrong)
  }

  fileprivate var isOpen: Bool { !isWrong && next < end }

  package func isEarned(_ index: Int) -> Bool { index < next }
  package func isWrong(_ index: Int) -> Bool { isWrong && index >= next }
}

/// Determines which clocks are earned and which are wrong (sea-format(5), Lamport time).
///
/// Every block and head is read only once. A branch that cannot continue waits for one head, and continues as soon as
/// the clock of that head is earned.
package struct ClockEvaluation {
  package private(set) var branches: [Int: ClockBranch]
  /// Maps each visited branch to the head that it is waiting for, if any.
  package private(set) var awaited: [Int: BlockRef?] = [:]
  package private(set) var wrong: [Int] = []
  private var steps: [Int: Step] = [:]
  /// The branches that are waiting for a block whose clock has not been earned yet, keyed by the branch and index of
  /// that block.
  private var waiting: [Int: [Int: [Int]]] = [:]
  private var todo: [Int] = []

  /// The next block of a branch, and the number of its predecessors that have been read.
  private struct Step {
    var block: ClockBlock
    var heads: [BlockRef]
    /// Whether the first head is the block at which the branch forks.
    var startsWithForkBase: Bool
    var position = 0
    var greatest: UInt32
  }

  package init(_ branches: [Int: ClockBranch]) { self.branches = branches }

  /// - Parameter some: the branches that might be able to continue, in reverse order.
  package mutating func run<T: ClockFacts>(_ some: [Int], _ testimony: T) throws(T.Failure) {
    todo = some
    while let key = todo.popLast() { try advance(key, testimony) }
  }

  private mutating func advance<T: ClockFacts>(_ key: Int, _ testimony: T) throws(T.Failure) {
    guard var branch = branches[key], branch.isOpen else { return }
    let before = branch.next
    var (missing, last): (BlockRef?, UInt32?) = (nil, nil)
    while branch.isOpen {
      var next = steps.removeValue(forKey: key)
      if next == nil { next = try begin(key, branch, after: last, testimony) }
      guard var step = next,
        try follow(&step, of: key, &branch, &missing, testimony)
      else { break }
      guard step.block.lamport == LamportClock.next(after: step.greatest) else {
        branch.isWrong = true
        break
      }
      branch.next += 1
      last = step.block.lamport
    }
    branches[key] = branch
    awaited[key] = .some(missing)
    if waiting[key] != nil {
      for index in before..<branch.next { todo += waiting[key]?.removeValue(forKey: index) ?? [] }
    }
    if branch.isWrong { try spread(key, testimony) }
  }

  /// Returns the first block whose clock has not been earned yet; nil if that block is missing.
  private func begin<T: ClockFacts>(
    _ key: Int, _ branch: ClockBranch, after last: UInt32?, _ testimony: T
  ) throws(T.Failure) -> Step? {
    guard let block = try testimony.block(key, branch.next) else { return nil }
    var heads = block.heads
    if branch.next > branch.first {
      var greatest = last
      if greatest == nil { greatest = try testimony.lamport(key, branch.next - 1) }
      return Step(block: block, heads: heads, startsWithForkBase: false, greatest: greatest ?? 0)
    }
    let base = try testimony.base(of: key)
    if let base { heads.insert(base, at: 0) }
    return Step(block: block, heads: heads, startsWithForkBase: base != nil, greatest: 0)
  }

  /// - Returns: whether the clocks of all predecessors have been earned.
  private mutating func follow<T: ClockFacts>(
    _ step: inout Step, of key: Int, _ branch: inout ClockBranch, _ missing: inout BlockRef?, _ testimony: T
  ) throws(T.Failure) -> Bool {
    while step.position < step.heads.count {
      let head = step.heads[step.position]
      let isBase = step.startsWithForkBase && step.position == 0
      let place = try testimony.locate(head)
      let other = place.flatMap { $0.branch == key ? branch : branches[$0.branch] }
      guard let place, other?.isEarned(place.index) == true else {
        if isBase, other?.isWrong == true {
          branch.isWrong = true
          return false
        }
        if let place, other?.isWrong == false {
          waiting[place.branch, default: [:]][place.index, default: []].append(key)
        }
        steps[key] = step
        missing = head
        return false
      }
      step.greatest = max(step.greatest, place.lamport)
      step.position += 1
    }
    return true
  }

  private mutating func spread<T: ClockFacts>(_ key: Int, _ testimony: T) throws(T.Failure) {
    var found = [key]
    while let key = found.popLast() {
      wrong.append(key)
      let from = branches[key]!.next
      for sibling in try testimony.siblings(leaving: key) {
        guard let other = branches[sibling], !other.isWrong, other.first > from else { continue }
        branches[sibling]!.isWrong = true
        awaited[sibling] = .some(nil)
        steps[sibling] = nil
        found.append(sibling)
      }
    }
  }
}

/// Computes the proven times of blocks (sea-format(5), Lamport time). A proven time can be lower than the time in the
/// header. Each block is read at most once.
package struct ProvenTimes<T: ClockFacts> {
  private let testimony: T
  private let branches: [Int: ClockBranch]
  private var known: [ClockPlace: UInt32] = [:]

  package init(_ testimony: T, _ branches: [Int: ClockBranch]) {
    (self.testimony, self.branches) = (testimony, branches)
  }

  /// Returns the proven time of a block. The search cannot run into a cycle, because hashes refer only to earlier
  /// blocks.
  package mutating func time(of place: ClockPlace) throws(T.Failure) -> UInt32 {
    var stack = [place]
    while let next = stack.last {
      if time(ifKnown: next) != nil {
        stack.removeLast()
        continue
      }
      let before = try before(next)
      let open = before.filter { time(ifKnown: $0) == nil }
      if open.isEmpty {
        known[next] = LamportClock.proven(next.lamport, after: before.compactMap { time(ifKnown: $0) }.max() ?? 0)
        stack.removeLast()
      } else {
        stack += open
      }
    }
    return time(ifKnown: place)!
  }

  private func time(ifKnown place: ClockPlace) -> UInt32? {
    branches[place.branch]?.isEarned(place.index) == true ? place.lamport : known[place]
  }

  private func before(_ place: ClockPlace) throws(T.Failure) -> [ClockPlace] {
    var found: [ClockPlace] = []
    if place.index > branches[place.branch]?.first ?? 0 {
      let lamport = try testimony.lamport(place.branch, place.index - 1)
      found.append(ClockPlace(branch: place.branch, index: place.index - 1, lamport: lamport))
    } else if let base = try testimony.base(of: place.branch), let there = try testimony.locate(base) {
      found.append(there)
    }
    for head in try testimony.block(place.branch, place.index)?.heads ?? [] {
      if let there = try testimony.locate(head) { found.append(there) }
    }
    return found
  }
}
