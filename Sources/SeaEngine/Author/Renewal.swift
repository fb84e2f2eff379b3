import SeaCore

/// That this instance has taken a new key and name, and goes on in a new chain.
package struct Renewal: Sendable, Equatable {
  package enum Reason: String, Sendable {
    /// Somebody wanted it.
    case asked
    /// Another copy has written in the old name.
    case forked
    /// The database is older than it was: a restored backup.
    case rolledBack = "rolled-back"
    /// The database that this one was copied from is still there.
    case copied
    /// It was used on another machine before; moved or copied, who can tell.
    case otherMachine = "other-machine"
  }

  package var old: UUID
  package var new: UUID
  package var reason: Reason
  /// The new name has to be authorised before what it writes counts: the old one was no member, or could not vouch for
  /// it.
  package var waits: Bool
}
