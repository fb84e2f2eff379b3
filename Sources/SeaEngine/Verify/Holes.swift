import SeaCore

/// The removed blocks that nobody may have removed: behind each of them nothing counts.
struct Holes {
  private var first: [BranchID: Problem] = [:]
  /// What a branch left, and where.
  private let base: (BranchID) throws -> (branch: BranchID, index: UInt32)?

  init(_ problems: [Problem], base: @escaping (BranchID) throws -> (branch: BranchID, index: UInt32)?) {
    self.base = base
    for problem in problems where problem.code == .badRemoval {
      guard let branch = problem.branch, let index = problem.index else { continue }
      if let known = first[branch]?.index, known <= index { continue }
      first[branch] = problem
    }
  }

  /// Ends the report of a branch at the first hole in it, or where it begins if that lies behind one.
  func end(_ report: inout ChainReport) throws {
    guard !first.isEmpty else { return }
    if let hole = first[report.branch], let index = hole.index { report.end(at: hole, index: index) }
    var (branch, seen) = (report.branch, Set<BranchID>())
    while seen.insert(branch).inserted, let left = try base(branch) {
      if let hole = first[left.branch], let index = hole.index, index <= left.index {
        return report.end(at: hole, index: report.first)
      }
      branch = left.branch
    }
  }

  /// Whether the report of its branch tells of a problem.
  func tells(of problem: Problem) -> Bool { problem.branch.flatMap { first[$0] } == problem }
}
