import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// A local or remote directory through which instances exchange bundles. It also contains a heads file for each
/// instance.
///
/// Bundles in a remote directory are downloaded to a temporary folder before they are read, and uploaded after they are
/// written.
package struct BundleDirectory {
  package struct Bundle {
    /// The name without a volume number.
    package var name: String
    package var path: String
    /// The location to display to users and programs.
    package var location: String
    var files: [File] = []

    struct File {
      var name: String
      var size: Int64
      /// Milliseconds since 1970; 0 if unknown.
      var time: Int64
    }
  }

  private static let firstPiece: Int64 = 1 << 18

  private let files: any Container & Files
  private let copy: TemporaryFolder?
  /// The folder to lock while bundles are removed.
  private let lockPath: String

  package var location: String { files.location }
  private var folder: String { copy?.path ?? location }

  /// - Throws: `SystemError` if the path is missing or is not a folder.
  package init(_ path: String) throws(SystemError) {
    _ = try Directory(path)
    self.init(DirectoryContainer(path), copy: nil, lockPath: path)
  }

  private init(_ files: any Container & Files, copy: TemporaryFolder?, lockPath: String) {
    (self.files, self.copy, self.lockPath) = (files, copy, lockPath)
  }

  /// Opens the directory at a location. A remote location without files is an empty directory.
  /// - Throws: `placeInUse` if the location is a container.
  package init(_ location: String, for database: SeaFolder) throws {
    if let path = BundleDirectory.path(of: location) {
      try self.init(try Path.absolute(path))
    } else {
      guard let place = HelperPlace(location) else { throw KitError.unknownScheme("") }
      let far = database.settings.helpers.container(at: place)
      self.init(far, copy: try database.temporaryFolder(), lockPath: database.path)
    }
    let isContainer = (try? files.info()) != nil
    guard !isContainer else { throw KitError.placeInUse(path: location, of: self.location) }
  }

  /// Opens the directory for writing. Creates only the last component of its path; otherwise, an unplugged USB drive
  /// would look like an empty directory.
  /// - Parameters:
  ///   - isNew: whether to start a new directory even if this instance has already used one at this location.
  ///   - isDry: whether this is a dry run, which creates nothing.
  /// - Returns: nil if a dry run would have created the directory.
  /// - Throws: `TransferError.exchangeGone` if the directory was used before but is missing or empty now.
  package static func toWrite(
    _ location: String, for bundles: Bundles, isNew: Bool, isDry: Bool
  ) throws -> BundleDirectory? {
    let isKnown = !isNew && bundles.exchanges.remembers(location)
    if let path = path(of: location), try Path.statusFollowing(path) == nil {
      if isKnown { throw TransferError.exchangeGone(location) }
      let parent = Path.parent(try Path.absolute(path))
      guard try Path.statusFollowing(parent) != nil else { throw ContainerError.missing(path: parent) }
      if isDry { return nil }
      try Path.createDirectories(path)
    }
    let place = try BundleDirectory(location, for: bundles.folder)
    if isKnown, try place.bundles().isEmpty, try place.headsFiles().isEmpty {
      throw TransferError.exchangeGone(location)
    }
    return place
  }

  /// The path of a local location; nil for a remote location.
  package static func path(of location: String) -> String? { HelperPlace.path(of: location) }

  /// Returns whether a remote location contains bundles and is not a container.
  package static func exists(at location: String, _ helpers: Helpers) throws -> Bool {
    guard let place = HelperPlace(location) else { return false }
    let names = try helpers.container(at: place).list("").keys
    return names.contains(where: ExchangeDirectoryNames.isOfBundle) && !names.contains(Layout.info)
  }

  // MARK: Listing

  /// Returns all names in the directory, including those of links and folders, because a new bundle needs an unused
  /// name.
  package func usedNames() throws -> [String] { Array(try files.list("").keys) }

  /// Returns the bundles, sorted by name. All volumes of a bundle count as one bundle.
  package func bundles() throws -> [Bundle] {
    var found: [String: Bundle] = [:]
    for (name, entry) in try files.list("") where entry.size >= 0 && ExchangeDirectoryNames.isOfBundle(name) {
      let base = BundleVolumes.parts(name)?.base ?? name
      found[base, default: Bundle(name: base, path: Path.join(folder, base), location: Path.join(location, base))]
        .files.append(Bundle.File(name: name, size: entry.size, time: entry.time))
    }
    return found.values.map { bundle in
      var bundle = bundle
      // If there is a file with the bundle's plain name, ignore the volumes.
      if let whole = bundle.files.first(where: { $0.name == bundle.name }) { bundle.files = [whole] }
      bundle.files.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      return bundle
    }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private func headsFiles() throws -> [String] {
    try files.list(ExchangeDirectoryNames.headsFolder).filter { $0.value.size >= 0 }.keys
      .map { Path.join(ExchangeDirectoryNames.headsFolder, $0) }.filter(ExchangeDirectoryNames.isOfHeads).sorted()
  }

  /// Returns the heads files of all other instances of a database. Ignores unreadable files.
  func heads(of database: UUID, except own: UUID) throws -> [HeadsFile] {
    try headsFiles().compactMap { path in
      guard path != HeadsFile.path(of: own), let bytes = try? files.bytes(of: .other(path), most: HeadsFile.largest),
        let said = HeadsFile(bytes), HeadsFile.path(of: said.instance) == path, said.database == database
      else { return nil }
      return said
    }
  }

  func has(_ bundle: Bundle) throws -> Bool {
    try copy == nil || bundle.files.allSatisfy { try size(here: $0) == $0.size }
  }

  private func size(here file: Bundle.File) throws -> Int64 {
    try Path.statusFollowing(Path.join(folder, file.name))?.size ?? 0
  }

  package func fetch(_ bundle: Bundle) throws {
    try BundleFault.named(bundle.name) {
      for file in bundle.files { try download(file, upTo: file.size) }
    }
  }

  /// - Returns: whether any bytes were downloaded.
  @discardableResult
  private func download(_ file: Bundle.File, upTo size: Int64) throws -> Bool {
    if copy == nil { return false }
    let here = try File(Path.join(folder, file.name), [.write, .create, .append], mode: 0o600)
    let (have, end) = (try here.status().size, min(size, file.size))
    guard have < end else { return false }
    if end == file.size { try BundleFile.checkSpace(end - have + 16 << 20, in: folder) }
    _ = try files.read(.other(file.name), have..<end) { piece in
      try here.write(piece)
      return true
    }
    return try here.status().size > have
  }

  private func beginning<Result>(of bundle: Bundle, _ read: () throws -> Result) throws -> Result {
    var size = BundleDirectory.firstPiece
    for (number, file) in bundle.files.enumerated() { try download(file, upTo: number == 0 ? size : 0) }
    while true {
      do { return try BundleFault.named(bundle.name, read) } catch let error as TransferError {
        size *= 4
        guard case .bundle = error, let first = bundle.files.first, try download(first, upTo: size) else { throw error }
      }
    }
  }

  /// Opens a bundle for an import. Downloads the rest of the bundle only if it contains anything new.
  /// - Parameter filter: the wanted assets; nil to read only the manifest.
  package func opened(_ bundle: Bundle, in bundles: Bundles, _ filter: AssetFilter?) throws -> BundleImport {
    func open() throws -> BundleImport {
      try BundleImport(.file(path: bundle.path), named: bundle.name, in: bundles)
    }
    let said = try beginning(of: bundle, open)
    guard let filter, try !has(bundle), try !said.isKnown(filter) else { return said }
    try fetch(bundle)
    return try open()
  }

  /// Returns the content of a bundle, according to its manifest or its blocks.
  /// - Parameter reads: decides from the manifest whether to read the blocks.
  /// - Returns: nil for a bundle of another database.
  func surveyed(
    _ bundle: Bundle, for bundles: Bundles, _ reads: (BundleManifest) throws -> Bool
  ) throws -> SurveyedBundle? {
    let temporary = bundles.folder.path
    return try beginning(of: bundle) { () throws -> SurveyedBundle? in
      let reader = try BundleReader(.file(path: bundle.path), temporary: temporary)
      let manifest = try reader.manifest()
      guard manifest.database == bundles.folder.databaseID else { return nil }
      guard try reads(manifest) else { return try SurveyedBundle(bundle, reader) }
      if try has(bundle) { return try SurveyedBundle(bundle, reader, BundleContent.read(reader, bundles.store)) }
      try fetch(bundle)
      let whole = try BundleReader(.file(path: bundle.path), temporary: temporary)
      return try SurveyedBundle(bundle, whole, BundleContent.read(whole, bundles.store))
    }
  }

  // MARK: Writing and removing

  /// Writes a bundle to the directory without replacing any file.
  /// - Throws: `TransferError.bundle` with `EEXIST` if another process has taken the name.
  package func write(
    _ plan: ExportPlan, named name: String, _ compression: BundleCompression, volumeSize: Int64?, verifies: Bool,
    of bundles: Bundles
  ) throws -> Exported {
    let exported = try bundles.export(
      plan, compression, to: Path.join(folder, name), volumeSize: volumeSize, replace: false, verifies: verifies)
    if copy == nil { return exported }
    for (at, file) in exported.files.enumerated() where try !upload(file) {
      try remove(exported.files[..<at])
      throw TransferError.bundle(name: file, .system(.existing(Path.join(location, file))))
    }
    try files.flush()
    if verifies, try !exported.files.allSatisfy(isAsWritten) {
      try remove(exported.files[...])
      throw TransferError.bundle(name: name, .wrongDigest(name))
    }
    return exported
  }

  private func upload(_ name: String) throws -> Bool {
    let file = try File(Path.join(folder, name))
    return try files.put(.other(name), size: file.status().size) { try file.read(into: $1, at: $0) }
  }

  private func isAsWritten(_ name: String) throws -> Bool {
    let file = try File(Path.join(folder, name))
    let size = try file.status().size
    var (offset, buffer) = (Int64(0), [UInt8]())
    _ = try files.read(.other(name), 0..<size) { piece in
      buffer = [UInt8](repeating: 0, count: piece.count)
      _ = try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
      guard buffer.withUnsafeBytes({ $0.elementsEqual(piece) }) else { return false }
      offset += Int64(piece.count)
      return true
    }
    return offset == size
  }

  func remove(_ bundles: [Bundle]) throws { try remove(bundles.flatMap(\.files).map(\.name)[...]) }

  private func remove(_ names: ArraySlice<String>) throws {
    try files.delete(names.map { .other($0) })
    try files.flush()
  }

  /// Runs `body` while the folder is locked, if the file system supports locks, so that no other process removes
  /// bundles.
  func whileLocked<T>(_ body: () throws -> T) throws -> T {
    let door = try Directory(lockPath)
    _ = try door.lock(seconds: 10)
    defer { withExtendedLifetime(door) {} }
    return try body()
  }

  /// Writes this instance's heads file if it may write, and remembers that the directory was used.
  /// - Parameter plan: the exported bundle; nil after an import. After an export, all files are made durable, because
  ///   an interrupted process may have renamed a bundle without doing so.
  package func recordUse(of bundles: Bundles, writing plan: ExportPlan?, remembers: Bool = true) throws {
    try leaveHeads(of: bundles)
    if plan != nil { try files.makeDurable(deep: false) }
    if remembers { try bundles.exchanges.remember(location, writing: plan) }
  }

  package func leaveHeads(of bundles: Bundles) throws {
    try write(
      HeadsFile(
        database: bundles.folder.databaseID, instance: bundles.folder.instance, heads: bundles.store.branches.heads()))
  }

  package func write(_ heads: HeadsFile) throws {
    // Only one process at a time writes here, so any temporary file is left over from a crash.
    let door = try? Directory(folder).directory(ExchangeDirectoryNames.headsFolder)
    if let door, (try? door.lock(seconds: 5)) == true { AtomicFile.removeTemporaries(in: door.path) }
    defer { withExtendedLifetime(door) {} }
    do throws(ContainerError) {
      _ = try files.put(.other(HeadsFile.path(of: heads.instance)), Array(heads.text.utf8), replaces: true)
      try files.flush()
    } catch {
      switch error {
      // It is not an error if writing is forbidden, but it is an error if the disk fails.
      case .helper(.refused, _), .nameTaken: return
      case .system(let fault) where !fault.isUnreadable || fault.isDenied: return
      default: throw error
      }
    }
  }
}
