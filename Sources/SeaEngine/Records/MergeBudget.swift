/// The steps that a sync may spend on merging what nobody asked for: a peer can write histories that take as long as it likes.
///
/// A step is about a property of a version that is merged, or a revision that is looked at on the way to what versions have in
/// common.
final class MergeBudget {
  /// What one sync has.
  static let ofSync = 10_000_000

  /// The budget is used up.
  struct Exceeded: Error {}

  private var left: Int
  private let all: Int
  /// Whether there is more than half of it left.
  var hasMost: Bool { left > all / 2 }

  init(_ steps: Int) { (left, all) = (steps, steps) }

  func spend(_ steps: Int) throws {
    left -= steps
    if left < 0 { throw Exceeded() }
  }
}
