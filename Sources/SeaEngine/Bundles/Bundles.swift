import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Exports and imports bundles.
///
/// A bundle is a container in one file. It is unpacked in `.sea/tmp` and imported like any other container, in one
/// transaction with its assets: all of it, or nothing.
package final class Bundles {
  let exchange: Exchange

  var folder: SeaFolder { exchange.folder }
  var keychain: Keychain { exchange.keychain }
  var members: Roster { exchange.members }
  var author: Author { exchange.author }
  var assets: Assets { exchange.assets }
  var store: Store { exchange.store }

  package init(_ exchange: Exchange) { self.exchange = exchange }
}

// Asset files from bundles.

extension Bundles {
  /// Returns whether a record names the asset at a place and the filter selects the asset.
  ///
  /// If no record does, an unreadable block may name the asset, so the file is wanted.
  func wants(_ place: AssetPlace, _ filter: AssetFilter) throws -> Bool {
    guard !filter.isNone else { return false }
    let rows = try store.assets.assets(at: place).filter { assets.isPlausible($0) }
    if rows.isEmpty { return try self.folder.isSealed() && !store.blocks.blocks(.unread).isEmpty }
    return try rows.contains { row in
      try assets.matches(row, filter)
    }
  }

  /// Returns whether an asset file is here and its digest is recorded. Without that record, the file may be left from
  /// an interrupted import.
  func isNoted(_ place: AssetPlace) throws -> Bool {
    try assets.files.assetSize(place) != nil && store.assets.stored(place) != nil
  }

  /// Moves unpacked files to their places, in the current transaction.
  ///
  /// The files match the manifest. A file that is the whole content of an asset is also compared with the digest in the
  /// record.
  /// - Returns: the number of files and their bytes.
  func adopt(
    _ files: [BundleMember], _ filter: AssetFilter, from folder: String, named name: String
  ) throws -> (Int, Int64) {
    let sealed = try self.folder.isSealed()
    var taken: (Int, Int64) = (0, 0)
    for member in files {
      guard case .asset(let place) = member.path, try wants(place, filter) else { continue }
      let rows = try store.assets.assets(at: place)
      let fits = try rows.contains { row in
        guard assets.isPlausible(row), try assets.fileSize(of: place, in: row) == member.size else { return false }
        return sealed || row.extent.count > 1 || row.digest == member.sha256
      }
      guard fits || rows.isEmpty else {
        throw TransferError.badAsset(name: name, place: place.description)
      }
      if try !isNoted(place) { try assets.files.remove(place) }
      let path = Path.join(folder, place.path)
      try assets.files.take(Path.name(path), in: Directory(Path.parent(path)), as: place)
      try store.assets.setStored(place, size: member.size, member.sha256)
      taken = (taken.0 + 1, taken.1 + member.size)
    }
    return taken
  }
}
