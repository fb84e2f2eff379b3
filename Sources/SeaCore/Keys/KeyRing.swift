/// The epoch keys that somebody has of one sealed database, and the keys that follow from them.
///
/// An object belongs to one thread: derived keys are kept for the next block of the same instance.
package final class KeyRing {
  package let proof: DatabaseProof
  package let database: UUID
  /// In the order in which they came.
  private var known: [EpochKey] = []
  private var byName: [Digest: EpochKey] = [:]
  /// Keys that nothing vouches for: with them entries are read, and nothing is written.
  package private(set) var guests: [EpochKey] = []
  /// Those of them that have opened a block, or were no guests once.
  package private(set) var usedGuests: [EpochKey] = []
  private var derived: [Place: BlockKeys] = [:]
  /// What seals from now on, if that was worked out: who has left may know the key of a greater epoch.
  package var current: EpochKey?

  private struct Place: Hashable {
    let key: Digest
    let instance: UUID
  }

  /// What seals the blocks of one instance under one key.
  struct BlockKeys {
    let block: [UInt8]
    let iv: [UInt8]
  }

  /// - Parameter proof: of a sealed database.
  package init(_ proof: DatabaseProof, keys: [EpochKey] = []) {
    precondition(proof.isSealed)
    self.proof = proof
    database = proof.database
    for key in keys { add(key) }
  }

  /// - Parameters:
  ///   - asGuest: whether nothing vouches for it.
  ///   - isUsed: whether it is a guest that has opened a block.
  /// - Returns: false if it is here already.
  @discardableResult
  package func add(_ key: EpochKey, asGuest: Bool = false, isUsed: Bool = false) -> Bool {
    let isHere = has(key)
    guard !isHere || !asGuest && guests.contains(key) else { return false }
    if isHere { remove(key) }
    known.append(key)
    byName[key.digest] = key
    if asGuest { guests.append(key) }
    if isUsed { usedGuests.append(key) }
    return true
  }

  /// Makes a guest of a key that is here.
  package func demote(_ key: EpochKey) {
    guard has(key), !guests.contains(key) else { return }
    remove(key)
    add(key, asGuest: true, isUsed: true)
    if current == key { current = nil }
  }

  private func remove(_ key: EpochKey) {
    byName[key.digest] = nil
    known.removeAll { $0 == key }
    guests.removeAll { $0 == key }
    usedGuests.removeAll { $0 == key }
  }

  package func has(_ key: EpochKey) -> Bool { byName[key.digest] != nil }

  /// The key with this digest, be it a guest or not.
  package subscript(name: Digest) -> EpochKey? { byName[name] }

  /// All keys by rising epoch, but for guests.
  package var all: [EpochKey] { everything.filter { !guests.contains($0) } }

  /// The same with guests.
  package var everything: [EpochKey] { known.sorted { $0.number < $1.number } }

  /// What seals from now on: as far as is known a key of the newest epoch.
  package var newest: EpochKey? { current ?? all.last.flatMap { last in all.first { $0.number == last.number } } }

  /// Those of one epoch, with guests.
  package func keys(of epoch: UInt32) -> [EpochKey] { known.filter { $0.number == epoch } }

  /// Notes that a key has opened a block.
  /// - Returns: whether it is a guest.
  func note(opened key: EpochKey) -> Bool {
    guard guests.contains(key) else { return false }
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

  /// The name of the first key, which the founder's first block and the databaseID say.
  package var first: Digest { proof.first! }

  /// What stands in the place of a previous block in block 0: HMAC-SHA256 under the root secret.
  /// - Returns: nil if the first key is not here.
  package func genesis(key: [UInt8]) throws(CoreError) -> Digest? {
    guard let first = self[first] else { return nil }
    var mac = HMACSHA256(key: try first.derived("sea root v1", database.bytes))
    mac.update("sea chain v1")
    mac.update(database.bytes)
    mac.update(key)
    return mac.digest()
  }
}
