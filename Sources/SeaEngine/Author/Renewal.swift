import SeaCore

/// The change to a new key and name, under which this instance continues in a new chain.
package struct Renewal: Sendable, Equatable {
  package enum Reason: String, Sendable {
    /// The user requested it.
    case asked
    /// Another copy has written under the old name.
    case forked
    /// The database is older than it was: a restored backup.
    case rolledBack = "rolled-back"
    /// The database that this one was copied from is still there.
    case copied
    /// The database was last used on another machine, so it was either moved or copied.
    case otherMachine = "other-machine"
  }

  package var old: UUID
  package var new: UUID
  package var reason: Reason
  /// Whether the new name must be authorized before its changes are accepted: the old one was not a member, or could
  /// not sign a certificate for it.
  package var waits: Bool
}
