/// The epoch keys that somebody has of one database, and the keys that follow from them.
///
/// An object belongs to one thread: derived keys are kept for the next block of the same instance.
package final class KeyRing {
  package let database: UUID
  /// By epoch; more than one where two instances began the same number at the same time. The first one seals.
  private var epochs: [UInt32: [EpochKey]] = [:]
  /// Keys that nothing vouches for: with them entries are read, and nothing is written.
  package private(set) var guests: [EpochKey] = []
  /// Those of them that have opened a block, or were no guests once.
  package private(set) var usedGuests: [EpochKey] = []
  private var derived: [Place: [BlockKeys]] = [:]
  /// What seals from now on, if that was worked out: who has left may know the key of a greater epoch.
  package var current: EpochKey? {
    didSet {
      guard let current, let at = epochs[current.number]?.firstIndex(of: current), at > 0 else { return }
      epochs[current.number]?.swapAt(0, at)
      derived = derived.filter { $0.key.epoch != current.number }
    }
  }

  /// Whether there is a key of an epoch that is not here, nil if nothing is known of it; asked only where none that is here opens a
  /// block. Without it these are all that there are.
  package var lacks: ((UInt32) -> Bool?)?

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

  /// - Parameters:
  ///   - asGuest: whether it is only tried, until it is added for good.
  ///   - isUsed: whether it is a guest that has opened a block.
  /// - Returns: false if it is here already.
  @discardableResult
  package func add(_ key: EpochKey, asGuest: Bool = false, isUsed: Bool = false) -> Bool {
    let isHere = has(key)
    guard !isHere || !asGuest && guests.contains(key) else { return false }
    if isHere { remove(key) }
    // Guests are tried last.
    let guests = asGuest ? 0 : self.guests.count { $0.number == key.number }
    epochs[key.number, default: []].insert(key, at: keys(of: key.number).count - guests)
    if asGuest { self.guests.append(key) }
    if isUsed { usedGuests.append(key) }
    derived = derived.filter { $0.key.epoch != key.number }
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
    epochs[key.number]?.removeAll { $0 == key }
    guests.removeAll { $0 == key }
    usedGuests.removeAll { $0 == key }
  }

  package func has(_ key: EpochKey) -> Bool { keys(of: key.number).contains(key) }

  /// All keys by rising epoch, but for guests.
  package var all: [EpochKey] { everything.filter { !guests.contains($0) } }

  /// The same with guests.
  package var everything: [EpochKey] { epochs.keys.sorted().flatMap { keys(of: $0) } }

  /// What seals from now on: as far as is known a key of the newest epoch.
  package var newest: EpochKey? { current ?? all.last.flatMap { last in all.first { $0.number == last.number } } }

  /// Those of one epoch, with guests.
  package func keys(of epoch: UInt32) -> [EpochKey] { epochs[epoch] ?? [] }

  /// Notes that a key has opened a block.
  /// - Returns: whether it is a guest.
  func note(opened key: EpochKey) -> Bool {
    guard guests.contains(key) else { return false }
    if !usedGuests.contains(key) { usedGuests.append(key) }
    return true
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
  package func genesis(key: [UInt8]) throws(CoreError) -> [Digest] {
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
