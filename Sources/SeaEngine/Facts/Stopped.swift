/// Thrown at a safe point after a request to stop.
package struct Stopped: Error, Equatable {
  /// The part of the work that is kept.
  package enum KeptWork: Sendable {
    /// All finished work is kept. If the same command is run again, it continues from there.
    case done
    /// Complete transactions are kept. If the same command is run again, it starts from the beginning.
    case transactions
    case nothing
  }

  package let kept: KeptWork

  package init(_ stays: KeptWork = .done) { self.kept = stays }
}
