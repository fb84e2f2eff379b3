import SeaCore

/// The change to a new key and identity, under which this instance continues in a new chain.
package struct Renewal: Sendable, Equatable {
  package enum Reason: String, Sendable {
    case asked
    /// Another copy has written to the same chain.
    case forked
    /// The database is older than before, because a backup was restored.
    case rolledBack = "rolled-back"
    /// The database that this database was copied from still exists.
    case copied
    /// The database was last used on another machine, so it was either moved or copied.
    case otherMachine = "other-machine"
  }

  package var old: UUID
  package var new: UUID
  package var reason: Reason
  /// Whether the new identity must be authorized before its changes are accepted. This is the case if the old identity
  /// was not a member or could not sign a certificate.
  package var waits: Bool
}
