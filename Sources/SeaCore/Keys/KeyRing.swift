/// The epoch keys that this instance has for one encrypted database.
///
/// A key ring must be used on only one thread, because it caches derived keys.
package final class KeyRing {
  package let proof: DatabaseProof
  package let database: UUID
  private var known: [EpochKey] = []
  private var byName: [Digest: EpochKey] = [:]
  /// The guest keys, which no valid entry confirms. They are used to decrypt blocks, but never to encrypt.
  package private(set) var unconfirmedKeys: [EpochKey] = []
  /// The guest keys that have opened a block or were confirmed earlier.
  package private(set) var usedGuests: [EpochKey] = []
  private var derived: [Place: BlockKeys] = [:]
  /// The key for new blocks, if it has been determined. It can be older than the newest key, which a former member may
  /// know.
  package var current: EpochKey?

  private struct Place: Hashable {
    let key: Digest
    let instance: UUID
  }

  struct BlockKeys {
    let block: [UInt8]
    let iv: [UInt8]
  }

  /// - Parameter proof: the proof of an encrypted database.
  package init(_ proof: DatabaseProof, keys: [EpochKey] = []) {
    precondition(proof.isSealed)
    self.proof = proof
    database = proof.database
    for key in keys { add(key) }
  }

  /// - Parameters:
  /// - asGuest: whether the key is unconfirmed and therefore a guest key.
  ///   - isUsed: whether the key is a guest key that has opened a block.
  /// - Returns: false if the key was already present.
  @discardableResult
  package func add(_ key: EpochKey, asGuest: Bool = false, isUsed: Bool = false) -> Bool {
    let isHere = has(key)
    guard !isHere || !asGuest && unconfirmedKeys.contains(key) else { return false }
    if isHere { remove(key) }
    known.append(key)
    byName[key.digest] = key
    if asGuest { unconfirmedKeys.append(key) }
    if isUsed { usedGuests.append(key) }
    return true
  }

  package func demote(_ key: EpochKey) {
    guard has(key), !unconfirmedKeys.contains(key) else { return }
    remove(key)
    add(key, asGuest: true, isUsed: true)
    if current == key { current = nil }
  }

  private func remove(_ key: EpochKey) {
    byName[key.digest] = nil
    known.removeAll { $0 == key }
    unconfirmedKeys.removeAll { $0 == key }
    usedGuests.removeAll { $0 == key }
  }

  package func has(_ key: EpochKey) -> Bool { byName[key.digest] != nil }

  package subscript(name: Digest) -> EpochKey? { byName[name] }

  package var all: [EpochKey] { allIncludingUnconfirmed.filter { !unconfirmedKeys.contains($0) } }

  package var allIncludingUnconfirmed: [EpochKey] { known.sorted { $0.number < $1.number } }

  /// The key for new blocks. If `current` has not been determined, this is a key of the newest epoch.
  package var newest: EpochKey? { current ?? all.last.flatMap { last in all.first { $0.number == last.number } } }

  package func keys(of epoch: UInt32) -> [EpochKey] { known.filter { $0.number == epoch } }

  /// Records that a key has opened a block. Returns whether the key is a guest key.
  func recordUse(of key: EpochKey) -> Bool {
    guard unconfirmedKeys.contains(key) else { return false }
    if !usedGuests.contains(key) { usedGuests.append(key) }
    return true
  }

  func blockKeys(of instance: UUID, _ key: EpochKey) throws(CoreError) -> BlockKeys {
    let place = Place(key: key.digest, instance: instance)
    if let known = derived[place] { return known }
    let names = database.bytes + instance.bytes
    let made = BlockKeys(
      block: try key.derived("sea block v1", names), iv: try key.derived("sea iv v1", names))
    derived[place] = made
    return made
  }

  package var first: Digest { proof.first! }

  /// Returns the value of `previous` in block 0; nil if the first key is missing.
  package func genesis(key: [UInt8]) throws(CoreError) -> Digest? {
    guard let first = self[first] else { return nil }
    var mac = HMACSHA256(key: try first.derived("sea root v1", database.bytes))
    mac.update("sea chain v1")
    mac.update(database.bytes)
    mac.update(key)
    return mac.digest()
  }
}
