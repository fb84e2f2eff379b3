import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Verifies the database, a container or a bundle: blocks, signatures, the local index and assets.
///
/// Verification reads the stored data itself and changes nothing. Containers and bundles can be verified without a
/// database or a key, but this instance's database makes more checks possible.
package final class Verification {
  let exchange: Exchange

  var containers: Containers { exchange.containers }
  var assets: Assets { exchange.assets }
  var records: Records { exchange.assets.records }
  var members: Roster { exchange.members }
  var keychain: Keychain { exchange.keychain }
  var folder: SeaFolder { exchange.folder }
  var store: Store { exchange.store }

  package init(_ exchange: Exchange) { self.exchange = exchange }

  package func isOwn(_ container: Container) throws -> Bool { try container.info().database == folder.databaseID }
}

extension Verification {
  /// Verifies every branch of a container from its first block.
  /// - Parameters:
  ///   - readsPayloads: whether to also check payloads, changes and revisions against the format.
  ///   - keys: the keys to decrypt blocks with; nil to leave them encrypted.
  /// - Returns: the number of purged blocks that cannot be judged because a key is missing.
  @discardableResult
  package static func container(
    _ container: Container, named name: String, readsPayloads: Bool, keys: KeyRing? = nil, own: SeaFolder? = nil,
    only: UUID? = nil, progress: WorkReport? = nil, checkStop: @escaping () throws -> Void = {},
    _ report: (ChainReport) throws -> Void, _ problem: (Problem) throws -> Void
  ) throws -> Int {
    let info = try container.info()
    let place = ContainerPlace(container, named: name)
    let own = own.flatMap { $0.databaseID == info.database ? $0 : nil }
    let survey = MemberSurvey(info.proof, looksAtDepths: readsPayloads && only == nil)
    let all = try place.chains().chains
    let branches = all.filter { only == nil || $0.instance == only }
    let meter = try WorkMeter(
      progress, .verifying, name,
      items: { try place.branches().filter { only == nil || $0.branch.instance == only }.blocks })
    var walk = ContainerWalk(place, survey, own, info.database, checkStop) { verifier, branch, name in
      ChainVerification(
        verifier, branch, place: place.name, name: name, readsPayloads: readsPayloads, keys: keys, survey: survey,
        isSealed: info.sealed)
    }
    var instances: [UUID] = []
    var reports: [ChainReport] = []
    for branch in branches where instances.last != branch.instance { instances.append(branch.instance) }
    for instance in instances {
      reports += try walk.verify(instance, meter)
    }
    // The purge order for a purged block may be in another chain.
    if survey.hasRemoved, only != nil {
      for instance in Set(all.map(\.instance)).subtracting(instances).sorted() {
        _ = try walk.verify(instance, nil)
      }
    }
    let isWhole = readsPayloads && only == nil
    var unknown = 0
    var found = try survey.problems(name, isWhole: isWhole, only: only, unknown: &unknown) { branch, index in
      var block: DepthSurvey.Block?
      try walk.read(branch, index) { block = DepthSurvey.Block($0, of: branch.instance, keys: keys) }
      return block
    }
    if isWhole {
      found += try survey.unvouched(name, keys) {
        try Unlock.slots(in: container) + (own?.store.control.slots() ?? [])
      }
    }
    try reportChains(reports, found, at: name, report, problem)
    guard only == nil else { return unknown }
    let foreign = try container.foreignFiles()
    for name in foreign.unknown { try problem(Problem(.foreignFile, place: place.name, detail: name)) }
    for one in try badSlots(of: container, info.database, named: place.name) { try problem(one) }
    return unknown
  }

  /// - Parameter found: problems that can be found only by comparing all branches.
  private static func reportChains(
    _ reports: [ChainReport], _ found: [Problem], at place: String,
    _ report: (ChainReport) throws -> Void, _ problem: (Problem) throws -> Void
  ) throws {
    let byBranch = Dictionary(grouping: found) { $0.branch }
    for var one in reports {
      for other in byBranch[one.branch] ?? [] { one.recordOther(other) }
      try report(one)
      if !one.branch.isMainBranch { try problem(Problem(fork: one.branch, place: place)) }
    }
    for one in found { try problem(one) }
  }

  /// Verifies this instance's store: every branch, every payload, and the local index against both.
  /// - Parameter tellsUnopened: whether to report blocks whose keys are not available as problems. If false, only the
  ///   chain reports count them.
  package func verifyStore(
    _ report: (ChainReport) throws -> Void, _ problem: (Problem) throws -> Void, only: UUID? = nil,
    projection: Bool = true, tellsUnopened: Bool = true
  ) throws {
    try store.snapshot {
      let branches = try store.branches.branches(of: only)
      let meter = WorkMeter(folder.settings.report, .verifying, "", items: { branches.map(\.run).blocks })
      var found = try members.badRemovals()
      for one in try store.branches.wrongClocks() {
        var clock = Problem(.badLamport, place: "", branch: one.branch, index: one.index)
        clock.isSigned = true
        found.append(clock)
      }
      let reports = try branches.compactMap { try verify($0, meter, problem) }
      found.removeAll { only != nil && $0.instance != only }
      try Verification.reportChains(reports, found, at: "", report, problem)
      for one in try members.uncounted.unopened() where tellsUnopened && (only == nil || one.instance == only) {
        try problem(one)
      }
      for one in try keychain.unvouched() where only == nil || one.branch?.instance == only { try problem(one) }
      for id in try store.records.badDepths() { try problem(Problem(.badDepth, place: "", detail: id)) }
      guard projection else { return }
      folder.settings.report?(Work(.checking, "the local index", done: 0, unit: .items))
      do {
        guard try store.projection.isRight() else {
          return try problem(Problem(.projection, place: ""))
        }
      } catch StoreError.damaged(let what) {
        try problem(Problem(.projection, place: "", detail: what))
      }
    }
  }

  /// Verifies one branch of this instance's store. Blocks before a fork are verified along with the branch that was
  /// forked.
  private func verify(
    _ branch: BranchRow, _ meter: WorkMeter?, _ problem: (Problem) throws -> Void
  ) throws -> ChainReport? {
    let ring = try keychain.availableKeyRing()
    guard let chain = try store.branches.chain(branch.instance) else { return nil }
    var verifier = ChainVerifier(database: folder.databaseID, instance: branch.instance, knownKey: chain.publicKey)
    if branch.first > 0 {
      guard let before = try store.branches.base(of: branch) else {
        try problem(Problem(.gap, place: "", branch: branch.id, index: branch.first - 1))
        return nil
      }
      verifier = try folder.verifier(behind: before, key: chain.publicKey)
    }
    var run = ChainVerification(
      verifier, branch.id, place: "", name: chain.name,
      readsPayloads: true, keys: ring)
    run.meter = meter
    var next = branch.first
    var end: ReadEnd?
    do {
      try store.blocks.forEachBlock(of: branch.id, from: branch.first) { row, bytes in
        try folder.settings.checkStop()
        next = row.index + 1
        let clear = ring == nil ? nil : try store.content.clearBytes(of: row)
        return bytes.withUnsafeBytes { run.add(row.index, $0, clear: clear) }
      }
    } catch StoreError.damaged {
      end = .damaged(index: next, .badData)
    }
    if end == nil, next <= branch.head.index { end = .gap(index: next, later: branch.head.index) }
    return run.finish(end ?? .end(next: next))
  }
}

extension Verification {
  /// Returns the keys for a container: those of its database, or those that a password opens in the container's key
  /// slots.
  /// - Returns: nil if nothing in the container indicates encryption.
  /// - Throws: `noKey` if no keys are available, `badPassword`.
  package static func keys(
    of container: Container, named place: String, by keychain: Keychain?, password: (PasswordUse) throws -> [UInt8]?
  ) throws -> KeyRing? {
    let info = try container.info()
    if let keychain, keychain.database == info.database, try keychain.folder.isSealed() {
      let ring = try keychain.ring()
      _ = try keychain.openGiven { try Unlock.slots(in: container) }
      return ring
    }
    let (slots, more) = try Unlock.found(in: container)
    guard let proof = info.proof, proof.isSealed else { return nil }
    return try Unlock.ring(password, slots, of: proof, place: place, more: more)
  }

  private static let mostReported = 20

  /// Returns problems for files among the key slots whose content does not match their name or is not a key slot. For
  /// each code, lists the first files and counts the others.
  static func badSlots(of container: Container, _ database: UUID, named place: String) throws -> [Problem] {
    var found: [Problem.Code: [String]] = [:]
    for name in try container.names(in: .keys).prefix(Unlock.mostSlots) {
      let code: Problem.Code?
      if let bytes = try container.bounded(name, in: .keys), SHA256.hash(bytes).description == name {
        do throws(CoreError) {
          code = try Slot(bytes).belongs(to: database) ? nil : .foreignFile
        } catch {
          if case .badSlot(.badRounds) = error { code = .badRounds } else { code = .badSlot }
        }
      } else {
        code = .foreignFile
      }
      if let code { found[code, default: []].append("\(SmallFolder.keys.rawValue)/\(name)") }
    }
    return [Problem.Code.foreignFile, .badSlot, .badRounds].flatMap { code in
      let names = found[code] ?? []
      let more =
        names.count > mostReported ? ["\(names.count - mostReported) more in \(SmallFolder.keys.rawValue)"] : []
      return (names.prefix(mostReported) + more).map { Problem(code, place: place, detail: $0) }
    }
  }
}

package struct BundleReport: Sendable {
  package var place: String
  package var manifest: BundleManifest
  /// The SHA-256 digest of the manifest, which identifies the bundle.
  package var digest: Digest
  package var chains: [ChainReport]
  package var assets = 0
  package var assetBytes: Int64 = 0
  package var removals: [Problem] = []
  package var unvouched: [Problem] = []
  package var checked: (report: AssetReport, problems: [Problem])?
  package var unknownRemovals = 0
}

extension Verification {
  /// Verifies a complete bundle, even without a database or key: every file against the manifest, and every chain.
  /// - Parameters:
  ///   - temporary: a folder for temporary storage of a large manifest.
  ///   - keys: the keys to decrypt blocks with; nil to leave them encrypted.
  ///   - own: this instance's database, which can confirm more if the bundle belongs to it.
  ///   - vouched: the confirmed keys of this instance's database.
  ///   - readsAssets: whether to check assets against the blocks.
  ///   - assetKeys: the keys to decrypt assets with if `keys` is nil.
  /// - Throws: `TransferError.bundle`.
  package static func bundle(
    _ source: BundleSource, named place: String, temporary: String, readsPayloads: Bool, keys: KeyRing? = nil,
    names: [UUID: String] = [:], own: SeaFolder? = nil, vouched: KeyRing? = nil, readsAssets: Bool = false,
    assetKeys: KeyRing? = nil, report: WorkReport? = nil, checkStop: @escaping () throws -> Void = {}
  ) throws -> BundleReport {
    try BundleFault.named(place) {
      let reader = try BundleReader(source, temporary: temporary)
      let manifest = try reader.manifest()
      let check = try readsAssets ? BundleAssetCheck(reader, named: place, keys: keys ?? assetKeys) : nil
      let survey = BundleSurvey(
        manifest, place: place, readsPayloads: readsPayloads, keys: keys, names: names, check: check,
        work: WorkMeter(report, .verifying, place, of: manifest.bytes), checkStop: checkStop)
      let digest = try reader.read(survey).1
      survey.finishAll()
      var result = BundleReport(
        place: place, manifest: manifest, digest: digest, chains: survey.reports, assets: survey.assets.count,
        assetBytes: survey.assets.bytes)
      result.checked = check?.finish()
      let store = own?.databaseID == manifest.database ? own?.store : nil
      result.removals = survey.removals(
        known: { ref in
          // If the store has the complete block, this does not show whether purging it is valid.
          guard let row = try? store?.blocks.block(ref) else { return false }
          return row.isRemoved && row.state != .unread
        }, unknown: &result.unknownRemovals)
      for at in result.chains.indices { result.removals.forEach { result.chains[at].recordOther($0) } }
      if readsPayloads {
        result.unvouched = try survey.unvouched(store == nil ? nil : vouched, store?.control.slots() ?? [])
      }
      return result
    }
  }
}

extension Verification {
  /// Returns the keys for a bundle: those of its database, or those that a password opens in the bundle's key slots.
  /// - Returns: nil if the bundle is not encrypted.
  /// - Throws: `noKey` if no keys are available, `badPassword`, `TransferError.bundle`.
  package static func keys(
    of source: BundleSource, named place: String, temporary: String, by keychain: Keychain?,
    password: (PasswordUse) throws -> [UInt8]?
  ) throws -> KeyRing? {
    let (manifest, slots) = try BundleFault.named(place) {
      (try BundleReader(source, temporary: temporary).manifest(), try SlotPeek.slots(of: source, temporary: temporary))
    }
    guard let proof = manifest.proof, proof.isSealed else { return nil }
    if let keychain, keychain.database == manifest.database { return try keychain.ring() }
    return try Unlock.ring(password, slots, of: proof, place: place)
  }
}

extension Verification {
  package enum Target {
    case container(Container, place: String)
    /// A chain, wherever it is found.
    case chain(UUID)
    case block(BlockRow)
  }

  /// Returns the object that a string names: an attached container, a container at a location, an instance, or a block.
  package static func target(
    _ text: String, at location: String, in verification: Verification?, _ helpers: Helpers
  ) throws -> Target {
    if let containers = verification?.containers, let setting = try? containers.setting(text) {
      return .container(try containers.open(setting), place: text)
    }
    let container = try Containers.at(location, helpers)
    let fault: ContainerError
    do throws(ContainerError) {
      _ = try container.info()
      return .container(container, place: text)
    } catch { fault = error }
    if let verification {
      if let chain = try? verification.members.instance(named: text) { return .chain(chain) }
      do {
        return .block(try verification.records.block(named: text))
      } catch KitError.blockNotFound(let name) {
        throw KitError.blockNotFound(name)
      } catch let error as KitError where error.isAboutNames {}
    } else if let id = UUID(text) {
      return .chain(id)
    }
    if case .notAContainer = fault { try Mirror.checkNameless(container) }
    throw fault
  }
}

extension Verification {
  /// Verifies one block of this instance's store: its link to the previous block, checksum, signature, and format.
  package func verifyBlock(_ row: BlockRow) throws -> Problem? {
    let (instance, index) = (row.instance, row.index)
    guard let chain = try store.branches.chain(instance) else { throw KitError.blockNotFound(row.ref.description) }
    var verifier = ChainVerifier(database: folder.databaseID, instance: instance, knownKey: chain.publicKey)
    if index > 0 {
      guard let before = try store.branches.ancestor(of: row, at: index - 1) else {
        return Problem(.gap, place: "", branch: row.branch, index: index - 1)
      }
      verifier = try folder.verifier(behind: before, key: chain.publicKey)
    }
    let bytes = try store.content.bytes(of: row)
    let ring = try keychain.availableKeyRing()
    do {
      _ = try bytes.withUnsafeBytes { try verifier.check($0, keys: ring) }
      if verifier.checkSignature() != nil, try !isSignedLater(row, key: chain.publicKey) {
        throw CoreError.badBlock(.badSignature)
      }
      _ = try bytes.withUnsafeBytes { try BlockReader.open($0, of: instance, keys: ring) }
    } catch let error as CoreError {
      return Problem(Problem.Code(error), place: "", branch: row.branch, index: index)
    }
    return nil
  }

  /// Whether a later block of the branch is signed. Because blocks contain hashes of previous blocks, such a signature
  /// also covers this block.
  private func isSignedLater(_ row: BlockRow, key: [UInt8]) throws -> Bool {
    var before = row
    var isSigned = false
    try store.blocks.forEachBlock(of: row.branch, from: row.index + 1) { row, bytes in
      var verifier = try folder.verifier(behind: before, key: key)
      guard (try? bytes.withUnsafeBytes { try verifier.check($0) }) != nil else { return false }
      isSigned = verifier.checkSignature() == nil
      before = row
      return !isSigned
    }
    return isSigned
  }

  /// Returns problems for content that was in the container when this database last used it but is now missing.
  /// Compares only names and sizes.
  /// - Parameter besides: branches for which a problem has already been reported.
  package func gone(from container: Container, _ name: String, besides: Set<BranchID>) throws -> [Problem] {
    let settings = try containers.settings()
    let setting = settings.first { $0.name == name } ?? settings.first { $0.location == container.location }
    guard let setting, try isOwn(container) else { return [] }
    return try exchange.probe(at: setting, container).lostFileProblems(from: name, besides: besides)
  }

  /// Returns a location that has an intact copy of the block in question: `.sea` for this instance's store, or the name
  /// of an attached container.
  package func goodCopy(of problem: Problem) throws -> String? {
    if problem.isAsset { return try goodAsset(for: problem) }
    guard problem.code != .fork, !problem.isSigned, let branch = problem.branch, let index = problem.index,
      let row = try store.blocks.block(branch, index)
    else { return nil }
    if !problem.place.isEmpty, (try? store.content.intactBytes(of: row)) != nil, !row.isRemoved {
      return Location.folderName
    }
    for setting in try containers.settings() where setting.name != problem.place {
      guard let container = try? containers.open(setting) else { continue }
      var isWhole = false
      // A purged block has the same hash but is not a copy.
      _ = try? container.readBlocks(of: branch, from: index) { _, bytes in
        isWhole = try BlockHeader(bytes).isWhole(bytes, row.digest)
        return false
      }
      if isWhole { return setting.name }
    }
    return nil
  }
}

package struct AssetReport: Sendable {
  package var place: String
  package var good = 0
  package var bytes: Int64 = 0
  /// The number of assets that exist but cannot be decrypted with any available key.
  package var unopened = 0
  /// The number of files that no known record describes.
  package var unnamed = 0
  package var problems = 0
}

extension Verification {
  /// Checks the content of all assets, on this device or in a container, against the records. A missing asset is a
  /// problem only if it was stored on this device and was not dropped.
  /// - Parameter name: the name of the container; empty for this device.
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
      // A claim can name a huge number of files, so stop at the first one that is missing.
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
        // Records can claim anything, so a file is damaged only if it does not match any claim.
        if try isAnotherOne(than: asset, in: source) { return }
        report.problems += 1
        try problem(Problem(state, asset, place: name))
      } else if state == .noKey {
        report.unopened += 1
      }
    }
    return report
  }

  private func lostFile(of asset: AssetRow) throws -> AssetPlace? {
    try store.assets.stored(in: asset.extent).first { try assets.files.assetSize($0) == nil }
  }

  private func isAnotherOne(than asset: AssetRow, in source: AssetSource) throws -> Bool {
    for place in asset.extent.places {
      for other in try store.assets.assets(at: place) where other.key != asset.key {
        if try assets.verify(other, in: source) == .good { return true }
      }
    }
    return false
  }

  /// Returns a location that has an intact copy of the asset in question. Reads the copy to verify it.
  func goodAsset(for problem: Problem) throws -> String? {
    guard let instance = problem.instance, let index = problem.index else { return nil }
    for asset in try store.assets.assets(at: AssetPlace(instance: instance, index: index)) {
      if !problem.place.isEmpty, let here = try assets.here(asset), try assets.verify(here, in: assets.files) == .good {
        return Location.folderName
      }
      for origin in try exchange.assetCopies().origins where origin.name != problem.place {
        guard let copy = try? assets.find(asset, in: origin.source) else { continue }
        if (try? assets.verify(copy, in: origin.source)) == .good { return origin.name }
      }
    }
    return nil
  }
}

extension Verification {
  /// Checks every asset in a container against the container's verified blocks. No database is needed.
  ///
  /// In the report, `unopened` counts files that may belong to blocks that no available key decrypts, and `unnamed`
  /// counts files that no block references.
  /// - Parameters:
  ///   - chains: the reports of the container's branches.
  ///   - keys: the keys to decrypt blocks and assets with.
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
