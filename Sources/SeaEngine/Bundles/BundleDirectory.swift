import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// A directory through which instances hand each other bundles, wherever it lies: the bundles, and of each instance a file that says
/// what it has.
///
/// Bundles are read and written in a folder on this machine. Of a directory elsewhere that is a temporary one: what is to be read is brought
/// there first, and what was written there is given to the directory.
package struct BundleDirectory {
  /// A bundle that lies in it.
  package struct Bundle {
    /// Without the number of a volume.
    package var name: String
    /// Where it is read.
    package var path: String
    /// Where it lies, for people and programs.
    package var location: String
    /// Its file, or its volumes, in order.
    var files: [File] = []

    struct File {
      var name: String
      var size: Int64
      /// Milliseconds since 1970, 0 where nobody knows.
      var time: Int64
    }
  }

  /// So much of a bundle is brought at first.
  private static let firstPiece: Int64 = 1 << 18

  private let files: any Container & Files
  /// Stands for a directory elsewhere.
  private let copy: TemporaryFolder?
  /// Whoever removes bundles has the lock of this folder.
  private let door: String

  /// A path, or a location elsewhere.
  package var location: String { files.location }
  private var folder: String { copy?.path ?? location }

  /// A folder.
  /// - Throws: `SystemError` if it is not there, or is no folder.
  package init(_ path: String) throws(SystemError) {
    _ = try Directory(path)
    self.init(DirectoryContainer(path), copy: nil, door: path)
  }

  private init(_ files: any Container & Files, copy: TemporaryFolder?, door: String) {
    (self.files, self.copy, self.door) = (files, copy, door)
  }

  /// The directory at a location; a place elsewhere that has nothing is an empty one.
  /// - Throws: `placeInUse` if it is a container.
  package init(_ location: String, for database: SeaFolder) throws {
    if let path = BundleDirectory.path(of: location) {
      try self.init(try Path.absolute(path))
    } else {
      guard let place = HelperPlace(location) else { throw KitError.unknownScheme("") }
      let far = database.settings.helpers.container(at: place)
      self.init(far, copy: try database.temporaryFolder(), door: database.path)
    }
    let isContainer = (try? files.info()) != nil
    guard !isContainer else { throw KitError.placeInUse(path: location, of: self.location) }
  }

  /// The directory that an export goes into. Only its last component is made if it is missing, or a stick that is not plugged in would be
  /// taken for an empty one.
  /// - Parameters:
  ///   - isNew: whether a directory is begun even if one is remembered at the location.
  ///   - isDry: whether nothing is made.
  /// - Returns: nil in a dry run that would make the directory.
  /// - Throws: `TransferError.exchangeGone` if it was used before and is missing or empty now.
  package static func toWrite(
    _ location: String, for bundles: Bundles, isNew: Bool, isDry: Bool
  ) throws -> BundleDirectory? {
    let isKnown = !isNew && bundles.exchanges.remembers(location)
    if let path = path(of: location), try Path.statusFollowing(path) == nil {
      if isKnown { throw TransferError.exchangeGone(location) }
      let parent = Path.parent(try Path.absolute(path))
      guard try Path.statusFollowing(parent) != nil else { throw ContainerError.notThere(path: parent) }
      if isDry { return nil }
      try Path.createDirectories(path)
    }
    let place = try BundleDirectory(location, for: bundles.folder)
    if isKnown, try place.bundles().isEmpty, try place.headsFiles().isEmpty {
      throw TransferError.exchangeGone(location)
    }
    return place
  }

  /// The path of a folder that a location means; nil for a place elsewhere.
  package static func path(of location: String) -> String? { HelperPlace.path(of: location) }

  /// Whether bundles lie at a place elsewhere, and no container.
  package static func lies(at location: String, _ helpers: Helpers) throws -> Bool {
    guard let place = HelperPlace(location) else { return false }
    let names = try helpers.container(at: place).list("").keys
    return names.contains(where: BundlePlaces.isOfBundle) && !names.contains(Layout.info)
  }

  // MARK: What is there

  /// Names that nothing new can have, whatever has them: also links, pipes and folders, behind which nobody means to write.
  package func taken() throws -> [String] { Array(try files.list("").keys) }

  /// The bundles by name; one in several volumes is one.
  package func bundles() throws -> [Bundle] {
    var found: [String: Bundle] = [:]
    for (name, entry) in try files.list("") where entry.size >= 0 && BundlePlaces.isOfBundle(name) {
      let base = BundleVolumes.parts(name)?.base ?? name
      found[base, default: Bundle(name: base, path: Path.join(folder, base), location: Path.join(location, base))]
        .files.append(Bundle.File(name: name, size: entry.size, time: entry.time))
    }
    return found.values.map { bundle in
      var bundle = bundle
      // Beside a file of that name volumes are none.
      if let whole = bundle.files.first(where: { $0.name == bundle.name }) { bundle.files = [whole] }
      bundle.files.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
      return bundle
    }.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private func headsFiles() throws -> [String] {
    try files.list(BundlePlaces.headsFolder).filter { $0.value.size >= 0 }.keys
      .map { Path.join(BundlePlaces.headsFolder, $0) }.filter(BundlePlaces.isOfHeads).sorted()
  }

  /// What other instances of a database say to have. What cannot be read says nothing.
  func heads(of database: UUID, except own: UUID) throws -> [HeadsFile] {
    try headsFiles().compactMap { path in
      guard path != HeadsFile.path(of: own), let bytes = try? files.bytes(of: .other(path), most: HeadsFile.largest),
        let said = HeadsFile(bytes), HeadsFile.path(of: said.instance) == path, said.database == database
      else { return nil }
      return said
    }
  }

  // MARK: Reading bundles

  /// Whether all of a bundle is here.
  func has(_ bundle: Bundle) throws -> Bool {
    try copy == nil || bundle.files.allSatisfy { try size(here: $0) == $0.size }
  }

  private func size(here file: Bundle.File) throws -> Int64 {
    try Path.statusFollowing(Path.join(folder, file.name))?.size ?? 0
  }

  /// Brings all of a bundle here.
  package func fetch(_ bundle: Bundle) throws {
    try BundleFault.named(bundle.name) {
      for file in bundle.files { try bring(file, upTo: file.size) }
    }
  }

  /// Brings so much of a file here, if it has as much.
  /// - Returns: whether anything came.
  @discardableResult
  private func bring(_ file: Bundle.File, upTo size: Int64) throws -> Bool {
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

  /// Reads what a bundle says of itself: as much of it is brought here as that takes.
  private func beginning<Result>(of bundle: Bundle, _ read: () throws -> Result) throws -> Result {
    var size = BundleDirectory.firstPiece
    for (number, file) in bundle.files.enumerated() { try bring(file, upTo: number == 0 ? size : 0) }
    while true {
      do { return try BundleFault.named(bundle.name, read) } catch let error as TransferError {
        size *= 4
        guard case .bundle = error, let first = bundle.files.first, try bring(first, upTo: size) else { throw error }
      }
    }
  }

  /// A bundle to be taken in, as far as it says what it holds.
  /// - Parameter filter: of the assets that are wanted: all of the bundle is here then, if it has anything new; nil for just a look.
  package func opened(_ bundle: Bundle, in bundles: Bundles, _ filter: AssetFilter?) throws -> BundleImport {
    func open() throws -> BundleImport {
      try BundleImport(.file(path: bundle.path), named: bundle.name, in: bundles)
    }
    let said = try beginning(of: bundle, open)
    guard let filter, try !has(bundle), try !said.isKnown(filter) else { return said }
    try fetch(bundle)
    return try open()
  }

  /// What a bundle says of itself, or has.
  /// - Parameter reads: whether all of it is read, by what it says.
  /// - Returns: nil for one of another database.
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

  /// Writes a bundle there; none of that name is replaced.
  /// - Throws: `TransferError.bundle` of `EEXIST` where somebody was faster with the name.
  package func write(
    _ plan: ExportPlan, named name: String, _ compression: BundleCompression, volumeSize: Int64?, verifies: Bool,
    of bundles: Bundles
  ) throws -> Exported {
    let exported = try bundles.export(
      plan, compression, to: Path.join(folder, name), volumeSize: volumeSize, replace: false, verifies: verifies)
    if copy == nil { return exported }
    for (at, file) in exported.files.enumerated() where try !give(file) {
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

  /// Gives a file that was written here to the place.
  /// - Returns: false if its name is taken there.
  private func give(_ name: String) throws -> Bool {
    let file = try File(Path.join(folder, name))
    return try files.put(.other(name), size: file.status().size) { try file.read(into: $1, at: $0) }
  }

  /// Holds what lies there against what was written.
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

  /// Removes bundles, with all their volumes.
  func remove(_ bundles: [Bundle]) throws { try remove(bundles.flatMap(\.files).map(\.name)[...]) }

  private func remove(_ names: ArraySlice<String>) throws {
    try files.delete(names.map { .other($0) })
    try files.flush()
  }

  /// Nobody else who asks for this removes bundles meanwhile, where the file system knows such a right.
  func whileLocked<T>(_ body: () throws -> T) throws -> T {
    let door = try Directory(door)
    _ = try door.lock(seconds: 10)
    defer { withExtendedLifetime(door) {} }
    return try body()
  }

  /// Leaves word of what this instance has, if it may, and remembers that the place was used.
  /// - Parameters:
  ///   - plan: what was written, so that no block of ours is lacking there; nil after an import. What lies there survives a loss of
  ///     power then. The bundles that make it so may have got their names from somebody who was stopped right after.
  ///   - remembers: whether it is remembered.
  package func leaveWord(of bundles: Bundles, writing plan: ExportPlan?, remembers: Bool = true) throws {
    try leaveHeads(of: bundles)
    if plan != nil { try files.makeDurable(deep: false) }
    if remembers { try bundles.exchanges.note(location, writing: plan) }
  }

  /// Writes down what this instance has, if the place lets it.
  package func leaveHeads(of bundles: Bundles) throws {
    try write(
      HeadsFile(
        database: bundles.folder.databaseID, instance: bundles.folder.instance, heads: bundles.store.branches.heads()))
  }

  /// Writes down what an instance has, in the place of what it had before.
  package func write(_ heads: HeadsFile) throws {
    // One at a time: so what is unfinished was left by somebody who died.
    let door = try? Directory(folder).directory(BundlePlaces.headsFolder)
    if let door, (try? door.lock(seconds: 5)) == true { AtomicFile.removeTemporaries(in: door.path) }
    defer { withExtendedLifetime(door) {} }
    do throws(ContainerError) {
      _ = try files.put(.other(HeadsFile.path(of: heads.instance)), Array(heads.text.utf8), replaces: true)
      try files.flush()
    } catch {
      switch error {
      // Others need not let us; a disk that fails does not pass for one that lets us.
      case .helper(.refused, _), .inTheWay: return
      case .system(let fault) where !fault.isUnreadable || fault.isDenied: return
      default: throw error
      }
    }
  }
}
