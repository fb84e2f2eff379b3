import SeaCore
import SeaEngine
import SeaSystem

/// A folder next to a file of records that stores the assets of the records. The digest of each asset is its file
/// name.
struct AssetFiles {
  private let session: Session
  private let database: Database
  private let name: String
  private var seen: Set<Digest> = []
  private var counts = (done: 0, missing: 0, bad: 0)

  init?(_ name: String?, _ session: Session, _ database: Database) {
    guard let name else { return nil }
    (self.name, self.session, self.database) = (name, session, database)
  }

  private func path(_ asset: AssetRow) -> String { Path.join(session.path(name), asset.digest.description) }

  // MARK: - Dump

  static func write(
    of query: RecordQuery, at moment: Moment?, _ session: Session, _ arguments: Arguments, _ database: Database
  ) throws -> ExitStatus {
    guard var files = AssetFiles(arguments.text(DumpCommand.assets), session, database) else { return .success }
    return try database.atOneState(at: moment) {
      try database.queries.forEach(query) { view in
        for asset in try view.assets().compactMap(database.assets.row) { try files.write(asset) }
      }
      return files.end()
    }
  }

  /// Writes the content of an asset, unless a file of the same size already exists.
  mutating func write(_ asset: AssetRow) throws {
    guard seen.insert(asset.digest).inserted else { return }
    let path = path(asset)
    if seen.count == 1 {
      try Location.checkWritable(path, of: database.folder)
      try Path.createDirectories(session.path(name))
    }
    if let there = try Path.statusFollowing(path), there.kind == .file, there.size == asset.size {
      counts.done += 1
      return
    }
    guard let here = try database.assets.here(asset) else {
      counts.missing += 1
      return
    }
    let file = try AtomicFile(path)
    let state = try database.assets.readContent(of: here, from: database.assets.files) { try file.write($0) }
    guard state == .good else {
      counts.bad += 1
      return session.terminal.warning("bad-asset", "\(asset.extent): \(state.words)")
    }
    try file.commit(replace: true)
    counts.done += 1
  }

  func end() -> ExitStatus {
    if counts.missing > 0 {
      session.terminal.warning(
        "asset-missing", "\(Count(counts.missing, "asset")) neither on this device nor in '\(name)'",
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
