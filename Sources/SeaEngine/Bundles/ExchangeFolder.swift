import SeaContainer
import SeaCore
import SeaSystem

/// A folder through which instances hand each other bundles: the bundles, and of each instance a file that says what it
/// has.
package struct ExchangeFolder {
  package static let headsFolder = BundlePlaces.headsFolder
  /// So many names are looked at.
  private static let mostNames = 100_000

  /// A bundle that lies in it.
  package struct Bundle {
    /// Without the number of a volume.
    package var name: String
    package var path: String
  }

  package let path: String
  private let folder: Directory

  /// - Throws: `SystemError` if it is not there, or is no folder.
  package init(_ path: String) throws(SystemError) {
    self.path = path
    folder = try Directory(path)
  }

  /// Names of all files.
  package func names() throws(SystemError) -> [String] {
    let entries = try folder.list(most: ExchangeFolder.mostNames).entries
    return entries.filter { $0.kind == .file }.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Names that nothing new can have, whatever has them: also links, pipes and folders, behind which nobody means to write.
  package func taken() throws(SystemError) -> [String] {
    try folder.list(most: ExchangeFolder.mostNames).entries.map(\.name)
  }

  /// The bundles by name; one in several volumes is one.
  package func bundles() throws(SystemError) -> [Bundle] {
    var found: [Bundle] = []
    for name in try names() {
      let bundle = BundleVolumes.parts(name)?.base ?? name
      guard BundlePlaces.isBundle(bundle), found.last?.name != bundle else { continue }
      found.append(Bundle(name: bundle, path: folder.path(of: bundle)))
    }
    return found
  }

  /// Whether nobody has left a bundle here, nor word of what an instance has.
  package func isEmpty() throws(SystemError) -> Bool {
    guard try bundles().isEmpty else { return false }
    let heads = try? folder.directory(ExchangeFolder.headsFolder).list().entries
    return heads?.contains { $0.name.hasSuffix(HeadsFile.suffix) } != true
  }

  /// What other instances of a database say to have. What cannot be read says nothing.
  package func heads(of database: UUID, except own: UUID) -> [HeadsFile] {
    guard let heads = try? folder.directory(ExchangeFolder.headsFolder),
      let entries = try? heads.list(most: ExchangeFolder.mostNames).entries
    else { return [] }
    return entries.compactMap { entry in
      guard entry.kind == .file, entry.name.hasSuffix(HeadsFile.suffix),
        let instance = UUID(String(entry.name.dropLast(HeadsFile.suffix.count))), instance != own,
        let file = try? heads.file(entry.name, [.read, .nonBlocking]),
        let bytes = try? file.readAll(limit: HeadsFile.largest), let said = HeadsFile(bytes)
      else { return nil }
      return said.instance == instance && said.database == database ? said : nil
    }
  }

  /// Takes a bundle away, with all its volumes.
  package func remove(_ bundle: Bundle) throws {
    try BundleFault.named(bundle.name) {
      for path in try BundleVolumes.paths(of: bundle.path).paths { _ = try Path.remove(path) }
    }
  }

  /// Nobody else who asks for this takes bundles away meanwhile, where the file system knows such a right.
  package func whileLocked<T>(_ body: () throws -> T) throws -> T {
    let door = try Directory(path)
    _ = try door.lock(seconds: 10)
    defer { withExtendedLifetime(door) {} }
    return try body()
  }

  /// What lies in it survives a loss of power when this returns, whoever has put it there.
  package func makeDurable() throws(SystemError) {
    try Path.synchronizeIfAllowed(Path.parent(try Path.real(path)))
    try Path.synchronizeIfAllowed(path)
  }

  /// Writes down what an instance has, in the place of what it had before.
  package func write(_ heads: HeadsFile) throws(SystemError) {
    if try folder.createDirectory(ExchangeFolder.headsFolder) { try folder.synchronize() }
    let inner = try folder.directory(ExchangeFolder.headsFolder)
    // One at a time: so what is unfinished was left by somebody who died.
    let door = try folder.directory(ExchangeFolder.headsFolder)
    if (try? door.lock(seconds: 5)) == true { AtomicFile.removeTemporaries(in: inner.path) }
    defer { withExtendedLifetime(door) {} }
    let file = try AtomicFile(heads.instance.description + HeadsFile.suffix, in: inner)
    try file.write(Array(heads.text.utf8))
    try file.commit(replace: true)
  }
}
