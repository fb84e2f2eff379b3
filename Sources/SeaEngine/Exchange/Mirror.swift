import SeaContainer
import SeaCore
import SeaSystem

/// Copies the content of one container to another, without needing a database. Blocks that fail verification are not
/// copied.
package enum Mirror {
  private typealias Removals = (sound: Set<BlockKey>, unknown: Set<BlockKey>)

  package struct Result: Sendable {
    package var blocks = 0
    package var chains = 0
    package var files = 0
    package var assets = 0
    package var created = false
    package var healed = 0
    /// The number of blocks that had been purged in the source but were still complete in the target.
    package var emptied = 0
    package var problems: [Problem] = []
    package var limit: Allowance.Limit?
    package var left = Left()
    package private(set) var mended: [Problem] = []

    mutating func recordMended(_ path: String, in target: Container) {
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
  ///   - keys: the keys that decrypt the purge orders of an encrypted database, if available.
  ///   - own: the local `.sea`, if there is one; the target must not be inside it.
  ///   - progress: called for each block.
  ///   - checkStop: called wherever the copy can stop safely; throws an error to stop it.
  package static func copy(
    from source: Container, to target: Container, keys: KeyRing? = nil, own: String? = nil, dryRun: Bool,
    allowance: Allowance? = nil, progress: WorkReport? = nil, checkStop: () throws -> Void = {}
  ) throws -> Result {
    let info = try source.info()
    var result = Result()
    try checkPlace(of: target, own: own)
    result.created = try !check(target, info)
    if result.created, let path = target.path {
      try Location.checkFree(of: path)
      try Location.checkParent(of: path)
    }
    if result.created, !dryRun {
      try target.create(
        ContainerInfo(
          container: UUID.random(), database: info.database, contentType: info.contentType, proof: info.proof))
    }
    let mark = dryRun ? nil : try target.mark()
    // In a dry run, a new target does not exist, so everything counts as missing.
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
    // Computed when the first purged block is found. All chains must be read, because any of them may contain purge
    // orders.
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
      if mark.wasInterrupted { try target.makeDurable(deep: true) } else { try target.makeDurable(deep: false) }
      mark.end()
    } else if !dryRun {
      try target.makeDurable(deep: false)
    }
    return result
  }

  /// Removes one summary file, so that other instances check the whole container. A mirror does not have a summary file
  /// that it could update. The owner of the removed file writes it again.
  private static func changeHints(in target: Container) throws {
    guard let name = try target.names(in: .heads).first else { return }
    do throws(ContainerError) { try target.remove(name, in: .heads) } catch {
      guard case .helper(.refused, _) = error else { throw error }
    }
  }

  /// - Throws: an error if a container to write to is inside a database or another container.
  package static func checkPlace(of target: Container, own: String?) throws {
    if let path = target.path { try Location.checkContainer(path, own: own) }
  }

  /// - Throws: `namelessContainer` if a folder contains blocks but is not a container.
  package static func checkNameless(_ folder: Container) throws {
    if (try? folder.chains().chains.isEmpty) == false { throw KitError.namelessContainer(path: folder.location) }
  }

  private static func check(_ target: Container, _ info: ContainerInfo) throws -> Bool {
    let there: ContainerInfo
    do throws(ContainerError) { there = try target.info() } catch {
      switch error {
      case .missing: return false
      case .notAContainer:
        // Other instances know a container by its ID, so a container that has lost its `info.json` must not get a new
        // ID.
        try checkNameless(target)
        if try target.isIncomplete(since: .max) { throw KitError.stillIncomplete(path: target.location, what: .info) }
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

extension Mirror {
  /// Purges blocks in the target that were purged in the source. The purge orders have already been copied.
  /// - Returns: the number of blocks that were still complete in the target.
  static func empty(_ good: VerifiedBlocks, _ instance: UUID, in target: Container?, dryRun: Bool) throws -> Int {
    var left: [UInt32: [RemovedBlock]] = [:]
    for branch in good.branches(of: instance) {
      for one in good.outlines(branch.run) where one.isRemoved {
        guard let removed = RemovedBlock(try good.bytes(branch.run.branch, one.index)) else { continue }
        left[one.index, default: []].append(removed)
      }
    }
    guard let target, !left.isEmpty, try !target.isAppendOnly else { return 0 }
    var count = 0
    for chain in try target.chains().chains where chain.instance == instance {
      let survey = try target.survey(chain)
      let packs = survey.folded.map(\.first)
      let due = left.filter { index, blocks in
        blocks.contains { survey.mayHaveWhole(index, $0.wholeSize, $0.bytes.count, inPacks: packs) }
      }
      if due.isEmpty { continue }
      let result = try target.empty(chain, due, dryRun: dryRun)
      count += result.emptied.count + result.kept.count
    }
    return count
  }

  static func removals(
    in place: ContainerPlace, _ info: ContainerInfo, _ keys: KeyRing?
  ) throws -> (sound: Set<BlockKey>, unknown: Set<BlockKey>) {
    let survey = MemberSurvey(info.proof)
    var walk = ContainerWalk(place, survey, nil, info.database) { verifier, branch, name in
      ChainVerification(
        verifier, branch, place: place.name, name: name, readsPayloads: false, keys: keys, survey: survey)
    }
    for instance in Set(try place.chains().chains.map(\.instance)).sorted() { _ = try walk.verify(instance, nil) }
    return (survey.soundBlocks(), survey.unknownBlocks())
  }
}

extension Mirror {
  /// Copies small files that the target lacks. Key slots whose content does not match their name are not copied, and
  /// are replaced if they are in the target.
  /// - Parameter target: nil if the target does not exist yet; then everything counts as missing.
  static func copyFiles(
    of folder: SmallFolder, from source: Container, to target: Container?, dryRun: Bool, _ result: inout Result
  ) throws {
    let there = Set(try target?.names(in: folder) ?? [])
    for name in try source.names(in: folder) {
      guard let bytes = try content(name, folder, of: source, &result) else { continue }
      if there.contains(name), folder == .keys, let target {
        if try target.bounded(name, in: folder) == bytes { continue }
        if !dryRun { try target.put(name, bytes, in: folder) }
        result.files += 1
        result.recordMended(folder.path(of: name), in: target)
        continue
      }
      if there.contains(name), let target {
        if let old = try content(name, folder, of: target, &result), old != bytes {
          result.problems.append(problem(name, folder, in: target))
        }
        continue
      }
      if let target, !dryRun, try !write(name, bytes, folder, to: target) {
        result.problems.append(problem(name, folder, in: target))
      } else {
        result.files += 1
      }
    }
  }

  private static func write(
    _ name: String, _ bytes: [UInt8], _ folder: SmallFolder, to target: Container
  ) throws(ContainerError) -> Bool {
    do throws(ContainerError) {
      try target.write(name, bytes, in: folder)
      return true
    } catch {
      switch error {
      case .badFile, .nameTaken: return false
      default: throw error
      }
    }
  }

  private static func content(
    _ name: String, _ folder: SmallFolder, of container: Container, _ result: inout Result
  ) throws(ContainerError) -> [UInt8]? {
    do throws(ContainerError) {
      guard let bytes = try container.read(name, in: folder) else { return nil }
      if folder != .keys || Digest(hex: name) == SHA256.hash(bytes) { return bytes }
    } catch {
      guard case .badFile = error else { throw error }
    }
    result.problems.append(problem(name, folder, in: container))
    return nil
  }

  private static func problem(_ name: String, _ folder: SmallFolder, in container: Container) -> Problem {
    Problem(.foreignFile, place: container.location, detail: folder.path(of: name))
  }
}

extension Mirror {
  /// Copies asset files that the target lacks. Does not verify their content, because that would require the records.
  /// - Parameter target: nil if the target does not exist yet; then everything counts as missing.
  static func copyAssets(
    from source: Container, to target: Container?, dryRun: Bool, _ allowance: Allowance?, _ progress: WorkReport?,
    _ checkStop: () throws -> Void, _ result: inout Result
  ) throws {
    var work = Work(.handing, target?.location ?? "", done: 0)
    var problems: [Problem] = []
    var count = 0
    func problem(_ place: AssetPlace, in container: Container) {
      problems.append(
        Problem(.badAsset, place: container.location, instance: place.instance, index: place.index, detail: "size"))
    }
    defer {
      result.problems += problems
      result.assets += count
    }
    var ahead = AssetsAhead<(place: AssetPlace, size: Int64)>(
      from: [source], isLimited: dryRun || allowance?.isLimited ?? false)
    func copy(_ place: AssetPlace, _ size: Int64) throws {
      guard dryRun || allowance?.reserve(size) ?? true else {
        result.left.assets += 1
        return
      }
      func write(to target: Container) throws {
        try target.writeAsset(place, size: size) { offset, buffer in
          let count = try source.fill(buffer, from: place, at: offset)
          allowance?.delay(count, isFar: target.isFar || source.isFar)
          work.done += Int64(count)
          progress?(work)
          try checkStop()
          return count
        }
      }
      if let target, !dryRun {
        do {
          do { try write(to: target) } catch ContainerError.nameTaken {
            try target.quarantine(place)
            try write(to: target)
          }
        } catch ContainerError.badAsset(let fault, _) {
          return problem(place, in: fault == .differs ? target : source)
        }
      }
      count += 1
    }
    try source.forEachAsset { place, size in
      if let there = try target?.assetSize(place) {
        if there != size { problem(place, in: target!) }
      } else {
        try ahead.add((place, size), CollectionOfOne(place)) { try copy($0.place, $0.size) }
      }
    }
    try ahead.finish { try copy($0.place, $0.size) }
  }
}

extension AssetSource {
  func fill(_ buffer: UnsafeMutableRawBufferPointer, from place: AssetPlace, at offset: Int64) throws -> Int {
    var count = 0
    try readAsset(place, from: offset) { bytes in
      let part = min(bytes.count, buffer.count - count)
      UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + part])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<part]))
      count += part
      return count < buffer.count
    }
    return count
  }
}
