import SeaCore

// What we may do.

extension Roster {
  /// - Throws: `unauthorised` if what we write would count nowhere, for ever. Who waits to be authorised may write.
  package func requireWriter() throws {
    guard let membership = try membership(), let standing = membership[folder.instance] else { return }
    switch standing.role {
    case .admin, .write: return
    case .read: throw KitError.unauthorised(.readOnly)
    case nil: throw KitError.unauthorised(.revoked)
    }
  }

  /// Who has revoked us, if what we write counts no more.
  package func revoker() throws -> UUID? {
    guard let standing = try membership()?[folder.instance], standing.role == nil else { return nil }
    return standing.revoked?.author
  }

  /// - Throws: `unauthorised` unless what we say about others counts.
  package func requireAdmin() throws {
    guard let membership = try membership() else { return }
    guard membership.role(of: folder.instance) == .admin else { throw KitError.unauthorised(.notAdmin) }
  }
}
