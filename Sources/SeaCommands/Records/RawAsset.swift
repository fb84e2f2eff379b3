import SeaCore
import SeaEngine
import SeaSystem
import SeaWords

/// The content of an asset as the result of a command.
enum RawAsset {
  /// Writes the content out as it is read: whether it is right is known only at the end.
  /// - Throws: `assetMissing`; at a terminal `Failure` of what is no text; `badAsset` if what was written is not what the record says.
  static func write(_ reference: AssetReference, _ database: Database, _ session: Session) throws {
    let assets = database.assets
    guard let asset = assets.row(reference), assets.isPlausible(asset) else {
      throw KitError.badAsset(reference, .badReference)
    }
    guard let here = try assets.here(asset) else { throw KitError.assetMissing(reference) }
    let isLooked = session.host.isTerminal(1)
    let state = try assets.readContent(of: here, from: assets.files) { bytes in
      // What has one is no text, and says so soon.
      if isLooked, bytes.contains(0) { throw Failure.contentAtTerminal }
      try session.terminal.output.write(bytes)
    }
    guard state == .good else {
      // What was read before the fault is told of by it.
      try session.terminal.output.flush()
      throw KitError.badAsset(reference, state)
    }
  }

  /// The files that the content lies in, one behind the other.
  static func files(_ reference: AssetReference, _ database: Database, _ session: Session) throws -> [String] {
    let assets = database.assets
    guard let asset = assets.row(reference), assets.isPlausible(asset) else {
      throw KitError.badAsset(reference, .badReference)
    }
    guard let here = try assets.here(asset) else { throw KitError.assetMissing(reference) }
    if try database.folder.isSealed() {
      session.terminal.warning("sealed", "the files are sealed; what they hold prints: sea get --raw")
    }
    return try assets.files(of: here).map { try Path.absolute(assets.files.path(of: $0)) }
  }

  /// Gets the content from the containers if it is not here.
  static func fetch(_ reference: AssetReference, _ database: Database, _ session: Session) throws {
    guard let asset = database.assets.row(reference), try database.assets.here(asset) == nil else { return }
    let copies = try database.exchange.assetCopies()
    for (_, error) in copies.away {
      let failure = Failure.describing(error)
      session.terminal.warning(failure.slug, failure.message, hint: failure.hint)
    }
    var last: Problem?
    let outcome = try database.assets.fetch(asset, from: copies.origins) { problem in
      last = problem
      try? session.terminal.tell(problem)
    }
    if case .bad = outcome, last != nil { throw KitError.badAsset(reference, .wrongDigest) }
  }
}
