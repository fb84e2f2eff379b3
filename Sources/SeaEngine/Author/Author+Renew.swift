import SeaCore
import SeaStore
import SeaSystem

// An instance is who has its key; so two copies of one `.sea` are one instance at two places, and write two blocks at one
// index. Whoever finds that out, or that it may come to that, goes on under a new key and name. The old chain stays as it
// is, whatever others make of its name, and is never written to again. The old key signs that the new one goes on in its
// place, so what it was a member as it stays.
//
// A kill between the steps leaves one of two states. The new key is in `.sea/keys/next` and the database knows nothing of
// it: then it is thrown away. Or the database has the new name, and `next` is its key: then it is given its place.

extension Author {
  /// Makes sure that nobody else writes to the chain of this instance, as far as can be known here.
  package func ensureSole() throws {
    if isActing { return }
    try store.locked {
      if try pointIfSole() != nil { return }
      try finishRenewal()
      if try store.branches.isContested(folder.instance) {
        try renew(.forked)
      } else if !isSole, let reason = try doubt(), try reason != .rolledBack || !isBackAgain() {
        try renew(reason)
      }
      isSole = true
    }
  }

  /// Where the next block goes, if nothing has to be done before. The writer lock is held.
  func pointIfSole() throws -> AppendPoint? {
    if isActing { return try store.branches.appendPoint(of: folder.instance) }
    guard try store.metaBlob("instance") == folder.instance.bytes else { return nil }
    let point = try store.branches.appendPoint(of: folder.instance)
    guard !point.isContested else { return nil }
    if !isSole {
      guard try !Path.exists(nextPath), try copyGuard.doubt(point.trunk?.head) == nil else { return nil }
      isSole = true
    }
    return point
  }

  /// The keys of a name that is being taken.
  private var nextPath: String { Path.join(folder.keysPath, IdentityFile.next) }

  private func doubt() throws -> Renewal.Reason? { try copyGuard.doubt(store.branches.chain(folder.instance)?.head) }

  /// What speaks against going on in the own chain, and what that was judged by. Nothing is written.
  func suspicion(_ head: BlockRef?) throws -> (reason: Renewal.Reason?, knowsMachine: Bool, hasNote: Bool) {
    let reason = try copyGuard.suspicion(head)
    return (reason, copyGuard.machine != nil, copyGuard.hasNote)
  }

  /// Whether what was lacking of the own chain came back from the containers that can be reached.
  private func isBackAgain() throws -> Bool {
    try bringBack()
    return try doubt() == nil && !store.branches.isContested(folder.instance)
  }

  /// Takes a new key and name, and begins a new chain, whose first block the old key vouches for. The old private keys
  /// are kept until the new name counts, and are gone then.
  /// - Parameter name: for people; the old one if nil.
  @discardableResult
  package func renew(_ reason: Renewal.Reason, name: String? = nil) throws -> Renewal {
    try store.locked {
      try finishRenewal()
      let (old, oldIdentity) = (folder.instance, keychain.identityAtHand)
      let isRequest = try folder.isPending()
      let made = try IdentityFile.make()
      let predecessor = try? keychain.identity()
      let certificate = try predecessor.map {
        try Certificate(by: $0, for: made.instance, exchange: made.exchangeKey(), in: folder.databaseID)
      }
      AtomicFile.removeTemporaries(in: folder.keysPath)
      try IdentityFile.write(made, folder: folder.keysPath, name: IdentityFile.next)
      if folder.hasMembers, let predecessor { try IdentityFile.keepOld(predecessor, folder: folder.keysPath) }
      do {
        try store.write {
          try store.setMeta("instance", .blob(made.instance.bytes))
          if let name { try store.setMeta("name", .text(name)) }
          if let machine = copyGuard.machine { try store.setMeta("machine", .text(machine)) }
          keychain.become(made.instance, made)
          // Who has not been let in yet has no chain to begin.
          if !isRequest { try appendGenesis(name: name ?? folder.name(), certificate: certificate) }
        }
      } catch {
        keychain.become(old, oldIdentity)
        throw error
      }
      try IdentityFile.adopt(folder: folder.keysPath)
      if isRequest, let request = try ownRequest() {
        try AtomicFile.write(folder.requestPath, mode: 0o644, request, replace: true)
      }
      isSole = true
      recordHead()
      let renewal = Renewal(old: old, new: made.instance, reason: reason, waits: try !dropOldKeys())
      whenRenewed?(renewal)
      return renewal
    }
  }

  /// Takes away the private keys of names that this instance had before, once what it writes counts without them.
  /// - Returns: whether it does.
  @discardableResult
  func dropOldKeys() throws -> Bool {
    let membership = try members.membership()
    guard try !folder.isPending(), membership == nil || membership?.role(of: folder.instance) != nil else {
      return false
    }
    try IdentityFile.dropOld(folder: folder.keysPath)
    return true
  }

  /// Takes up the name that the database has now, which another process may have changed, and ends what was begun.
  /// The writer lock is held.
  private func finishRenewal() throws {
    guard let now = try store.metaBlob("instance").flatMap({ UUID($0) }) else { throw KitError.damaged("meta") }
    if now != folder.instance { keychain.become(now, nil) }
    guard try Path.exists(nextPath) else { return }
    let next = try IdentityFile.read(folder: folder.keysPath, name: IdentityFile.next, key: nil)
    if next.instance == now {
      try IdentityFile.adopt(folder: folder.keysPath)
      keychain.become(now, nil)
    } else {
      try Path.remove(nextPath)
    }
  }
}
