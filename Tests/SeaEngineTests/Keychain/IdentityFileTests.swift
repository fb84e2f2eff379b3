import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// The private keys of an instance: missing, damaged, and of earlier versions.
@Suite struct IdentityFileTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  @Test func missingIdentityFileIsReported() throws {
    let keys = scratch.path(".sea/keys")
    try Path.createDirectories(keys)
    #expect(throws: KitError.badIdentity(path: Path.join(keys, IdentityFile.name))) {
      _ = try IdentityFile.read(folder: keys, key: nil)
    }
    try Path.removeDirectory(keys)
    #expect(throws: KitError.badIdentity(path: Path.join(keys, IdentityFile.name))) {
      _ = try IdentityFile.read(folder: keys, key: nil)
    }
  }

  /// The database may have been moved together with its keys; then the keys do not count as missing.
  @Test func movedDatabaseIsNotReportedAsMissingKeys() throws {
    #expect(throws: SystemError.self) { _ = try IdentityFile.read(folder: scratch.path(".sea/keys"), key: nil) }
  }

  private func folder(with text: String) throws -> String {
    let keys = scratch.path("keys")
    try Path.createDirectories(keys)
    try scratch.write("keys/instance", Array(text.utf8))
    return keys
  }

  private func text(of identity: Identity) throws -> String {
    let keys = scratch.path("made")
    try Path.createDirectories(keys)
    try IdentityFile.write(identity, folder: keys)
    return String(decoding: try File(Path.join(keys, IdentityFile.name), .read).readAll(limit: 4096)!, as: UTF8.self)
  }

  /// A seed beside a public key that is not its own would sign blocks that no instance accepts, and betray the seed.
  @Test func anyDamagedDigitOfTheKeysIsReported() throws {
    let identity = try IdentityFile.make()
    let text = try text(of: identity)
    let digits = text.indices.filter { text[$0].isHexDigit }
    var damagedSeeds = 0
    for at in digits {
      var damaged = text
      damaged.replaceSubrange(at...at, with: text[at] == "0" ? "1" : "0")
      let keys = try folder(with: damaged)
      guard let read = try? IdentityFile.read(folder: keys, key: identity.key) else {
        damagedSeeds += 1
        continue
      }
      #expect(read.signingSeed == identity.signingSeed && read.exchangeSeed == identity.exchangeSeed)
    }
    #expect(damagedSeeds >= 3 * 64)
  }

  @Test func keysOfAnotherInstanceAreReported() throws {
    let (own, other) = (try IdentityFile.make(), try IdentityFile.make())
    let keys = try folder(with: text(of: other))
    #expect(throws: KitError.badIdentity(path: Path.join(keys, IdentityFile.name))) {
      _ = try IdentityFile.read(folder: keys, key: own.key)
    }
  }

  @Test func keysThatAnEarlierVersionWroteAreRead() throws {
    let identity = try IdentityFile.make()
    let (signing, exchange) = (Hex.text(identity.signingSeed), Hex.text(identity.exchangeSeed))
    let keys = try folder(with: "{\"sea\":1,\"ed25519\":\"\(signing)\",\"x25519\":\"\(exchange)\"}\n")
    #expect(try IdentityFile.read(folder: keys, key: identity.key).instance == identity.instance)
  }
}
