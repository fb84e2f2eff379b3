import SeaCore
import SeaEngine
import SeaSystem

/// A folder next to a file of records that stores the assets of the records. The digest of each asset is its file name,
/// unless `--asset-name` sets readable names.
struct AssetFiles {
  private let session: Session
  private let database: Database
  private let name: String
  private var names: AssetNames?
  /// The digests of the assets that were written under their digests.
  private var seen: Set<Digest> = []
  private var isPrepared = false
  private var counts = (done: 0, missing: 0, bad: 0)
  /// The first records with a missing asset.
  private var lacking: [String] = []
  private static let mostNamed = 10

  init?(_ name: String?, _ session: Session, _ database: Database) {
    guard let name else { return nil }
    (self.name, self.session, self.database) = (name, session, database)
  }

  private func path(_ asset: AssetRow) -> String { path(asset.digest.description) }

  private func path(_ file: String) -> String { Path.join(session.path(name), file) }

  // MARK: - Dump

  static func write(
    of query: RecordQuery, at moment: Moment?, _ names: AssetNames?, _ session: Session, _ arguments: Arguments,
    _ database: Database
  ) throws -> ExitStatus {
    guard var files = AssetFiles(arguments.text(DumpCommand.assets), session, database) else { return .success }
    files.names = names
    return try database.atOneState(at: moment) {
      try database.queries.forEach(query) { view in
        for asset in try view.assets().compactMap(database.assets.row) { try files.write(asset, of: view) }
      }
      return files.end()
    }
  }

  /// Writes the content of an asset, unless a file with this content already exists.
  mutating func write(_ asset: AssetRow, of view: RecordView? = nil) throws {
    guard let view, var names else {
      guard seen.insert(asset.digest).inserted else { return }
      // A file whose content does not match its name is damaged, and is replaced.
      let path = path(asset)
      guard try holds(path, asset) else { return try write(asset, to: path, of: view) }
      counts.done += 1
      return
    }
    for file in names.candidates(asset, of: view, database.queries, session.terminal)
    where names.claim(file, for: asset.digest) {
      self.names = names
      let path = path(file)
      if try !Path.exists(path) { return try write(asset, to: path, of: view) }
      if try holds(path, asset) {
        counts.done += 1
        return
      }
      // The file belongs to another program, or contains an earlier version of the asset.
    }
    counts.bad += 1
    session.terminal.warning("bad-asset", "\(view.id): files with other content have all possible names")
  }

  private mutating func write(_ asset: AssetRow, to path: String, of view: RecordView?) throws {
    guard let here = try database.assets.here(asset) else {
      counts.missing += 1
      if let view, lacking.last != view.id, lacking.count <= AssetFiles.mostNamed { lacking.append(view.id) }
      return
    }
    if !isPrepared {
      try Location.checkWritable(path, of: database.folder)
      try Path.createDirectories(session.path(name))
      isPrepared = true
    }
    let file = try AtomicFile(path)
    let state = try database.assets.readContent(of: here, from: database.assets.files) { try file.write($0) }
    guard state == .good else {
      counts.bad += 1
      return session.terminal.warning("bad-asset", "\(asset.extent): \(state.words)")
    }
    try file.commit(replace: names == nil)
    counts.done += 1
  }

  private func holds(_ path: String, _ asset: AssetRow) throws -> Bool {
    guard let there = try Path.statusFollowing(path), there.kind == .file, there.size == asset.size else {
      return false
    }
    return try OutsideContent.holds(File(path), asset, checkStop: session.host.checkStop)
  }

  func end() -> ExitStatus {
    if counts.missing > 0 {
      let named = lacking.prefix(AssetFiles.mostNamed).joined(separator: ", ")
      let of = named.isEmpty ? "" : ": \(named)" + (lacking.count > AssetFiles.mostNamed ? ", ..." : "")
      session.terminal.warning(
        "asset-missing", "\(Count(counts.missing, "asset")) neither on this device nor in '\(name)'\(of)",
        hint: "to get them, run: sea fetch-assets")
    }
    return counts.missing + counts.bad > 0 ? .partial : .success
  }

  // MARK: - Load

  /// Imports assets from the folder if records refer to them and they are missing from this device.
  mutating func importMissing() throws -> ExitStatus {
    for asset in try database.assets.missing(AssetSelection()) {
      let path = path(asset)
      guard let there = try Path.statusFollowing(path), there.kind == .file else {
        counts.missing += 1
        continue
      }
      if try OutsideContent.importAsset(asset, from: File(path), named: path, into: database.assets) {
        counts.done += 1
      } else {
        counts.bad += 1
        session.terminal.warning("bad-asset", "'\(path)' does not match its name and was not loaded")
      }
    }
    try session.terminal.report(
      "assets", ["folder": .text(name), "taken": .integer(counts.done), "missing": .integer(counts.missing)]
    ) {
      "\(name): \(Count(counts.done, "asset"))"
        + (counts.missing > 0 ? ", \(counts.missing) missing both there and here" : "")
    }
    return counts.bad > 0 ? .partial : .success
  }
}
