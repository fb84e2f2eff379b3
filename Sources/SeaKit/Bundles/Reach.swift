import SeaContainer
import SeaCore
import SeaStore

/// How far somebody has the chains that are known here: of each branch the last index, under the name that it has here.
package struct Reach: Equatable, Sendable {
  package private(set) var last: [BranchID: UInt32] = [:]

  package init() {}

  func covers(_ row: BlockRow) -> Bool { last[row.branch].map { $0 >= row.index } ?? false }

  /// - Returns: whether that is news.
  package mutating func raise(_ chain: BranchID, to index: UInt32) -> Bool {
    if let known = last[chain], known >= index { return false }
    last[chain] = index
    return true
  }

  /// What one of the two has.
  package mutating func formUnion(_ other: Reach) { last.merge(other.last) { max($0, $1) } }

  /// What both have.
  package mutating func formIntersection(_ other: Reach) {
    for (chain, index) in last {
      last[chain] = other.last[chain].map { min($0, index) }
    }
  }
}

extension Database {
  /// Adds a block and all that are before it.
  package func extend(_ reach: inout Reach, to row: BlockRow) throws {
    var row = row
    while reach.raise(row.branch, to: row.index) {
      guard let branch = try store.blocks.branch(row.branch), let before = try store.blocks.base(of: branch) else {
        return
      }
      row = before
    }
  }

  /// Adds what somebody says to have, as far as it is known here.
  func extend(_ reach: inout Reach, to head: BlockRef) throws {
    guard let row = try row(of: head) else { return }
    try extend(&reach, to: row)
  }

  /// The block that is a head; nil if it is not known here.
  func row(of head: BlockRef) throws -> BlockRow? {
    try store.blocks.block(head)
  }
}
