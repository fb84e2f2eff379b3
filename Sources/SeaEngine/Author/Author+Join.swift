import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

// How this instance asks to be let in, and begins its chain once it is.

extension Author {
  /// Our own request to be let in, as long as we are not.
  func ownRequest() throws -> [UInt8]? {
    guard try folder.isSealed(), try folder.isPending() else { return nil }
    return try JoinRequest.encoded(
      database: folder.databaseID, identity: keychain.identity(), name: folder.name())
  }

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
    let name = folder.instance.description
    if let request = try ownRequest() {
      try container.put(name, request, in: .requests)
    } else if try folder.isSealed(), try container.names(in: .requests).contains(name) {
      try container.remove(name, in: .requests)
    }
  }

  /// Begins our chain, once there are keys for it.
  func beginChain() throws {
    guard try folder.isPending(), try folder.isSealed(), let ring = try keychain.ringAtHand() else { return }
    let isIn = try keychain.validSlots().contains { slot in
      slot.isFor(folder.instance) && ring.keys(of: slot.epoch).contains { slot.isCommitted(to: $0) }
    }
    guard isIn, try folder.hasFounder(), ring[ring.first] != nil else {
      // Anybody can wrap some key for us.
      return try keychain.letGo()
    }
    try keychain.chooseKey()
    try keychain.keep()
    try write {
      guard try folder.isPending() else { return }
      try appendGenesis(name: folder.name())
    }
    _ = try? Path.remove(folder.requestPath)
  }
}
