import SeaCore
import SeaStore
import SeaSystem

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
  /// The new name has to be authorised before what it writes counts.
  package var hasMembers: Bool
}

// An instance is who has its key; so two copies of one `.sea` are one instance at two places, and write two blocks at one
// index. Whoever finds that out, or that it may come to that, goes on under a new key and name. The old chain stays as it
// is, whatever others make of its name, and is never written to again.
//
// A kill between the steps leaves one of two states. The new key is in `.sea/keys/next` and the database knows nothing of
// it: then it is thrown away. Or the database has the new name, and `next` is its key: then it is given its place.

extension Database {
  /// Takes a new key and name, and begins a new chain; the old private keys are gone with it.
  /// - Parameter name: for people; the old one if nil.
  @discardableResult
  package func renewIdentity(_ reason: Renewal.Reason, name: String? = nil) throws -> Renewal {
    try store.takeLock()
    try finishRenewal()
    let (old, oldIdentity) = (instance, identity)
    let isRequest = try isPending()
    let made = try IdentityFile.make()
    AtomicFile.removeTemporaries(in: keysFolder)
    try IdentityFile.write(made, folder: keysFolder, name: IdentityFile.next)
    do {
      try store.write {
        try store.setMeta("instance", .blob(made.instance.bytes))
        if let name { try store.setMeta("name", .text(name)) }
        if let machine { try store.setMeta("machine", .text(machine)) }
        (instance, identity) = (made.instance, made)
        // Who has not been let in yet has no chain to begin.
        if !isRequest { try writeGenesis(name: name ?? self.name()) }
      }
    } catch {
      (instance, identity) = (old, oldIdentity)
      throw error
    }
    try IdentityFile.adopt(folder: keysFolder)
    if isRequest, let request = try ownRequest() {
      try AtomicFile.write(requestPath, mode: 0o644, request, replace: true)
    }
    isSole = true
    recordSeat()
    let renewal = Renewal(old: old, new: made.instance, reason: reason, hasMembers: databaseID.version == 8)
    whenRenewed?(renewal)
    return renewal
  }

  /// Takes up the name that the database has now, which another process may have changed, and ends what was begun.
  /// The writer lock is held.
  private func finishRenewal() throws {
    guard let now = try store.metaBlob("instance").flatMap({ UUID($0) }) else { throw KitError.damaged("meta") }
    if now != instance { (instance, identity) = (now, nil) }
    guard try Path.exists(Path.join(keysFolder, IdentityFile.next)) else { return }
    let next = try IdentityFile.read(folder: keysFolder, name: IdentityFile.next, key: nil)
    if next.instance == now {
      try IdentityFile.adopt(folder: keysFolder)
      identity = nil
    } else {
      try Path.remove(Path.join(keysFolder, IdentityFile.next))
    }
  }

  /// Runs `body`, which writes to the chain of this instance, in one transaction. If others may write to that chain too,
  /// it is another one from now on.
  package func writing<Result>(_ body: () throws -> Result) throws -> Result {
    try beSole()
    let result = try store.write(body)
    recordSeat()
    return result
  }

  /// Makes sure that nobody else writes to the chain of this instance, as far as can be known here.
  func beSole() throws {
    try store.takeLock()
    if try isSole && store.metaBlob("instance") == instance.bytes && store.blocks.siblings(of: instance).isEmpty {
      return
    }
    try finishRenewal()
    if try !store.blocks.siblings(of: instance).isEmpty {
      try renewIdentity(.forked)
    } else if !isSole, let reason = try doubt(), try reason != .rolledBack || !bringBack() {
      try renewIdentity(reason)
    }
    isSole = true
  }

  /// Looks for what is lacking of the own chain in the containers that can be reached.
  private func bringBack() throws -> Bool {
    var exchange = Exchange()
    for setting in try containerSettings() {
      guard let container = try? open(setting) else { continue }
      try? pull(from: container, named: setting.name, only: instance, into: &exchange)
    }
    try store.takeLock()
    return try doubt() == nil && store.blocks.siblings(of: instance).isEmpty
  }
}
