import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Looking whether what lies here, in a container or in a bundle is whole: blocks, signatures, the projection, assets.
///
/// It reads the things themselves and changes nothing. A container and a bundle need no database and no key; of one's own
/// database more is known of them.
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

  /// Whether a container is of this database.
  package func isOwn(_ container: Container) throws -> Bool { try container.info().database == folder.databaseID }
}

extension Verification {
  /// Every branch of a container from its first block on.
  /// - Parameters:
  ///   - readsPayloads: also holds every payload, change and revision against the format.
  ///   - keys: what opens sealed blocks, if they are to be opened.
  ///   - own: knows whose chains they are, if they are its own.
  ///   - progress: told of each block.
  ///   - checkStop: asked now and then whether it is to stop.
  /// - Returns: how many removed blocks nobody can judge for want of a key.
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
    // Whether a removed block was ordered others say.
    if survey.hasRemoved, only != nil {
      for instance in Set(all.map(\.instance)).subtracting(instances).sorted() {
        _ = try walk.verify(instance, nil)
      }
    }
    let isWhole = readsPayloads && only == nil
    var unknown = 0
    let found = try survey.problems(name, isWhole: isWhole, only: only, unknown: &unknown) { branch, index in
      var block: DepthSurvey.Block?
      try walk.read(branch, index) { block = DepthSurvey.Block($0, of: branch.instance, keys: keys) }
      return block
    }
    let holes = Holes(found) { walk.base(of: $0) }
    var rest = found.filter { !holes.tells(of: $0) }
    if isWhole {
      rest += try survey.unvouched(name, keys) {
        try Unlock.slots(in: container) + (own?.store.control.slots() ?? [])
      }
    }
    try tell(reports, holes, rest, at: name, report, problem)
    for one in rest { try problem(one) }
    guard only == nil else { return unknown }
    let foreign = try container.foreignFiles()
    for name in foreign.unknown { try problem(Problem(.foreignFile, place: place.name, detail: name)) }
    for one in try badSlots(of: container, info.database, named: place.name) { try problem(one) }
    return unknown
  }

  /// - Parameter found: what all of them together say is wrong.
  private static func tell(
    _ reports: [ChainReport], _ holes: Holes, _ found: [Problem], at place: String,
    _ report: (ChainReport) throws -> Void, _ problem: (Problem) throws -> Void
  ) throws {
    let byBranch = Dictionary(grouping: found) { $0.branch }
    for var one in reports {
      try holes.end(&one)
      for other in byBranch[one.branch] ?? [] { one.note(other) }
      try report(one)
      if !one.branch.isTrunk { try problem(Problem(fork: one.branch, place: place)) }
    }
  }

  /// Our own store: every branch, every payload, and the projection against both.
  /// - Parameter tellsUnopened: whether what was not read for want of a key is told; else the reports say what has none now.
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
      let holes = Holes(found) { [self] id in
        guard let row = try store.branches.branch(id), row.first > 0, let base = try store.branches.base(of: row)
        else { return nil }
        return (base.branch, base.index)
      }
      let rest = found.filter { !holes.tells(of: $0) }
      let reports = try branches.compactMap { try verify($0, meter, problem) }
      try Verification.tell(reports, holes, rest, at: "", report, problem)
      for one in rest where only == nil || one.instance == only { try problem(one) }
      for one in try members.uncounted.unopened() where tellsUnopened && (only == nil || one.instance == only) {
        try problem(one)
      }
      for row in try keychain.firstHidden() where only == nil || row.instance == only {
        try problem(Problem(unvouched: row.branch, row.index, place: ""))
      }
      for id in try store.records.badDepths() { try problem(Problem(.badDepth, place: "", detail: id)) }
      guard projection else { return }
      folder.settings.report?(Work(.checking, "the projection", done: 0, unit: .items))
      do {
        guard try store.projection.isRight() else {
          return try problem(Problem(.projection, place: ""))
        }
      } catch StoreError.damaged(let what) {
        try problem(Problem(.projection, place: "", detail: what))
      }
    }
  }

  /// One branch of our own store; of a sibling what it left is verified already.
  private func verify(
    _ branch: BranchRow, _ meter: WorkMeter?, _ problem: (Problem) throws -> Void
  ) throws -> ChainReport? {
    let ring = try keychain.ringAtHand()
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
      readsPayloads: true, keys: ring, judgesRemovals: true)
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
