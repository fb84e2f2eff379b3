import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// An exchange folder behind a helper. It is worked on in a folder here, which has the files that instances leave there and of each bundle so
/// much as says what it holds; a bundle that is wanted comes whole.
package final class FarExchange {
  /// So much of a bundle is asked for at first.
  private static let firstPiece: Int64 = 1 << 18
  /// So many files are looked at.
  private static let mostFiles = 100_000

  /// The folder here.
  package let folder: ExchangeFolder
  private let files: HelperFiles
  private let copy: TemporaryFolder
  private let database: SeaFolder
  /// What lies there, by name.
  private var there: [String: WireFile] = [:]

  package var location: String { files.location }
  /// Whether it is a container: bundles lie in folders of their own.
  package private(set) var isContainer = false

  /// - Throws: what reaching the place throws; a place with nothing is an empty folder.
  package init(_ location: String, for database: SeaFolder) throws {
    self.database = database
    let helpers = database.settings.helpers
    guard let place = HelperPlace(location) else { throw KitError.unknownScheme("") }
    files = HelperFiles(place, helpers)
    copy = try database.temporaryFolder()
    folder = try ExchangeFolder(copy.path)
    let heads = Path.join(copy.path, ExchangeFolder.headsFolder)
    try Path.createDirectories(heads)
    for file in try files.list().prefix(FarExchange.mostFiles) {
      if BundlePlaces.isOfHeads(file.path), file.size <= HeadsFile.largest { try bring(file, upTo: file.size) }
      if file.path == Layout.info { isContainer = true }
      guard BundlePlaces.isOfBundle(file.path) else { continue }
      there[file.path] = file
      // Of volumes the first one says it all.
      let isFirst = BundleVolumes.parts(file.path).map { $0.number == 1 } ?? true
      try bring(file, upTo: isFirst ? FarExchange.firstPiece : 0)
    }
  }

  /// Whether bundles lie at a place elsewhere, and no container.
  package static func lies(at location: String, _ helpers: Helpers) throws -> Bool {
    guard let place = HelperPlace(location) else { return false }
    let files = try HelperFiles(place, helpers).list()
    return files.contains { BundlePlaces.isOfBundle($0.path) } && !files.contains { $0.path == Layout.info }
  }

  /// Has so much of a file here, if it has as much.
  private func bring(_ file: WireFile, upTo size: Int64) throws {
    let here = try File(Path.join(copy.path, file.path), [.write, .create, .append], mode: 0o600)
    let have = try here.status().size
    if have < size, size < file.size {
      try here.write(files.bytes(of: file.path, from: have, count: size - have))
    } else if have < file.size, size >= file.size {
      try files.read(file, from: have) { piece in
        try here.write(piece)
        return true
      }
    }
    try here.close()
  }

  private func volumes(of bundle: ExchangeFolder.Bundle) -> [WireFile] {
    let all = there.values.filter { $0.path == bundle.name || BundleVolumes.parts($0.path)?.base == bundle.name }
    return all.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  /// What a bundle says of itself: as much of it is brought here as that takes.
  private func reader(of bundle: ExchangeFolder.Bundle) throws -> BundleReader {
    guard let first = volumes(of: bundle).first else { throw BundleError.notABundle }
    var size = FarExchange.firstPiece
    while true {
      do {
        let reader = try BundleReader(.file(path: bundle.path), temporary: database.path)
        _ = try reader.manifest()
        return reader
      } catch let error as BundleError {
        guard size < first.size else { throw error }
        size *= 4
        try bring(first, upTo: size)
      }
    }
  }

  /// What it says of itself, when it was written, and how large it is there.
  /// - Returns: nil for one of another database.
  func surveyed(_ bundle: ExchangeFolder.Bundle) throws -> SurveyedBundle? {
    let reader = try reader(of: bundle)
    guard try reader.manifest().database == database.databaseID else { return nil }
    var surveyed = try SurveyedBundle(bundle, reader)
    let files = volumes(of: bundle)
    surveyed.size = files.reduce(0) { $0 + $1.size }
    surveyed.time = (files.map(\.time).max() ?? 0) / 1000
    return surveyed
  }

  /// Brings a bundle here and reads all of it.
  private func read(_ bundle: ExchangeFolder.Bundle, _ said: SurveyedBundle, _ store: Store) throws -> SurveyedBundle {
    try fetch(bundle)
    let reader = try BundleReader(.file(path: bundle.path), temporary: database.path)
    var whole = try SurveyedBundle(bundle, reader, BundleContent.read(reader, store))
    (whole.size, whole.time) = (said.size, said.time)
    return whole
  }

  /// Takes bundles away, with all their volumes.
  package func remove(_ bundles: [ExchangeFolder.Bundle]) throws {
    for bundle in bundles { for file in volumes(of: bundle) { try files.delete(file.path) } }
    try files.flush()
  }

  /// Brings a bundle here whole.
  package func fetch(_ bundle: ExchangeFolder.Bundle) throws {
    try BundleFault.named(bundle.name) {
      let files = volumes(of: bundle)
      try BundleFile.checkSpace(files.reduce(16 << 20) { $0 + $1.size }, in: copy.path)
      for file in files { try bring(file, upTo: file.size) }
    }
  }

  /// A bundle of the folder here, as far as it says what it holds.
  package func taking(_ bundle: ExchangeFolder.Bundle, in bundles: Bundles) throws -> BundleImport {
    try BundleFault.named(bundle.name) { _ = try reader(of: bundle) }
    return try BundleImport(.file(path: bundle.path), named: bundle.name, in: bundles)
  }

  /// Gives a bundle that was written into the folder here to the place.
  /// - Parameter names: of its files.
  /// - Throws: `TransferError.bundle` of `EEXIST` where somebody was faster with the name; then nothing of it stays there.
  package func give(_ names: [String]) throws {
    var given: [String] = []
    for name in names {
      let file = try File(Path.join(copy.path, name))
      do {
        try files.put(name, size: try file.status().size) { try file.readSome(into: $0) }
        given.append(name)
      } catch ContainerError.inTheWay(let path) {
        for name in given { try? files.delete(name) }
        throw TransferError.bundle(name: name, .system(.existing(path)))
      }
    }
    try files.flush()
  }

  /// Holds what lies there against what was written.
  package func verify(_ exported: Exported) throws -> Bool {
    let again = try database.temporaryFolder()
    defer { again.remove() }
    for name in exported.files {
      let size = try Path.statusFollowing(Path.join(copy.path, name))?.size ?? 0
      let here = try File(again.path(of: name), [.write, .create], mode: 0o600)
      try files.read(WireFile(path: name, size: size, time: 0), from: 0) { piece in
        try here.write(piece)
        return true
      }
      try here.close()
    }
    let paths = exported.files.map { again.path(of: $0) }
    let read = try? BundleReader(.files(paths: paths), temporary: database.path).read(NoVisitor())
    if read?.digest == exported.digest { return true }
    for name in exported.files { try files.delete(name) }
    return false
  }

  /// Writes down what an instance has, if the place lets it.
  /// - Returns: whether it stands there now.
  func write(_ heads: HeadsFile) throws -> Bool {
    do throws(ContainerError) {
      try files.replace(
        Path.join(ExchangeFolder.headsFolder, heads.instance.description + HeadsFile.suffix), Array(heads.text.utf8))
      try files.flush()
      return true
    } catch {
      guard case .helper(.refused, _) = error else { throw error }
      return false
    }
  }
}

extension FarExchange {
  /// What it says about where the next bundle has to begin. What its bundles say of themselves is believed: to read all of them each time would be to
  /// have all of them come.
  package func survey(for bundles: Bundles) throws -> ExchangeSurvey {
    try ExchangeSurvey(folder, for: bundles) { try surveyed($0) }
  }

  /// The same, and the bundles of this instance but for some are read whole, so that they may be relied upon.
  package func survey(for bundles: Bundles, readingAllBut names: Set<String>) throws -> ExchangeSurvey {
    try ExchangeSurvey(folder, for: bundles) { bundle in
      guard let said = try surveyed(bundle) else { return nil }
      guard said.manifest.from == bundles.folder.instance, !names.contains(bundle.name) else { return said }
      return try read(bundle, said, bundles.store)
    }
  }

  /// Nobody else throws bundles of this instance away meanwhile.
  package static func whileLocked<T>(_ database: SeaFolder, _ body: () throws -> T) throws -> T {
    let door = try Directory(database.path)
    _ = try door.lock(seconds: 10)
    defer { withExtendedLifetime(door) {} }
    return try body()
  }

  /// Writes down what this instance has, if the place lets it.
  @discardableResult
  package func leaveHeads(of bundles: Bundles) throws -> Bool {
    let heads = try bundles.store.branches.heads()
    return try write(HeadsFile(database: bundles.folder.databaseID, instance: bundles.folder.instance, heads: heads))
  }
}
