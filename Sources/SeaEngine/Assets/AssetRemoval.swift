import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

package struct AssetDrop: Sendable {
  package var asset: AssetRow
  package var bytes: Int64
  /// The containers whose copies were read and found to be valid.
  package var copies: [String]
  /// Whether the asset was dropped or, in a dry run, would have been dropped.
  package var isDropped: Bool
}

/// Drops asset files that have enough valid copies elsewhere.
package struct AssetRemoval {
  private let assets: Assets
  private let origins: [AssetOrigin]
  private let least: Int
  private let dryRun: Bool
  private let problem: (Problem) throws -> Void
  private var work = Work(.checking, "", done: 0)
  private var store: Store { assets.store }

  /// - Parameters:
  ///   - least: the required number of copies elsewhere, at least 1.
  ///   - dryRun: whether to read the copies without dropping anything.
  package init(
    _ assets: Assets, _ origins: [AssetOrigin], least: Int, dryRun: Bool,
    problem: @escaping (Problem) throws -> Void = { _ in }
  ) {
    precondition(least > 0)
    self.assets = assets
    self.origins = origins
    self.least = least
    self.dryRun = dryRun
    self.problem = problem
  }

  // MARK: - Referenced assets

  /// Drops the local files of assets if enough containers have complete copies that match the records.
  ///
  /// Copies are read without holding the writer lock. A file that several assets share is kept as long as any of these
  /// assets has too few copies.
  /// - Parameter done: called for each asset with local files, after it was decided whether to drop them.
  package mutating func drop(_ selection: AssetSelection, done: (AssetDrop) throws -> Void) throws {
    var here: [AssetRow] = []
    var total: Int64 = 0
    try assets.forEach(selection) { asset in
      guard let bytes = try bytesHere(asset), bytes > 0 || asset.size == 0 else { return }
      here.append(asset)
      total += bytes
    }
    work.total = total * Int64(least)
    var position: Int64 = 0
    var ready: [AssetDrop] = []
    func flush() throws {
      defer { ready = [] }
      let places = ready.filter(\.isDropped).flatMap { $0.asset.extent.places }
      if !dryRun, !places.isEmpty { try store.locked { try assets.remove(places) } }
      for one in ready { try done(one) }
    }
    for asset in here {
      let bytes = try bytesHere(asset) ?? 0
      work.done = position
      position += bytes * Int64(least)
      let good = try goodCopies(of: asset, problem)
      var drop = AssetDrop(asset: asset, bytes: bytes, copies: good, isDropped: good.count >= least)
      if drop.isDropped {
        drop.isDropped = try !isNeeded(byOthersThan: asset)
      } else if try isFalseClaim(asset) {
        continue
      }
      ready.append(drop)
      if ready.count >= 100 || ready.reduce(0, { $0 + $1.bytes }) >= 1 << 28 { try flush() }
    }
    try flush()
  }

  private func bytesHere(_ asset: AssetRow) throws -> Int64? {
    guard assets.isPlausible(asset) else { return nil }
    let sizes = try assets.files(of: asset).compactMap { try assets.files.assetSize($0) }
    return sizes.isEmpty ? nil : sizes.reduce(0, +)
  }

  private mutating func goodCopies(
    of asset: AssetRow, _ problem: (Problem) throws -> Void = { _ in }
  ) throws -> [String] {
    var good: [String] = []
    var met = Set(try asset.extent.places.compactMap { try assets.files.assetIdentity($0) })
    for origin in origins where good.count < least {
      work.what = origin.name
      do {
        for other in try [asset] + assets.twins(of: asset) where try assets.isWhole(other, in: origin.source) {
          var work = work
          defer { self.work = work }
          let state = try assets.verify(other, in: origin.source) { count in
            work.done += Int64(count)
            assets.folder.settings.report?(work)
          }
          if state == .good {
            let files = try other.extent.places.compactMap { try origin.source.assetIdentity($0) }
            guard met.isDisjoint(with: files) else { continue }
            met.formUnion(files)
            good.append(origin.name)
            break
          }
          if state.isDamage { try problem(Problem(state, other, place: origin.name)) }
        }
      } catch ContainerError.system(let reason) {
        try problem(Problem(.badAsset, asset, place: origin.name, detail: reason.reason))
      }
    }
    return good
  }

  private mutating func isNeeded(byOthersThan asset: AssetRow) throws -> Bool {
    var checked: Set<Int64> = [asset.key]
    for place in asset.extent.places {
      for other in try store.assets.assets(at: place)
      where (other.digest != asset.digest || other.extent != asset.extent) && checked.insert(other.key).inserted {
        guard try assets.isWhole(other, in: assets.files), try assets.verify(other, in: assets.files) == .good else {
          continue
        }
        if try goodCopies(of: other).count < least { return true }
      }
    }
    return false
  }

  private func isFalseClaim(_ asset: AssetRow) throws -> Bool {
    let rivals = try asset.extent.places.contains { try store.assets.assets(at: $0).count > 1 }
    return try rivals && assets.verify(asset, in: assets.files).isDamage
  }
}

// MARK: - Garbage collection

package struct GCResult: Sendable {
  package struct Sum: Sendable {
    package var files = 0
    package var bytes: Int64 = 0

    mutating func add(_ size: Int64) {
      files += 1
      bytes += size
    }
  }

  package var temporary = Sum()
  package var assets = Sum()
  /// Unreferenced asset files that were kept, because too few valid copies exist.
  package var kept = Sum()
  /// The number of bytes that were freed in the store.
  package var store: Int64 = 0

  package var bytes: Int64 { temporary.bytes + assets.bytes + store }
}
