import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

extension Database {
  /// Our own request to be let in, as long as we are not.
  func ownRequest() throws -> [UInt8]? {
    guard try isSealed(), try isPending() else { return nil }
    return try JoinRequest.encoded(database: databaseID, identity: signingIdentity())
  }

  /// This instance as others let it in.
  package func ownCandidate() throws -> Candidate {
    let identity = try signingIdentity()
    return Candidate(instance: instance, name: try name(), key: identity.key, exchange: try identity.exchangeKey())
  }

  /// The words by which people compare our keys.
  package func ownWords() throws -> FingerprintWords { try ownCandidate().words }

  /// The file in `.sea` that a member can be handed where the container cannot be written to.
  static var requestName: String { SeaFolder.requestName }
  package var requestPath: String { folder.requestPath }

  /// Leaves our request in a container, if it can be written to.
  /// - Returns: whether it is there now.
  func offerRequest(to container: Container) throws -> Bool {
    do {
      try giveRequest(to: container)
      return true
    } catch let error as ContainerError {
      guard case .system(let fault) = error, fault.isReadOnly || fault.isDenied else { throw error }
      return false
    }
  }

  /// Leaves our request in a container, and takes it away once we are in.
  func giveRequest(to container: Container) throws {
    let name = instance.description
    if let request = try ownRequest() {
      try container.put(name, request, in: .requests)
    } else if try isSealed(), try container.names(in: .requests).contains(name) {
      try container.remove(name, in: .requests)
    }
  }

  /// Looks whether somebody has wrapped the keys for us.
  /// - Returns: whether there are new keys.
  func enter(through container: Container) throws -> Bool {
    guard try isSealed(), try isPending() else { return false }
    let ring = try keysAtHand() ?? KeyRing(database: databaseID)
    guard try Unlock.keys(for: signingIdentity(), Unlock.slots(in: container), into: ring) else { return false }
    hold(ring)
    return true
  }

  /// Begins our chain, once there are keys for it.
  func beginChain() throws {
    guard try isPending(), try isSealed(), let ring = try keysAtHand() else { return }
    let isIn = try validSlots().contains { slot in
      slot.isFor(instance) && ring.keys(of: slot.epoch).contains { slot.isCommitted(to: $0) }
    }
    guard isIn, !ring.keys(of: 1).isEmpty else {
      // Anybody can wrap some key for us.
      if try !keepsKeys() { keys = nil }
      return
    }
    try chooseKey()
    try keepKeys()
    try writing {
      guard try isPending() else { return }
      try writeGenesis(name: name())
    }
    store.unlock()
    _ = try? Path.remove(requestPath)
  }
}
