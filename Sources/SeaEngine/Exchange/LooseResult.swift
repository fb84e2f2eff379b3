import SeaContainer
import SeaCore
import SeaStore

/// What came of looking at files whose blocks no reader of a branch comes to.
struct LooseResult {
  /// The instances of which something is new.
  var taken: Set<UUID> = []
  /// Blocks that are known here, and where the container has them under the number or the instance of another.
  var misplaced: [(place: ContainerNotes.Place, ref: BlockRef)] = []
  /// Branches where nothing is named behind a gap but such blocks.
  var settled: Set<BranchID> = []

  /// What came of looking once more in the same exchange.
  mutating func add(_ more: LooseResult) {
    taken.formUnion(more.taken)
    misplaced += more.misplaced.filter { one in !misplaced.contains { $0.place == one.place } }
    settled.formUnion(more.settled)
  }

  /// Nothing is missing where nothing is but what belongs elsewhere.
  func forgetGaps(in name: String, _ result: inout SyncResult) {
    guard !settled.isEmpty else { return }
    result.problems.removeAll { problem in
      problem.place == name && problem.isGap && problem.branch.map { settled.contains($0) } ?? false
    }
  }

  /// What had the name of a placeholder was the block itself, and is here now.
  func forgetPromised(in name: String, _ store: Store, _ result: inout SyncResult) throws {
    try result.problems.removeAll { problem in
      guard problem.place == name, problem.code == .gap, problem.detail == Problem.placeholder,
        let branch = problem.branch, let index = problem.index, taken.contains(branch.instance)
      else { return false }
      return try store.blocks.block(branch, index) != nil
    }
  }

  /// Sets aside what belongs elsewhere and stands there by now.
  func setAside(in container: Container, _ name: String, _ result: inout SyncResult) throws {
    guard !misplaced.isEmpty else { return }
    let there = ContainerPlace(container, named: name)
    for (place, ref) in misplaced where try there.branch(of: ref) != nil {
      do throws(ContainerError) { try container.setAside(place.branch, place.index, folded: false) } catch {
        guard let reason = error.whyHeldFast else { throw error }
        let path = "\(Layout.transactions)/\(place.branch)/\(Layout.path(of: place.index))"
        result.problems.append(Problem(heldFast: path, reason, place: name))
        continue
      }
      result.mended.append(
        Problem(.mended, place: name, branch: place.branch, index: place.index, detail: Problem.extra))
    }
  }
}

/// Files that may hold the block of another number or another instance: where a branch does not go on, those that are named from there on.
struct Suspects {
  /// By their marks.
  private(set) var files: [UInt64: (stray: Stray, place: ContainerNotes.Place)] = [:]
  /// The branches of which these are all that is named there.
  private(set) var whole: Set<BranchID> = []

  /// So many files of a branch are looked at.
  private static let most = 100

  init(in container: Container, _ problems: [Problem]) throws {
    var looked: Set<BranchID> = []
    for problem in problems where Suspects.isOfNames(problem) && files.count < Layout.mostStrays {
      guard let branch = problem.branch, let index = problem.index, looked.insert(branch).inserted else { continue }
      let survey = try container.survey(branch)
      let singles = survey.singles(from: index)
      let isFolded = survey.folded.contains { Layout.Leaf(containing: $0.first).last >= index }
      if !isFolded, singles.count <= Suspects.most { whole.insert(branch) }
      for single in singles.prefix(Suspects.most) {
        let path = "\(Layout.transactions)/\(branch)/\(Layout.path(of: single.index))"
        let stray = Stray(path: path, size: single.size, modified: single.changed)
        files[stray.mark] = (stray, ContainerNotes.Place(branch: branch, index: single.index))
      }
    }
  }

  /// Whether a chain does not go on, by the names that are there.
  private static func isOfNames(_ problem: Problem) -> Bool {
    switch problem.code {
    case .gap, .incomplete, .truncated, .badIndex: !problem.isAsset && problem.detail != Problem.placeholder
    default: false
    }
  }
}
