import SeaContainer
import SeaCore

extension Verification {
  /// What opens the blocks of a container: the keys of its database, or those that a password opens there.
  /// - Returns: nil if nothing in it says that it is sealed.
  /// - Throws: `noKey` if there are none, `badPassword`.
  package static func keys(
    of container: Container, named place: String, by keychain: Keychain?, password: (PasswordUse) throws -> [UInt8]?
  ) throws -> KeyRing? {
    let info = try container.info()
    if let keychain, keychain.database == info.database, try keychain.folder.isSealed() { return try keychain.ring() }
    let slots = try Unlock.slots(in: container)
    guard info.sealed else { return nil }
    guard let password = try password(.open(place: place)) else { throw KitError.noKey(path: place, pending: false) }
    let ring = try Unlock.keys(password, slots, database: info.database, place: place).keys
    // What the entries say of keys is known when they are read.
    ring.lacks = { _ in nil }
    return ring
  }

  /// Files in the place of slots that are not what their names say.
  static func foreignSlots(of container: Container) throws -> [String] {
    try container.names(in: .keys).prefix(Unlock.mostSlots).filter { name in
      guard let bytes = try container.bounded(name, in: .keys) else { return true }
      return (try? Slot(bytes))?.digest.description != name
    }.map { "\(SmallFolder.keys.rawValue)/\($0)" }
  }
}
