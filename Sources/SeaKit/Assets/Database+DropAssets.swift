import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// What became of an asset that was to be dropped.
package struct AssetDrop: Sendable {
  package var asset: AssetRow
  /// Bytes of its files here.
  package var bytes: Int64
  /// The containers whose copy was read and found good.
  package var copies: [String]
  /// Whether it was dropped, or would have been.
  package var isDropped: Bool
}

extension Database {
  /// Takes away the files of assets that are here, those only of which as many other containers as asked for hold a copy
  /// that was read now, whole, and found to be what the records say.
  ///
  /// The copies are read first and without the writer lock. What several contents share stays as long as one of them
  /// has too few copies.
  /// - Parameters:
  ///   - least: how many copies elsewhere are enough, at least 1.
  ///   - dryRun: reads the copies, and takes nothing away.
  ///   - copies: where they may be.
  ///   - problem: told of copies that are not good.
  ///   - done: told of each asset of which something is here, once it is dropped or stays.
  package func dropAssets(
    _ selection: AssetSelection, least: Int, in copies: AssetCopies, dryRun: Bool,
    problem: (Problem) throws -> Void, done: (AssetDrop) throws -> Void
  ) throws {
    precondition(least > 0)
    var here: [AssetRow] = []
    var total: Int64 = 0
    try forEachAsset(selection) { asset in
      let bytes = try bytesHere(asset)
      if try bytes > 0 || isEmptyAndHere(asset) { here.append(asset) }
      total += bytes
    }
    var work = Work(.checking, "", done: 0, of: total * Int64(least))
    var position: Int64 = 0
    var ready: [AssetDrop] = []
    var readyBytes: Int64 = 0
    func settle() throws {
      defer { (ready, readyBytes) = ([], 0) }
      if !dryRun { try remove(ready.filter(\.isDropped).map(\.asset)) }
      for one in ready { try done(one) }
    }
    for asset in here {
      let bytes = try bytesHere(asset)
      work.done = position
      position += bytes * Int64(least)
      let good = try goodCopies(of: asset, least, in: copies, &work, problem)
      var drop = AssetDrop(asset: asset, bytes: bytes, copies: good, isDropped: good.count >= least)
      if drop.isDropped {
        drop.isDropped = try !isNeeded(byOthersThan: asset, least, in: copies, &work)
      } else if try isFalseClaim(asset) {
        continue
      }
      ready.append(drop)
      readyBytes += bytes
      if ready.count >= 100 || readyBytes >= 1 << 28 { try settle() }
    }
    try settle()
  }

  /// Bytes of the files of an asset that are here.
  func bytesHere(_ asset: AssetRow) throws -> Int64 {
    guard isPlausible(asset) else { return 0 }
    return try asset.run.places.reduce(0) { try $0 + (assetFolder.assetSize($1) ?? 0) }
  }

  private func isEmptyAndHere(_ asset: AssetRow) throws -> Bool {
    try asset.size == 0 && isPlausible(asset)
      && assetFolder.assetSize(AssetPlace(instance: asset.run.instance, index: asset.run.first)) != nil
  }

  /// The names of containers with a good copy, no more than are needed.
  func goodCopies(
    of asset: AssetRow, _ least: Int, in copies: AssetCopies, _ work: inout Work,
    _ problem: (Problem) throws -> Void = { _ in }
  ) throws -> [String] {
    var good: [String] = []
    for origin in copies.origins where good.count < least {
      work.what = origin.name
      do {
        // Of several places with the same content each will do.
        for other in try [asset]
          + store.assets.assets(size: asset.size, digest: asset.digest).filter({ $0.run != asset.run })
        {
          guard try isWhole(other, in: origin.source) else { continue }
          let state = try verifyStored(other, in: origin.source) { count in
            work.done += Int64(count)
            settings.report?(work)
          }
          if state == .good {
            good.append(origin.name)
            break
          }
          if state.isDamage { try problem(Problem(state, other, place: origin.name)) }
        }
      } catch let error as ContainerError {
        // As good as none.
        guard case .system(let reason) = error else { throw error }
        try problem(Problem(.badAsset, asset, place: origin.name, detail: reason.reason))
      }
    }
    return good
  }

  /// Whether a file of the asset is also one of other content that is here and that has too few copies. Records can
  /// claim what they like: what is not here as they say is nobody's loss.
  private func isNeeded(
    byOthersThan asset: AssetRow, _ least: Int, in copies: AssetCopies, _ work: inout Work
  ) throws -> Bool {
    var checked: Set<Int64> = [asset.key]
    for place in asset.run.places {
      for other in try store.assets.assets(at: place)
      where (other.digest != asset.digest || other.run != asset.run) && checked.insert(other.key).inserted {
        guard try isWhole(other, in: assetFolder), try verifyStored(other, in: assetFolder) == .good else { continue }
        if try goodCopies(of: other, least, in: copies, &work).count < least { return true }
      }
    }
    return false
  }

  /// Whether the files are those of another asset, and this one is only said to be there.
  private func isFalseClaim(_ asset: AssetRow) throws -> Bool {
    let rivals = try asset.run.places.contains { try store.assets.assets(at: $0).count > 1 }
    return try rivals && verifyStored(asset, in: assetFolder).isDamage
  }

  /// Takes files away for good. What was noted of them goes first: a file of which nothing is noted is harmless.
  private func remove(_ assets: [AssetRow]) throws {
    guard !assets.isEmpty else { return }
    try store.takeLock()
    defer { store.unlock() }
    try store.write {
      for asset in assets { for place in asset.run.places { try store.assets.forgetStored(place) } }
    }
    for asset in assets { for place in asset.run.places { try assetFolder.remove(place) } }
  }
}
