import SeaCore

/// A change of this instance's key and identity. The instance continues in a new chain.
package struct Renewal: Sendable, Equatable {
  package enum Reason: String, Sendable {
    case asked
    /// Another copy has written to the same chain.
    case forked
    /// The database is in an older state than before, because a backup was restored.
    case rolledBack = "rolled-back"
    /// This database is a copy, and the original still exists.
    case copied
    /// The database was last used on another machine, so it was either moved or copied.
    case otherMachine = "other-machine"
  }

  package var old: UUID
  package var new: UUID
  package var reason: Reason
  /// Whether the new identity must be authorized before its changes are accepted. This is the case if the old identity
  /// was not a member or could not sign a certificate.
  package var needsAuthorization: Bool
}
