import SeaCore
import SeaStore

// A password that was given opens more than an instance without keys: it may have some, and lack those of an epoch that began since.

extension Keychain {
  /// Tries the password that was given on slots of epochs whose keys are not here, on each slot once. Nobody is asked.
  /// - Parameter others: slots from wherever they lay; the keys in them are guests until entries speak for them.
  /// - Returns: whether there are new keys.
  package func openGiven(_ others: () throws -> [Slot] = { [] }) throws -> Bool {
    guard try folder.isSealed(), try !folder.isPending(), let ring = held, let given = folder.settings.givenPassword()
    else { return false }
    let slots = try store.control.slots() + others()
    let missing = try Set(namedKeys().filter { ring[$0.digest] == nil }.map(\.number))
    let open = slots.filter { slot in
      slot.isPassword && slot.database == database && !tried.contains(slot.digest)
        && (ring.keys(of: slot.epoch).isEmpty || missing.contains(slot.epoch))
    }
    guard !open.isEmpty, let password = try given() else { return false }
    tried.formUnion(open.map(\.digest))
    let valid = try validSlotNames()
    var grew = false
    for isValid in [true, false] where !grew {
      let part = open.filter { valid.contains($0.digest) == isValid }
      guard !part.isEmpty,
        let opened = try? Unlock.keys(password, part, of: proof, place: folder.path, areValid: isValid).keys
      else { continue }
      for key in opened.all where ring.add(key, asGuest: !isValid) { grew = true }
      let known = isValid ? slots.filter { valid.contains($0.digest) } : slots
      grew = Unlock.follow(known, ring, asGuests: !isValid) || grew
    }
    guard grew else { return false }
    try chooseKey()
    try keep()
    return true
  }
}
