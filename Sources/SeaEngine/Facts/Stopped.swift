/// Work was asked to stop, and did so at a place where nothing is half done.
package struct Stopped: Error, Equatable {
  /// What there is of the work now.
  package enum Stays: Sendable {
    /// What is done; the same command goes on behind it.
    case done
    /// Whole transactions; the same command begins with the first of them again.
    case transactions
    case nothing
  }

  package let stays: Stays

  package init(_ stays: Stays = .done) { self.stays = stays }
}
