/// Thrown when work was asked to stop, at a point where nothing is half done.
package struct Stopped: Error, Equatable {
  /// The part of the work that stays.
  package enum Stays: Sendable {
    /// Everything that was done; the same command continues after it.
    case done
    /// Whole transactions; the same command starts again from the first one.
    case transactions
    case nothing
  }

  package let stays: Stays

  package init(_ stays: Stays = .done) { self.stays = stays }
}
