import SeaContainer
import SeaCore

/// Repairs asset files in a container using intact copies in another container. The verified blocks of both containers
/// describe the files, so no database is needed.
struct AssetRepair {
  private let target: Container
  private let source: Container
  private let keys: KeyRing?
  private let info: ContainerInfo
  private let progress: WorkReport?
  private let checkStop: () throws -> Void
  private var work: Work
  private var claims: AssetClaims
  private var others: AssetClaims?

  init(
    _ target: Container, from source: Container, keys: KeyRing?, progress: WorkReport?,
    checkStop: @escaping () throws -> Void
  ) throws {
    self.checkStop = checkStop
    (self.target, self.source, self.keys, self.progress) = (target, source, keys, progress)
    info = try source.info()
    work = Work(.verifying, target.location, done: 0)
    claims = try AssetRepair.claims(of: source, keys, checkStop)
  }

  private static func claims(
    of container: Container, _ keys: KeyRing?, _ checkStop: @escaping () throws -> Void
  ) throws -> AssetClaims {
    var files: [AssetPlace: Int64] = [:]
    try container.forEachAsset { files[$0] = $1 }
    var claims = AssetClaims(files)
    guard !files.isEmpty else { return claims }
    var chains: [ChainReport] = []
    try Verification.container(
      container, named: container.location, readsPayloads: false, keys: keys, checkStop: checkStop,
      { chains.append($0) }, { _ in })
    let place = ContainerPlace(container, named: container.location)
    for chain in chains { try claims.add(chain, of: container, place, keys) }
    return claims
  }

  mutating func run(only: Set<AssetPlace>?, dryRun: Bool, _ result: inout Mirror.Result) throws {
    for (extent, contents) in claims.there {
      if let only, !extent.places.contains(where: only.contains) { continue }
      // A file that is missing was unavailable, or has yet to be copied.
      guard try extent.places.allSatisfy({ try target.assetSize($0) != nil }) else { continue }
      let there = try ifReadable { try read(extent, contents, of: target) }
      if there?.state == .noKey { continue }
      let good = try read(extent, contents, of: source)
      if try there?.state == .good || isAnotherOne(extent) {
        forget(extent, in: target, &result)
        if good.state.isDamage { result.problems.append(Problem(good.state, good.asset, place: source.location)) }
        continue
      }
      guard good.state == .good else { continue }
      forget(extent, in: target, &result)
      for place in extent.places {
        guard let digest = good.files[place], digest != there?.files[place] else { continue }
        if !dryRun { try write(place, digest) }
        result.assets += 1
        result.recordMended(place.path, in: target)
      }
    }
  }

  /// Whether the target's files match a claim made by the target's blocks. Two copies of an instance may have used the
  /// same number for different assets.
  private mutating func isAnotherOne(_ extent: AssetExtent) throws -> Bool {
    let known = try others ?? AssetRepair.claims(of: target, keys, checkStop)
    others = known
    guard let contents = known.contents[extent] else { return false }
    return try ifReadable { try read(extent, contents, of: target).state == .good } ?? false
  }

  private mutating func read(
    _ extent: AssetExtent, _ contents: Set<AssetClaims.Content>, of container: Container
  ) throws -> (asset: AssetRow, state: AssetState, files: [AssetPlace: Digest]) {
    var work = work
    defer { self.work = work }
    return try claims.read(extent, contents, of: container, info, keys) { count in
      work.done += Int64(count)
      progress?(work)
      try checkStop()
    }
  }

  private func write(_ place: AssetPlace, _ digest: Digest) throws {
    guard let size = try source.assetSize(place) else { return }
    try target.quarantine(place)
    var hash = SHA256()
    try target.writeAsset(place, size: size) { offset, buffer in
      let count = try source.fill(buffer, from: place, at: offset)
      hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      if offset + Int64(count) == size, hash.digest() != digest { throw InvalidAssetContent() }
      return count
    }
  }

  /// Drops problems with the sizes of these files, because their content has now been checked.
  private func forget(_ extent: AssetExtent, in container: Container, _ result: inout Mirror.Result) {
    result.problems.removeAll { problem in
      problem.code == .badAsset && problem.place == container.location
        && extent.places.contains { $0.instance == problem.instance && $0.index == problem.index }
    }
  }
}

extension Verification {
  /// After a mirror, rewrites asset files in the target that have a different size or do not match the blocks, if the
  /// source has intact copies. Old files are quarantined. Problems that cannot be checked remain in the result.
  /// - Parameter readsAll: whether to read all files, or only files that differ in size.
  package static func repairAssets(
    of target: Container, from source: Container, keys: KeyRing?, readsAll: Bool, dryRun: Bool,
    progress: WorkReport? = nil, checkStop: @escaping () throws -> Void = {}, _ result: inout Mirror.Result
  ) throws {
    var only: Set<AssetPlace> = []
    for problem in result.problems where problem.code == .badAsset && problem.place == target.location {
      if let instance = problem.instance, let index = problem.index {
        only.insert(AssetPlace(instance: instance, index: index))
      }
    }
    guard readsAll && !(result.created && dryRun) || !only.isEmpty else { return }
    var repair = try AssetRepair(target, from: source, keys: keys, progress: progress, checkStop: checkStop)
    do { try repair.run(only: readsAll ? nil : only, dryRun: dryRun, &result) } catch is InvalidAssetContent {
      result.problems.append(Problem(.badAsset, place: source.location, detail: "sha256"))
    }
  }
}
