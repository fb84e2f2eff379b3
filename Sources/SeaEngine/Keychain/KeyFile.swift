import SeaCore
import SeaSystem

/// The epoch keys that an instance stores: `.sea/keys/epochs`, mode 0600, one line of JSON per key. The last key
/// encrypts new blocks.
struct KeyFile: Equatable {
  static let name = "epochs"
  private static let largest = 1 << 20
  static let mostGuests = 1000
  private static let (epoch, guest) = ("epoch", "guest")

  var keys: [EpochKey] = []
  /// Keys that no valid control entry has confirmed yet.
  var unconfirmedKeys: [EpochKey] = []

  init(keys: [EpochKey] = [], unconfirmedKeys: [EpochKey] = []) {
    self.keys = keys
    self.unconfirmedKeys = unconfirmedKeys
  }

  static func read(folder: String) throws -> KeyFile? {
    let path = Path.join(folder, name)
    let file: File
    do throws(SystemError) { file = try File.openWithoutWaiting(path, [.read, .noFollow]) } catch {
      if error.isMissing { return nil }
      throw error
    }
    guard let bytes = try file.readAll(limit: largest) else { throw KitError.badIdentity(path: path) }
    var kept = KeyFile()
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
      guard parts.count == 7, parts[3].elementsEqual("key".utf8),
        let number = UInt32(String(decoding: parts[2].dropFirst().dropLast(), as: UTF8.self)), number > 0,
        parts[5].count == 64,
        let bytes = Hex.bytes(parts[5]), let key = EpochKey(number: number, bytes: bytes)
      else { throw KitError.badIdentity(path: path) }
      if parts[1].elementsEqual(epoch.utf8) {
        kept.keys.append(key)
      } else if parts[1].elementsEqual(guest.utf8) {
        kept.unconfirmedKeys.append(key)
      } else {
        throw KitError.badIdentity(path: path)
      }
    }
    return kept
  }

  func write(folder: String) throws {
    var text = ""
    for (kind, keys) in [(KeyFile.guest, unconfirmedKeys), (KeyFile.epoch, keys)] {
      for key in keys { text += "{\"\(kind)\":\(key.number),\"key\":\"\(Hex.text(key.bytes))\"}\n" }
    }
    var bytes = Array(text.utf8)
    defer { Secret.wipe(&bytes) }
    try AtomicFile.write(Path.join(folder, KeyFile.name), mode: 0o600, bytes, replace: true)
  }
}
