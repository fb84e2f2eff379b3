import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Exports and imports bundles.
///
/// A bundle is a container in a single file. An import unpacks the bundle to `.sea/tmp` and then works like an import
/// from any other container. The whole import, including assets, is one transaction.
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

extension Bundles {
  /// Returns whether the filter selects an asset that belongs at this place according to a record. Without such a
  /// record, the file is wanted only if an unreadable block may reference it.
  func wants(_ place: AssetPlace, _ filter: AssetFilter) throws -> Bool {
    guard !filter.isNone else { return false }
    let rows = try store.assets.assets(at: place).filter { assets.isPlausible($0) }
    if rows.isEmpty { return try self.folder.isSealed() && !store.blocks.blocks(.unread).isEmpty }
    return try rows.contains { row in
      try assets.matches(row, filter)
    }
  }

  /// Returns whether an asset file is stored locally and its digest is recorded. Without a digest, the file may be left
  /// over from an interrupted import.
  func isNoted(_ place: AssetPlace) throws -> Bool {
    try assets.files.assetSize(place) != nil && store.assets.stored(place) != nil
  }

  /// Moves unpacked asset files into the assets folder, in the current transaction. Compares unencrypted content whose
  /// files are all unpacked with the digest in the record.
  /// - Returns: the number of files and their total size in bytes.
  func adopt(
    _ files: [BundleMember], _ filter: AssetFilter, from folder: String, named name: String
  ) throws -> (Int, Int64) {
    let sealed = try self.folder.isSealed()
    var adopted: (Int, Int64) = (0, 0)
    let unpacked = AssetFolder(folder)
    var known: [AssetRow: Bool] = [:]
    for member in files {
      guard case .asset(let place) = member.path, try wants(place, filter) else { continue }
      let rows = try store.assets.assets(at: place)
      let fits = try rows.contains { row in
        guard assets.isPlausible(row), try assets.fileSize(of: place, in: row) == member.size else { return false }
        if sealed { return true }
        return try row.extent.count == 1 ? row.digest == member.sha256 : isRight(row, in: unpacked, &known)
      }
      guard fits || rows.isEmpty else {
        throw TransferError.badAsset(name: name, place: place.description)
      }
      if try !isNoted(place) { try assets.files.remove(place) }
      let path = Path.join(folder, place.path)
      try assets.files.install(Path.name(path), in: Directory(Path.parent(path)), as: place)
      try store.assets.setStored(place, size: member.size, member.sha256)
      adopted = (adopted.0 + 1, adopted.1 + member.size)
    }
    return adopted
  }

  /// Returns false if all files with the content of an asset are unpacked, and the content is wrong.
  private func isRight(_ row: AssetRow, in unpacked: AssetFolder, _ known: inout [AssetRow: Bool]) throws -> Bool {
    if let known = known[row] { return known }
    let isRight =
      try !assets.isWhole(row, in: unpacked) || assets.readContent(of: row, from: unpacked) { _ in } == .good
    known[row] = isRight
    return isRight
  }
}
