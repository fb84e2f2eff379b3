/// The part of a chain that a place has in one branch: the indices from the first to the last.
package struct BlockRun: Equatable, Sendable, CustomStringConvertible {
  package var branch: BranchID
  package var first: UInt32
  package var last: UInt32

  package init(_ branch: BranchID, first: UInt32, last: UInt32) {
    self.branch = branch
    self.first = first
    self.last = last
  }

  package var count: Int { Int(last) - Int(first) + 1 }
  package var description: String { "\(branch)/\(first)-\(last)" }
}

/// What somebody has of the branches of a place: a version vector, of each branch the last index, and everything before it
/// along the branch and those that lead to it. The branches go by the names that they have in that place.
package struct Frontier: Equatable, Sendable {
  package private(set) var last: [BranchID: UInt32] = [:]

  package init() {}

  /// The last index in a branch; nil if not even its first block is there.
  package subscript(branch: BranchID) -> UInt32? { last[branch] }

  package func covers(_ ref: BlockRef) -> Bool { last[ref.branch].map { $0 >= ref.index } ?? false }

  /// - Returns: whether that is news.
  @discardableResult
  package mutating func raise(_ branch: BranchID, to index: UInt32) -> Bool {
    if let known = last[branch], known >= index { return false }
    last[branch] = index
    return true
  }

  /// Takes away what is known of the branches of some instances.
  package mutating func forget(_ instances: Set<UUID>) { last = last.filter { !instances.contains($0.key.instance) } }

  /// What one of the two has.
  package mutating func formUnion(_ other: Frontier) { last.merge(other.last) { max($0, $1) } }

  /// What both have.
  package mutating func formIntersection(_ other: Frontier) {
    for (branch, index) in last { last[branch] = other.last[branch].map { min($0, index) } }
  }

  /// What the place has and somebody with this frontier lacks, branch by branch.
  /// - Parameter branches: what the place has in all.
  package func missing(of branches: [BlockRun]) -> [BlockRun] {
    branches.compactMap { branch in
      guard let known = last[branch.branch] else { return branch }
      guard known < branch.last else { return nil }
      return BlockRun(branch.branch, first: max(branch.first, known + 1), last: branch.last)
    }
  }
}

extension [BlockRun] {
  /// How many blocks there are in all runs.
  package var blocks: Int { reduce(0) { $0 + $1.count } }
}
