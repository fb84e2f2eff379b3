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

  /// The words by which people compare our keys.
  package func ownWords() throws -> FingerprintWords {
    let identity = try signingIdentity()
    return FingerprintWords(key: identity.key, exchange: try identity.exchangeKey())
  }

  /// Leaves our request in a container, and takes it away once we are in.
  func giveRequest(to container: Container) throws {
    let name = instance.description
    if let request = try ownRequest() {
      try container.write(name, request, in: .requests)
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
    try keepKeys()
    return true
  }

  /// For who was let in again: the entry that makes its slot valid lies under the key that the slot holds. So it is read
  /// with keys out of any slot for us, which anybody can make; kept are those out of valid ones.
  /// - Returns: whether there are new keys.
  func enterAgain(through container: Container, into exchange: inout Exchange) throws -> Bool {
    guard try !isPending(), try !store.blocks(.unread).isEmpty, let ring = try keysAtHand() else { return false }
    let trial = KeyRing(database: databaseID, keys: ring.all)
    guard try Unlock.keys(for: signingIdentity(), Unlock.slots(in: container), into: trial) else { return false }
    exchange.add(try openUnread(with: trial))
    return try takeSlots(from: container)
  }

  /// Begins our chain, once there are keys for it.
  func beginChain() throws {
    guard try isPending(), try isSealed(), let ring = try keysAtHand(), !ring.keys(of: 1).isEmpty else { return }
    try writing {
      guard try isPending() else { return }
      try writeGenesis(name: name())
    }
    store.unlock()
  }
}
