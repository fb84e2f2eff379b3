/// The steps that one command may spend on merging records that nobody named: a peer can write histories that take as long as it likes.
///
/// A step is about a property of a version that is merged, or a link that is followed to what versions have in common.
final class MergeBudget {
  /// What one command has.
  static let ofCommand = 10_000_000

  /// The budget is used up.
  struct Exceeded: Error {}

  private var left: Int
  private let all: Int
  /// Whether nothing of it is spent.
  var isWhole: Bool { left == all }
  /// Whether all leaves are merged that one revision can take in, as instances have to that merge by themselves.
  let takesAll: Bool

  init(_ steps: Int, takesAll: Bool) { (left, all, self.takesAll) = (steps, steps, takesAll) }

  func spend(_ steps: Int) throws {
    left -= steps
    if left < 0 { throw Exceeded() }
  }
}
