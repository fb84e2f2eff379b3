/// The epoch keys that somebody has of one database, and the keys that follow from them.
///
/// An object belongs to one thread: derived keys are kept for the next block of the same instance.
package final class KeyRing {
  package let database: UUID
  /// By epoch; more than one where two instances began the same number at the same time. The first one seals.
  private var epochs: [UInt32: [EpochKey]] = [:]
  /// Keys that might be anybody's, and what they have opened: the last block of each instance.
  package private(set) var guests: [(key: EpochKey, blocks: [UUID: UInt32])] = []
  private var derived: [Place: [BlockKeys]] = [:]
  /// What seals from now on, if that was worked out: who has left may know the key of a greater epoch.
  package var current: EpochKey? {
    didSet {
      guard let current, let at = epochs[current.number]?.firstIndex(of: current), at > 0 else { return }
      epochs[current.number]?.swapAt(0, at)
      derived = derived.filter { $0.key.epoch != current.number }
    }
  }

  private struct Place: Hashable {
    let epoch: UInt32
    let instance: UUID
  }

  /// What seals the blocks of one instance in one epoch.
  struct BlockKeys {
    let block: [UInt8]
    let iv: [UInt8]
  }

  package init(database: UUID, keys: [EpochKey] = []) {
    self.database = database
    for key in keys { add(key) }
  }

  /// - Parameter asGuest: whether it is only tried, until it is added for good.
  /// - Returns: false if it is here already.
  @discardableResult
  package func add(_ key: EpochKey, asGuest: Bool = false) -> Bool {
    if epochs[key.number, default: []].contains(key) {
      guard !asGuest, let at = guests.firstIndex(where: { $0.key == key }) else { return false }
      guests.remove(at: at)
      return true
    }
    if asGuest { guests.append((key, [:])) }
    epochs[key.number, default: []].append(key)
    derived = derived.filter { $0.key.epoch != key.number }
    return true
  }

  /// All keys by rising epoch, but for guests.
  package var all: [EpochKey] {
    epochs.keys.sorted().flatMap { keys(of: $0).filter { key in !guests.contains { $0.key == key } } }
  }

  /// What seals from now on: as far as is known a key of the newest epoch.
  package var newest: EpochKey? { current ?? all.last.flatMap { last in all.first { $0.number == last.number } } }

  /// Those of one epoch, with guests.
  package func keys(of epoch: UInt32) -> [EpochKey] { epochs[epoch] ?? [] }

  /// Notes that the key at a place among those of its epoch has opened a block.
  func note(opened epoch: UInt32, _ place: Int, _ instance: UUID, _ index: UInt32) {
    guard !guests.isEmpty else { return }
    let key = keys(of: epoch)[place]
    if let at = guests.firstIndex(where: { $0.key == key }) { guests[at].blocks[instance] = index }
  }

  func blockKeys(of instance: UUID, epoch: UInt32) throws(CoreError) -> [BlockKeys] {
    let place = Place(epoch: epoch, instance: instance)
    if let known = derived[place] { return known }
    var made: [BlockKeys] = []
    for key in keys(of: epoch) { made.append(try BlockKeys(key, database, instance)) }
    derived[place] = made
    return made
  }

  /// What stands in the place of a previous block in block 0: HMAC-SHA256 under the root secret.
  /// - Returns: one for each key of epoch 1.
  func genesis(key: [UInt8]) throws(CoreError) -> [Digest] {
    var found: [Digest] = []
    for first in keys(of: 1) {
      var info = Array("sea root v1".utf8)
      info += database.bytes
      var mac = HMACSHA256(key: try HKDF.key(first.bytes, info: info))
      mac.update("sea chain v1")
      mac.update(database.bytes)
      mac.update(key)
      found.append(mac.digest())
    }
    return found
  }
}

extension KeyRing.BlockKeys {
  init(_ key: EpochKey, _ database: UUID, _ instance: UUID) throws(CoreError) {
    let names = database.bytes + instance.bytes
    block = try HKDF.key(key.bytes, info: Array("sea block v1".utf8) + names)
    iv = try HKDF.key(key.bytes, info: Array("sea iv v1".utf8) + names)
  }
}
