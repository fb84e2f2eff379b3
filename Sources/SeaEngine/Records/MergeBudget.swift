/// Limits the steps that a command spends on merges its user did not name: a peer can write histories of any length.
///
/// A step is about one property of a merged version, or one link in the search for a common ancestor.
final class MergeBudget {
  /// The budget of one command.
  static let ofCommand = 10_000_000

  /// The budget is used up.
  struct Exceeded: Error {}

  private var left: Int
  private let all: Int
  /// Whether nothing was spent.
  var isWhole: Bool { left == all }
  /// Whether to merge as many leaves as one revision can. Automatic merges do, so that all instances agree.
  let takesAll: Bool

  init(_ steps: Int, takesAll: Bool) { (left, all, self.takesAll) = (steps, steps, takesAll) }

  func spend(_ steps: Int) throws {
    left -= steps
    if left < 0 { throw Exceeded() }
  }
}
