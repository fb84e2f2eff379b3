/// A range of consecutive blocks of a branch at a location.
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

/// A version vector, which contains the last index of each branch. An index stands for all earlier blocks, too,
/// including those of the branches from which the branch forks. Branch names are valid only at one location.
package struct VersionVector: Equatable, Sendable {
  package private(set) var last: [BranchID: UInt32] = [:]

  package init() {}

  package subscript(branch: BranchID) -> UInt32? { last[branch] }

  package func covers(_ ref: BlockRef) -> Bool { last[ref.branch].map { $0 >= ref.index } ?? false }

  @discardableResult
  package mutating func raise(_ branch: BranchID, to index: UInt32) -> Bool {
    if let known = last[branch], known >= index { return false }
    last[branch] = index
    return true
  }

  package mutating func forget(_ instances: Set<UUID>) { last = last.filter { !instances.contains($0.key.instance) } }

  package mutating func formUnion(_ other: VersionVector) { last.merge(other.last) { max($0, $1) } }

  package mutating func formIntersection(_ other: VersionVector) {
    for (branch, index) in last { last[branch] = other.last[branch].map { min($0, index) } }
  }

  /// Returns the blocks at a location that the version vector does not include.
  /// - Parameter branches: all blocks at the location.
  package func missing(of branches: [BlockRun]) -> [BlockRun] {
    branches.compactMap { branch in
      guard let known = last[branch.branch] else { return branch }
      guard known < branch.last else { return nil }
      return BlockRun(branch.branch, first: max(branch.first, known + 1), last: branch.last)
    }
  }
}

extension [BlockRun] {
  package var blocks: Int { reduce(0) { $0 + $1.count } }
}
