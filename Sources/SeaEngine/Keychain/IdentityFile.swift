import SeaCore
import SeaSystem

/// The private keys of an instance: `.sea/keys/instance`, mode 0600, one line of JSON.
package enum IdentityFile {
  package static let folder = SeaFolder.keysName
  package static let name = "instance"
  /// The name of the file for a new identity that this instance has not adopted yet.
  package static let next = "next"

  package static func make() throws -> Identity {
    try Identity(signingSeed: Random.bytes(32), exchangeSeed: Random.bytes(32))
  }

  package static func write(_ identity: Identity, folder: String, name: String = name) throws {
    let parts = [
      ("ed25519", identity.signingSeed), ("x25519", identity.exchangeSeed), ("check", identity.check),
    ]
    let text = "{\"sea\":1" + parts.map { ",\"\($0)\":\"\(Hex.text($1))\"" }.joined() + "}\n"
    try AtomicFile.write(Path.join(folder, name), mode: 0o600, Array(text.utf8), replace: false)
  }

  package static func adopt(folder: String) throws {
    try Path.rename(Path.join(folder, next), to: Path.join(folder, name))
    try Path.synchronizeDirectory(folder)
  }

  private static let old = "old-"

  static func isOld(_ name: String) -> Bool { name.hasPrefix(old) }

  static func keepOld(_ identity: Identity, folder: String) throws {
    let name = old + identity.instance.description
    guard try !Path.exists(Path.join(folder, name)) else { return }
    try write(identity, folder: folder, name: name)
  }

  static func dropOld(folder: String) throws {
    for entry in try Directory(folder).list().entries where isOld(entry.name) {
      try Path.remove(Path.join(folder, entry.name))
    }
  }

  /// - Parameter key: the expected public key, if the caller knows it, so that it need not be computed.
  /// - Throws: `badIdentity` if the file is damaged, or is missing from an existing database; `SystemError` if the
  ///   database has been moved in the meantime, or if the file cannot be read.
  package static func read(folder: String, name: String = name, key: [UInt8]?) throws -> Identity {
    let path = Path.join(folder, name)
    let file: File
    do throws(SystemError) { file = try File.openWithoutWaiting(path, [.read, .noFollow]) } catch {
      if error.isMissing, try Path.exists(Path.parent(folder)) { throw KitError.badIdentity(path: path) }
      throw error
    }
    guard let bytes = try file.readAll(limit: 4096) else { throw KitError.badIdentity(path: path) }
    let parts = bytes.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    func part(_ name: String) -> [UInt8]? {
      guard let at = parts.firstIndex(where: { $0.elementsEqual(name.utf8) }), at + 2 < parts.count,
        parts[at + 2].count == 64
      else { return nil }
      return Hex.bytes(parts[at + 2])
    }
    guard let signing = part("ed25519"), let exchange = part("x25519") else { throw KitError.badIdentity(path: path) }
    // Files of earlier versions have no check.
    guard let key, let check = part("check") else { return try Identity(signingSeed: signing, exchangeSeed: exchange) }
    guard let identity = Identity(signingSeed: signing, exchangeSeed: exchange, key: key, check: check) else {
      throw KitError.badIdentity(path: path)
    }
    return identity
  }
}
