import SeaContainer
import SeaCore
import SeaStore

/// The assets that purged blocks reference at locations of the block's author. `judge` selects the assets to remove
/// from a source.
///
/// A file is removed only if its content is exactly the purged content and no revision references the file anymore.
struct PurgedAssets {
  private let assets: Assets
  private let all: [AssetRow]
  private let names: AssetNames

  init(_ assets: Assets) throws {
    self.assets = assets
    all = try assets.store.purged.assets().filter(assets.isPlausible)
    names = AssetNames(assets)
  }

  /// Returns the assets whose first content file is in a listing of the source, with the size of that file.
  private func present(in source: AssetSource) throws -> [(asset: AssetRow, size: Int64)] {
    let byLeaf = Dictionary(grouping: all) { asset in
      LeafOfAssets(instance: asset.extent.instance, leaf: Layout.Leaf(containing: asset.firstContent.index))
    }
    var present: [(asset: AssetRow, size: Int64)] = []
    for (key, some) in byLeaf {
      let sizes = try source.assetSizes(of: key.instance, in: key.leaf)
      if sizes.isEmpty { continue }
      for asset in some { if let size = sizes[asset.firstContent.index] { present.append((asset, size)) } }
    }
    return present.sorted {
      ($0.asset.extent.instance, $0.asset.extent.first) < ($1.asset.extent.instance, $1.asset.extent.first)
    }
  }

  private struct LeafOfAssets: Hashable {
    var instance: UUID
    var leaf: Layout.Leaf
  }

  /// - Parameter isOther: returns whether a file definitely has other content. Also called for each file found to have
  ///   other content.
  /// - Returns: the assets to remove, and assets that are kept although no block in this store references them.
  func judge(
    in source: AssetSource, mayName: Bool = false, isOther: (AssetRow, _ found: Bool) throws -> Bool = { $1 }
  ) throws -> (due: [AssetRow], left: [PurgeRemainder]) {
    var (due, left): ([AssetRow], [PurgeRemainder]) = ([], [])
    func leave(_ asset: AssetRow, _ reason: String) {
      let one = PurgeRemainder(asset, reason)
      if left.last != one { left.append(one) }
    }
    for (asset, size) in try present(in: source) where try !names.has(asset) {
      let first = asset.firstContent
      // Several purged revisions may claim one location; one correct claim is enough.
      if due.last?.extent == asset.extent { continue }
      let isRight = try size == assets.fileSize(of: first, in: asset) && !isOther(asset, false)
      if try mayName || names.mayHaveMore() {
        leave(asset, "missing or unreadable blocks may refer to it")
        continue
      }
      switch try isRight ? state(of: asset, in: source) : .wrongSize(first) {
      case .good:
        due.append(asset)
        if left.last?.place == first.path { left.removeLast() }
      case .noKey: leave(asset, "it cannot be decrypted here")
      default:
        if isRight { _ = try isOther(asset, true) }
        leave(asset, "it does not match the purged content")
      }
    }
    return (due, left)
  }

  /// A single unencrypted file is only hashed, because there may be a huge number of such files.
  private func state(of asset: AssetRow, in source: AssetSource) throws -> AssetState {
    if try asset.extent.count > 1 || assets.folder.isSealed() {
      let state = try assets.verify(asset, in: source)
      return state.isRight ? .good : state
    }
    return try source.digest(of: asset.extent.start) == asset.digest ? .good : .wrongDigest
  }

  /// Returns the files of assets. The first content file of each asset is removed last, so that an interrupted removal is
  /// found again.
  static func files(of assets: [AssetRow]) -> (others: [AssetPlace], first: [AssetPlace]) {
    (assets.flatMap { asset in asset.extent.places.filter { $0 != asset.firstContent } }, assets.map(\.firstContent))
  }
}

/// Purged data that is still present, or another file at its location.
package struct PurgeRemainder: Equatable, Sendable {
  /// The name of a block, or the path of a file.
  package var place: String
  /// The reason why the data cannot be removed; empty if the next sync removes it.
  package var reason: String
}

extension PurgeRemainder {
  init(_ asset: AssetRow, _ reason: String = "") { self.init(place: asset.firstContent.path, reason: reason) }
}

private final class AssetNames {
  private let assets: Assets
  private var store: Store { assets.store }
  private var places: [UUID: [ClosedRange<UInt32>]] = [:]
  private var uncounted: (assets: [AssetRow], mayBeMore: Bool)?

  init(_ assets: Assets) { self.assets = assets }

  /// Whether any revision in this store references one of the asset's files, or the same content at another location,
  /// even one without files.
  func has(_ asset: AssetRow) throws -> Bool {
    let (instance, first, last) = (asset.extent.instance, asset.extent.first, asset.extent.last)
    let named = try places[instance] ?? store.assets.namedPlaces(of: instance)
    places[instance] = named
    var (low, high) = (0, named.count)
    while low < high {
      let middle = low + (high - low) / 2
      if named[middle].upperBound < first { low = middle + 1 } else { high = middle }
    }
    if low < named.count, named[low].lowerBound <= last { return true }
    if try !store.assets.assets(size: asset.size, digest: asset.digest).isEmpty { return true }
    return try readUncounted().assets.contains { other in
      other.size == asset.size && other.digest == asset.digest
        || other.extent.instance == instance && other.extent.first <= last && other.extent.last >= first
    }
  }

  /// Whether there are missing or unreadable blocks, which may reference any asset.
  func mayHaveMore() throws -> Bool { try readUncounted().mayBeMore }

  /// Reads blocks that are not applied, because they may become valid. Unreadable blocks of nonmembers are ignored.
  private func readUncounted() throws -> (assets: [AssetRow], mayBeMore: Bool) {
    if let uncounted { return uncounted }
    let membership = try assets.author.members.membership()
    func isMember(_ instance: UUID) -> Bool { membership.map { $0[instance] != nil } ?? true }
    var rows = try store.blocks.hiddenBlocks()
    for state in [BlockState.unread, .held, .heldBack, .badLamport] { rows += try store.blocks.blocks(state) }
    var found: (assets: [AssetRow], mayBeMore: Bool) = ([], false)
    for row in rows where row.unread != .badPayload && !(row.isRemoved && row.state != .unread) {
      if row.state != .unread, let clear = try store.content.clearBytes(of: row) {
        found.assets += AssetTable.assets(in: clear)
      } else {
        found.mayBeMore = found.mayBeMore || isMember(row.instance)
      }
    }
    // A branch with an undecided clock depends on a block that is missing here.
    for branch in try store.branches.branches()
    where branch.wrongFrom == nil && branch.lastProvenIndex < Int64(branch.head.index) && isMember(branch.instance) {
      let row = try store.blocks.block(branch.id, UInt32(branch.lastProvenIndex + 1))
      found.mayBeMore = found.mayBeMore || row?.state != .held
    }
    uncounted = found
    return found
  }
}
