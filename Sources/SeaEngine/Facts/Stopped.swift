/// Thrown at a safe point after a request to stop.
package struct Stopped: Error, Equatable {
  /// The part of the work that is kept.
  package enum Stays: Sendable {
    /// All finished work is kept. The same command continues after it.
    case done
    /// Complete transactions are kept. The same command starts again from the first transaction.
    case transactions
    case nothing
  }

  package let stays: Stays

  package init(_ stays: Stays = .done) { self.stays = stays }
}
