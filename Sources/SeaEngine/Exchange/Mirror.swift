import SeaContainer
import SeaCore
import SeaSystem

/// Making one container hold what another holds: no database, no key. Nothing is copied that does not verify.
package enum Mirror {
  /// The removed blocks that orders allow, and those of which nobody knows here.
  private typealias Removals = (sound: Set<SoundRemovals.Key>, unknown: Set<SoundRemovals.Key>)

  package struct Result: Sendable {
    package var blocks = 0
    package var chains = 0
    /// Small files: slots for keys, and requests to join.
    package var files = 0
    /// Files of assets.
    package var assets = 0
    package var created = false
    /// Blocks that were there once, or not as they should be.
    package var healed = 0
    /// Blocks that were purged in the source and were whole in the target.
    package var emptied = 0
    package var problems: [Problem] = []
    /// What was left for the next run, and why.
    package var limit: Allowance.Limit?
    package var left = Left()
    /// Small files and files of assets that were damaged in the target, and are not any more.
    package private(set) var mended: [Problem] = []

    mutating func noteMended(_ path: String, in target: Container) {
      mended.append(Problem(.mended, place: target.location, detail: path))
    }

    fileprivate var hasChanged: Bool { blocks + files + assets + emptied > 0 }

    mutating func add(_ copy: ChainCopy) {
      blocks += copy.copied + copy.healed
      healed += copy.healed
      chains += copy.copied + copy.healed > 0 ? 1 : 0
      problems += copy.problems
      left.push += copy.left
    }
  }

  /// - Parameters:
  ///   - keys: what opens the orders to purge of a sealed database, where that is at hand.
  ///   - own: the `.sea` that is at hand, if one is: the target does not lie in it.
  ///   - dryRun: counts, and writes nothing.
  ///   - allowance: how much may be moved.
  ///   - progress: told of each block that is looked at.
  ///   - checkStop: asked whether it is to stop, where nothing is half done.
  package static func copy(
    from source: Container, to target: Container, keys: KeyRing? = nil, own: String? = nil, dryRun: Bool,
    allowance: Allowance? = nil, progress: WorkReport? = nil, checkStop: () throws -> Void = {}
  ) throws -> Result {
    let info = try source.info()
    var result = Result()
    try checkPlace(of: target, own: own)
    result.created = try !check(target, info)
    if result.created, target is DirectoryContainer {
      try Location.checkFree(of: target.location)
      try Location.checkParent(of: target.location)
    }
    if result.created, !dryRun {
      try target.create(
        ContainerInfo(
          container: UUID.random(), database: info.database, contentType: info.contentType, proof: info.proof))
    }
    let mark = dryRun ? nil : try target.mark()
    // One that does not exist yet has nothing, and all is counted.
    let there = result.created && dryRun ? nil : target
    for folder in SmallFolder.allCases where !folder.isHint {
      try copyFiles(of: folder, from: source, to: there, dryRun: dryRun, &result)
    }
    let from = ContainerPlace(source, named: source.location)
    let to = ContainerPlace(there ?? MemoryContainer(), named: target.location)
    let listing = try from.chains()
    result.problems += listing.foreign.filter { !Layout.isLitter($0) }.map {
      Problem(.foreignFile, place: source.location, detail: $0)
    }
    let meter = try WorkMeter(
      progress, .handing, target.location, items: { try from.branches().reduce(0) { $0 + Int($1.last) + 1 } })
    var instances: [UUID] = []
    for branch in listing.chains where instances.last != branch.instance { instances.append(branch.instance) }
    // Worked out once, where a block was removed: orders may stand in any chain.
    var removals: Removals?
    for instance in instances {
      var good = try VerifiedBlocks(from, instance, of: info.database, meter, checkStop: checkStop)
      if good.problems.contains(where: { $0.code == .badRemoval }) {
        let found = try removals ?? self.removals(in: from, info, keys)
        removals = found
        if !found.sound.isEmpty {
          good = try VerifiedBlocks(from, instance, of: info.database, nil, sound: found.sound)
        }
      }
      result.problems += good.problems.map { problem in
        guard problem.code == .badRemoval, let branch = problem.branch, let index = problem.index,
          removals?.unknown.contains(where: { $0.instance == instance && $0.index == index }) == true
        else { return problem }
        return Problem(unreadRemoval: branch, index, place: problem.place)
      }
      var copy = ChainCopy(good, to, instance, dryRun: dryRun)
      copy.allowance = dryRun ? nil : allowance
      copy.isPaced = !source.isFar
      defer { result.add(copy) }
      try checkStop()
      try copy.run()
      result.emptied += try empty(good, instance, in: there, dryRun: dryRun)
    }
    try copyAssets(from: source, to: there, dryRun: dryRun, allowance, progress, checkStop, &result)
    if !result.left.isNothing { result.limit = allowance?.reached }
    if !dryRun, result.hasChanged { try changeHints(in: target) }
    if let mark {
      if mark.wasThere { try target.makeDurable(deep: true) } else { try target.makeDurable(deep: false) }
      mark.end()
    } else if !dryRun {
      try target.makeDurable(deep: false)
    }
    return result
  }

  /// Has those who look for hints look at everything. Who has no chain leaves none, so one is taken away: its writer writes it again.
  private static func changeHints(in target: Container) throws {
    guard let name = try target.names(in: .heads).first else { return }
    do throws(ContainerError) { try target.remove(name, in: .heads) } catch {
      guard case .helper(.refused, _) = error else { throw error }
    }
  }

  /// - Throws: if a container that is written to lies in a database or in another container.
  package static func checkPlace(of target: Container, own: String?) throws {
    if target is DirectoryContainer { try Location.checkContainer(target.location, own: own) }
  }

  /// - Throws: `namelessContainer` if there are blocks in a folder that is no container.
  package static func checkNameless(_ folder: Container) throws {
    if (try? folder.chains().chains.isEmpty) == false { throw KitError.namelessContainer(path: folder.location) }
  }

  /// - Returns: false if there is no container yet.
  private static func check(_ target: Container, _ info: ContainerInfo) throws -> Bool {
    let there: ContainerInfo
    do throws(ContainerError) { there = try target.info() } catch {
      switch error {
      case .notThere: return false
      case .notAContainer:
        // Whoever has it attached knows it by what it said of itself.
        try checkNameless(target)
        if try target.isArriving(since: .max) { throw KitError.stillArriving(path: target.location, what: .info) }
        return false
      default: throw error
      }
    }
    guard there.database == info.database else {
      throw KitError.containerMismatch(
        name: target.location, what: .database, have: there.database.description, want: info.database.description)
    }
    guard UTF8Text.equal(there.contentType, info.contentType) else {
      throw KitError.containerMismatch(
        name: target.location, what: .contentType, have: there.contentType, want: info.contentType)
    }
    return true
  }
}
