import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// Missing private keys of an instance.
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
}
