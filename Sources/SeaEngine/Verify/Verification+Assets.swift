import SeaContainer
import SeaCore
import SeaStore

/// What was found about the assets of a place.
package struct AssetReport: Sendable {
  package var place: String
  /// Assets whose content is what the records say.
  package var good = 0
  /// Bytes that were read.
  package var bytes: Int64 = 0
  /// Assets that are there, and no key at hand opens them.
  package var unopened = 0
  /// Files of which no record that is known here says what they should be.
  package var unnamed = 0
  package var problems = 0
}

extension Verification {
  /// Reads every asset that is at a place, this device or a container of this database, and holds its content against
  /// what the records say. What is not there is no problem, unless it was here and nobody dropped it.
  /// - Parameter name: of the container; empty for this device.
  package func verifyAssets(
    in source: AssetSource, named name: String, _ problem: (Problem) throws -> Void
  ) throws -> AssetReport {
    var report = AssetReport(place: name)
    var work = Work(.verifying, name.isEmpty ? "assets" : name, done: 0, of: 0)
    var there: Int64 = 0
    try source.forEachAsset { place, size in
      there += size
      if try !store.assets.isNamed(place) {
        report.unnamed += 1
        there -= size
      }
    }
    work.total = there
    try assets.forEach { asset in
      guard assets.isPlausible(asset) else { return }
      // Anybody may claim as many files as there are numbers: one that is not there says enough.
      if try !asset.extent.places.allSatisfy({ try source.assetSize($0) != nil }) {
        guard name.isEmpty, let lost = try lostFile(of: asset) else { return }
        report.problems += 1
        return try problem(
          Problem(.missingAsset, place: "", instance: lost.instance, index: lost.index, detail: "gone"))
      }
      let state = try assets.verify(asset, in: source) { count in
        report.bytes += Int64(count)
        work.done += Int64(count)
        folder.settings.report?(work)
        try folder.settings.checkStop()
      }
      if state == .good {
        report.good += 1
      } else if state.isDamage {
        // Records can claim what they like: it is damaged only if nobody's claim holds.
        if try isAnotherOne(than: asset, in: source) { return }
        report.problems += 1
        try problem(Problem(state, asset, place: name))
      } else if state == .noKey {
        report.unopened += 1
      }
    }
    return report
  }

  /// A file of an asset that is noted as being here, and is not.
  private func lostFile(of asset: AssetRow) throws -> AssetPlace? {
    try store.assets.stored(in: asset.extent).first { try assets.files.assetSize($0) == nil }
  }

  /// Whether the files are what another record says they are.
  private func isAnotherOne(than asset: AssetRow, in source: AssetSource) throws -> Bool {
    for place in asset.extent.places {
      for other in try store.assets.assets(at: place) where other.key != asset.key {
        if try assets.verify(other, in: source) == .good { return true }
      }
    }
    return false
  }

  /// The container that has the content that a problem is about, read now and found good.
  func goodAsset(for problem: Problem) throws -> String? {
    guard let instance = problem.instance, let index = problem.index else { return nil }
    for asset in try store.assets.assets(at: AssetPlace(instance: instance, index: index)) {
      if !problem.place.isEmpty, let here = try assets.here(asset), try assets.verify(here, in: assets.files) == .good {
        return Location.folderName
      }
      for origin in try exchange.assetCopies().origins where origin.name != problem.place {
        guard let copy = try? assets.there(asset, in: origin.source) else { continue }
        if (try? assets.verify(copy, in: origin.source)) == .good { return origin.name }
      }
    }
    return nil
  }
}

extension Verification {
  /// Reads every asset of a container, and holds it against what the blocks that verify say there: no database is needed.
  ///
  /// In the report `unopened` and `unnamed` count files: those of which blocks may speak that no key at hand opens, and those of which
  /// none does.
  /// - Parameters:
  ///   - chains: what was found about the branches of the container.
  ///   - keys: what opens sealed blocks and assets.
  package static func readAssets(
    of container: Container, named name: String, _ chains: [ChainReport], keys: KeyRing? = nil,
    progress: WorkReport? = nil, checkStop: () throws -> Void = {}, _ problem: (Problem) throws -> Void
  ) throws -> AssetReport {
    let info = try container.info()
    var report = AssetReport(place: name)
    var work = Work(.verifying, name, done: 0, of: 0)
    var files: [AssetPlace: Int64] = [:]
    try container.forEachAsset { place, size in
      files[place] = size
      work.total! += size
    }
    func read(_ count: Int) throws {
      try checkStop()
      report.bytes += Int64(count)
      work.done += Int64(count)
      progress?(work)
    }
    var claims = AssetClaims(files)
    let place = ContainerPlace(container, named: name)
    for chain in chains where !files.isEmpty { try claims.add(chain, of: container, place, keys) }
    var good: Set<AssetPlace> = []
    var bad: [(asset: AssetRow, state: AssetState)] = []
    var ahead = AssetsAhead<(extent: AssetExtent, contents: Set<AssetClaims.Content>)>(from: [container])
    func verify(_ claim: (extent: AssetExtent, contents: Set<AssetClaims.Content>)) throws {
      let extent = claim.extent
      let (asset, state, _) = try claims.read(extent, claim.contents, of: container, info, keys, read)
      switch state {
      case .good:
        report.good += 1
        good.formUnion(extent.places)
      case .noKey: report.unopened += extent.count
      case let fault: bad.append((asset, fault))
      }
    }
    for claim in claims.there { try ahead.add(claim, claim.extent.places, verify) }
    try ahead.finish(verify)
    for (asset, state) in bad where !asset.extent.places.contains(where: good.contains) {
      report.problems += 1
      try problem(Problem(state, asset, place: name))
    }
    for place in Set(files.keys).subtracting(claims.named).sorted() {
      if claims.isLocked { report.unopened += 1 } else { report.unnamed += 1 }
      try container.readAsset(place, from: 0) { bytes in
        try read(bytes.count)
        return true
      }
    }
    return report
  }
}
