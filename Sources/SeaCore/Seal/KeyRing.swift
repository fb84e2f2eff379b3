/// The epoch keys that somebody has of one database, and the keys that follow from them.
///
/// An object belongs to one thread: derived keys are kept for the next block of the same instance.
package final class KeyRing {
  package let database: UUID
  /// By epoch; more than one where two instances began the same number at the same time. The first one seals.
  private var epochs: [UInt32: [EpochKey]] = [:]
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

  /// - Returns: false if it is here already.
  @discardableResult
  package func add(_ key: EpochKey) -> Bool {
    guard !epochs[key.number, default: []].contains(key) else { return false }
    epochs[key.number, default: []].append(key)
    derived = derived.filter { $0.key.epoch != key.number }
    return true
  }

  /// All keys by rising epoch.
  package var all: [EpochKey] { epochs.keys.sorted().flatMap { epochs[$0] ?? [] } }

  /// What seals from now on: as far as is known a key of the newest epoch.
  package var newest: EpochKey? { current ?? epochs.keys.max().flatMap { epochs[$0]?.first } }

  package func keys(of epoch: UInt32) -> [EpochKey] { epochs[epoch] ?? [] }

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
