import SeaContainer
import SeaCore
import SeaSystem

/// From slots to epoch keys. Nothing here is believed because of where it lay: a slot opens under its password or key,
/// or it does not.
enum Unlock {
  /// How many files a container may have us look at.
  static let mostSlots = 10_000
  /// How many rounds one attempt may cost, over all slots with a password: about 80 slots of the usual kind.
  static let mostRounds = 50_000_000

  /// The keys that a password opens, newest epoch first tried, and all that follow from them.
  /// - Parameter password: as it was typed.
  /// - Returns: the slot that opened, and the keys.
  /// - Throws: `badPassword` if no slot opens.
  static func keys(
    _ password: [UInt8], _ slots: [Slot], database: UUID, place: String
  ) throws -> (slot: Slot, keys: KeyRing) {
    var normalised = try Password.normalised(password)
    defer { Secret.wipe(&normalised) }
    var rounds = 0
    for slot in slots.sorted(by: { ($0.epoch, $0.digest) > ($1.epoch, $1.digest) }) where slot.database == database {
      guard case .password(_, let cost) = slot.kind else { continue }
      rounds += cost
      guard rounds <= mostRounds else { break }
      guard let key = try? slot.open(password: normalised) else { continue }
      let ring = KeyRing(database: database, keys: [key])
      follow(slots, ring)
      return (slot, ring)
    }
    throw KitError.badPassword(place: place)
  }

  /// The keys that are wrapped for an instance.
  static func keys(for identity: Identity, _ slots: [Slot], into ring: KeyRing) -> Bool {
    var grew = false
    for slot in slots where slot.database == ring.database {
      guard case .instance(let instance) = slot.kind, instance == identity.instance,
        let key = try? slot.open(exchangeSecret: identity.exchangeSeed)
      else { continue }
      if ring.add(key) { grew = true }
    }
    return follow(slots, ring) || grew
  }

  /// Opens what the keys themselves wrap: the epochs before.
  @discardableResult
  static func follow(_ slots: [Slot], _ ring: KeyRing) -> Bool {
    var grew = false
    var open = slots.filter { if case .previous = $0.kind { $0.database == ring.database } else { false } }
    var moved = true
    while moved {
      moved = false
      for (k, slot) in open.enumerated().reversed() {
        guard let key = ring.keys(of: slot.epoch).lazy.compactMap({ try? slot.open(under: $0) }).first else { continue }
        open.remove(at: k)
        moved = true
        if ring.add(key) { grew = true }
      }
    }
    return grew
  }

  /// The slots that lie in a container and are what their names say.
  static func slots(in container: Container) throws -> [Slot] {
    var slots: [Slot] = []
    for name in try container.names(in: .keys).prefix(mostSlots) {
      guard let bytes = try container.read(name, in: .keys), let slot = try? Slot(bytes),
        slot.digest.description == name
      else { continue }
      slots.append(slot)
    }
    return slots
  }
}
