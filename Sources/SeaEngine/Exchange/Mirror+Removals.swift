import SeaContainer
import SeaCore

extension Mirror {
  /// Takes out of the target what was purged in the source: what allows that is there by now.
  /// - Returns: how many blocks were whole there.
  static func empty(_ good: VerifiedBlocks, _ instance: UUID, in target: Container?, dryRun: Bool) throws -> Int {
    var left: [UInt32: [RemovedBlock]] = [:]
    for branch in good.branches(of: instance) {
      for one in good.outlines(branch.run) where one.size == Remains.blockSize {
        guard let removed = RemovedBlock(try good.bytes(branch.run.branch, one.index)) else { continue }
        left[one.index, default: []].append(removed)
      }
    }
    guard let target, !left.isEmpty, try !target.isAppendOnly else { return 0 }
    var count = 0
    for chain in try target.chains().chains where chain.instance == instance {
      let survey = try target.survey(chain)
      let due = left.filter { survey.mayHaveWhole($0.key, inPacks: survey.folded.map(\.first)) }
      if due.isEmpty { continue }
      let result = try target.empty(chain, due, dryRun: dryRun)
      count += result.emptied.count + result.kept.count
    }
    return count
  }

  /// The removed blocks of a container that orders allow which can be read, and those that others name.
  static func removals(
    in place: ContainerPlace, _ info: ContainerInfo, _ keys: KeyRing?
  ) throws -> (sound: Set<SoundRemovals.Key>, unknown: Set<SoundRemovals.Key>) {
    let survey = MemberSurvey(info.proof)
    var walk = ContainerWalk(place, survey, nil, info.database) { verifier, branch, name in
      ChainVerification(
        verifier, branch, place: place.name, name: name, readsPayloads: false, keys: keys, survey: survey)
    }
    for instance in Set(try place.chains().chains.map(\.instance)).sorted() { _ = try walk.verify(instance, nil) }
    return (survey.soundBlocks(), survey.unknownBlocks())
  }
}
