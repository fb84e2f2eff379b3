import SeaContainer
import SeaCore
import SeaSystem

/// Opens epoch keys from key slots. Key slots do not have to be trusted, because only the right password or key opens
/// them.
enum Unlock {
  static let mostSlots = SlotEffort().mostFiles

  /// Opens key slots with a password, and then unwraps all keys that the opened keys can unwrap.
  /// - Parameters:
  ///   - password: the password as typed, before normalization.
  ///   - areValid: whether the key slots have been validated. If so, the first key slot of the newest epoch is enough.
  ///   - more: the number of key slots that were not read.
  /// - Throws: `badPassword` if no key slot opens, `slotsNotTried` if there were too many key slots to try.
  static func keys(
    _ password: [UInt8], _ slots: [Slot], of proof: DatabaseProof, place: String, areValid: Bool = false, more: Int = 0,
    _ effort: SlotEffort = SlotEffort(), progress: WorkReport? = nil
  ) throws -> (opened: [(slot: Slot, key: EpochKey)], keys: KeyRing) {
    var normalized = try Password.normalized(password)
    defer { Secret.wipe(&normalized) }
    let database = proof.database
    var candidates: [(slot: Slot, cost: SlotCost)] = slots.compactMap { slot in
      SlotCost(slot, of: database).map { (slot, $0) }
    }
    // Try cheap key slots first, so that a flood of expensive ones cannot delay them.
    candidates.sort { $0.cost < $1.cost }
    if areValid { candidates.sort { ($1.slot.epoch, $0.cost) < ($0.slot.epoch, $1.cost) } }
    var opened: [(slot: Slot, key: EpochKey)] = []
    var (sum, tried) = (0, 0)
    let meter = WorkMeter(progress, .trying, "key slots", items: { candidates.count })
    for (slot, cost) in candidates {
      sum += cost.rounds
      guard sum <= effort.mostRounds else { break }
      tried += 1
      defer { meter?.add() }
      guard let key = try? slot.open(password: normalized) else { continue }
      opened.append((slot, key))
      if areValid { break }
    }
    guard !opened.isEmpty else {
      let all = candidates.count + more
      throw tried < all ? KitError.slotsNotTried(place: place, tried: tried, all: all) : .badPassword(place: place)
    }
    let ring = KeyRing(proof, keys: opened.map(\.key))
    follow(slots, ring)
    return (opened, ring)
  }

  /// Opens keys with a password for a reader that has not read the control entries yet.
  /// - Throws: `noKey` if there is no password, and the errors of `keys`.
  static func ring(
    _ password: (PasswordUse) throws -> [UInt8]?, _ slots: [Slot], of proof: DatabaseProof, place: String, more: Int = 0
  ) throws -> KeyRing {
    guard let password = try password(.open(place: place)) else { throw KitError.noKey(path: place, pending: false) }
    return try keys(password, slots, of: proof, place: place, more: more).keys
  }

  /// - Parameter asGuests: whether the validity of the key slots is unknown.
  @discardableResult
  static func keys(for identity: Identity, _ slots: [Slot], into ring: KeyRing, asGuests: Bool = false) -> Bool {
    var grew = false
    for slot in slots where slot.database == ring.database && slot.isFor(identity.instance) {
      let known = ring.keys(of: slot.epoch).first { slot.isCommitted(to: $0) }
      guard let key = known ?? (try? slot.open(exchangeSecret: identity.exchangeSeed)) else { continue }
      if ring.add(key, asGuest: asGuests) { grew = true }
    }
    return follow(slots, ring, asGuests: asGuests) || grew
  }

  /// Opens keys that are wrapped under other keys, usually those of earlier epochs.
  @discardableResult
  static func follow(_ slots: [Slot], _ ring: KeyRing, asGuests: Bool = false) -> Bool {
    var grew = false
    var open = slots.filter { $0.isPrevious && $0.database == ring.database }
      .sorted { $0.epoch < $1.epoch }
    var moved = true
    while moved {
      moved = false
      for (k, slot) in open.enumerated().reversed() {
        guard let key = ring.keys(of: slot.epoch).lazy.compactMap({ try? slot.open(under: $0) }).first else { continue }
        open.remove(at: k)
        moved = true
        if ring.add(key, asGuest: asGuests) { grew = true }
      }
    }
    return grew
  }

  static func slots(in container: Container) throws -> [Slot] { try found(in: container).slots }

  /// Returns the key slots in a container whose content matches their names, and the number of files that were not
  /// read.
  static func found(in container: Container, most: Int = mostSlots) throws -> (slots: [Slot], more: Int) {
    let names = try container.names(in: .keys)
    var slots: [Slot] = []
    for name in names.prefix(most) {
      guard let bytes = try container.bounded(name, in: .keys), let slot = try? Slot(bytes),
        slot.digest.description == name
      else { continue }
      slots.append(slot)
    }
    return (slots, max(0, names.count - most))
  }
}
