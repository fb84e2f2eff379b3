import SeaCore
import SeaStore

/// Those who wait to be let in, as this instance knows.
package struct Asking: Sendable {
  /// By their names.
  package var all: [Candidate] = []
  /// Whether this instance may let them in; else an admin has to.
  package var mayAnswer = false
}

extension JoinRequests {
  /// Who asks to be let in: requests that containers and bundles brought, and chains of who is no member.
  ///
  /// Who waits itself is told of nobody else.
  package func asking() throws -> Asking {
    guard try access.folder.hasMembers || access.folder.isSealed(), try !isWaiting() else { return Asking() }
    let membership = try access.members.membership()
    var found = try open()
    if let membership {
      for chain in try access.store.branches.chains() where membership[chain.instance] == nil {
        let exchange = try access.store.branches.exchangeKey(of: chain.instance) ?? []
        found.append(
          Candidate(instance: chain.instance, name: chain.name, key: chain.publicKey, exchange: exchange))
      }
      found.removeAll { membership[$0.instance] != nil }
    }
    found.sort { ($0.name, $0.instance) < ($1.name, $1.instance) }
    return Asking(all: found, mayAnswer: membership.map { $0.role(of: access.folder.instance) == .admin } ?? true)
  }

  /// Whether somebody has still to let this instance in: it has no keys, or what it writes does not count.
  package func isWaiting() throws -> Bool {
    if try access.folder.isPending() { return true }
    return try access.members.membership().map { $0[access.folder.instance] == nil } ?? false
  }
}
