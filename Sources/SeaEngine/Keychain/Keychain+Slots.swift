import SeaContainer
import SeaCore
import SeaStore

// Slots: which are valid, and what comes of them. They lie in containers too, where nobody is believed.

extension Keychain {
  /// What the entries about epochs come to.
  struct Epochs {
    /// Which keys count.
    var count: EpochCount
    /// The greatest that counts.
    var newest: UInt32 { count.newest }
    /// The names of slots that are valid: listed by an entry that counts, and ended by none.
    var valid: Set<Digest> = []
    var ended: Set<Digest> = []
    /// Those that are only in entries of former members which do not count.
    var others: Set<Digest> = []
  }

  func epochs() throws -> Epochs {
    let membership = try members.membership()
    let isWithin = members.isWithin
    var entitled: [EpochCount.Entry] = []
    var others: Set<Digest> = []
    for row in try store.control.controls(["epoch"]) {
      guard case .epoch(let change) = row.entry else { continue }
      if membership?.hasAuthority(row.block, isWithin) ?? row.isApplied {
        entitled.append(EpochCount.Entry(change, by: row.block.instance))
      }
      if let membership, membership[row.block.instance] != nil { others.formUnion(change.slots) }
    }
    let readers = try membership == nil ? [] : Set(members.readers(membership).map(\.instance))
    var epochs = Epochs(
      count: EpochCount(entitled, first: folder.proof?.first, membership) { readers.contains($0) }, others: others)
    for entry in entitled where epochs.count.counts(entry.key) {
      epochs.valid.formUnion(entry.change.slots)
      epochs.ended.formUnion(entry.change.ended)
    }
    epochs.valid.subtract(epochs.ended)
    epochs.others.subtract(epochs.valid)
    epochs.others.subtract(epochs.ended)
    return epochs
  }

  package func newestEpoch() throws -> UInt32 { try epochs().newest }

  package func validSlotNames() throws -> Set<Digest> { try epochs().valid }

  package func validSlots() throws -> [Slot] { try validSlots(epochs()) }

  func validSlots(_ epochs: Epochs) throws -> [Slot] {
    try store.control.slots().filter { epochs.valid.contains($0.digest) }
  }

  /// Looks whether somebody has wrapped the keys for us, who are not in yet.
  /// - Parameter slots: from wherever they lay.
  /// - Returns: whether there are new keys.
  func enter(_ slots: () throws -> [Slot]) throws -> Bool {
    guard try folder.isSealed(), try folder.isPending() else { return false }
    let ring = try ringAtHand() ?? KeyRing(proof)
    guard try Unlock.keys(for: identity(), slots(), into: ring) else { return false }
    hold(ring)
    return true
  }

  /// - Parameter place: what they were opened for, for people.
  /// - Throws: `badPassword` if none of the slots that a password has opened is valid, now that the entries about them are known.
  func requireValid(_ opened: [Slot], place: String) throws {
    let names = try validSlotNames()
    guard opened.contains(where: { names.contains($0.digest) }) else { throw KitError.badPassword(place: place) }
  }
}
