/// Limits the work of automatic merges, because other instances can write histories of any length.
///
/// A step is roughly one property of a version to merge, or one link in the search for a common ancestor.
final class MergeBudget {
  static let ofCommand = 10_000_000

  struct Exceeded: Error {}

  private var left: Int
  private let all: Int
  var isWhole: Bool { left == all }
  /// Whether to merge as many leaf revisions as possible. Automatic merges do this, so that all instances get the same
  /// result.
  let takesAll: Bool

  init(_ steps: Int, takesAll: Bool) { (left, all, self.takesAll) = (steps, steps, takesAll) }

  func spend(_ steps: Int) throws {
    left -= steps
    if left < 0 { throw Exceeded() }
  }
}
