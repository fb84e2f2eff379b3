import SeaContainer
import SeaCore

extension Mirror {
  /// Takes out of the target what was purged in the source: what allows that is there by now.
  /// - Returns: how many blocks were whole there.
  static func empty(_ good: VerifiedBlocks, _ instance: UUID, in target: Container?, dryRun: Bool) throws -> Int {
    var left: [UInt32: [(digest: Digest, bytes: [UInt8])]] = [:]
    for branch in good.branches(of: instance) {
      for one in good.outlines(branch.run) where one.size == Remains.blockSize {
        left[one.index, default: []].append((one.digest, try good.bytes(branch.run.branch, one.index)))
      }
    }
    guard let target, !left.isEmpty else { return 0 }
    var count = 0
    for chain in try target.chains().chains where chain.instance == instance {
      let survey = try target.survey(chain)
      let folded = Set(survey.folded.map(\.first))
      var whole: [UInt32: [UInt8]] = [:]
      for (index, all) in left {
        let size = survey.single(index)?.size
        guard size != Int64(Remains.blockSize), size != nil || folded.contains(index - index % Layout.leafSize) else {
          continue
        }
        _ = try target.readBlocks(of: chain, from: index) { _, bytes in
          if let header = try? BlockHeader(bytes), !header.mode.contains(.removed) {
            let digest = header.digest(of: bytes)
            if let one = all.first(where: { $0.digest == digest }) { whole[index] = one.bytes }
          }
          return false
        }
      }
      count += whole.count
      if !dryRun, !whole.isEmpty { try target.empty(chain, whole) }
    }
    return count
  }

  /// The removed blocks of a container that orders allow which can be read, and those that others name.
  static func removals(
    in place: ContainerPlace, _ info: ContainerInfo, _ keys: KeyRing?
  ) throws -> (sound: Set<SoundRemovals.Key>, unknown: Set<SoundRemovals.Key>) {
    let survey = MemberSurvey(info.proof)
    for branch in try place.chains().chains {
      guard let own = try place.run(of: branch) else { continue }
      var run = VerifiedRun(
        ChainVerifier(database: info.database, instance: branch.instance), keys: keys, judgesRemovals: true)
      _ = try place.readChain(own) { index, bytes in
        let isGood = run.add(index, bytes, keeps: false) { header, verifier in
          guard let head = verifier.head else { return }
          survey.add(bytes, header, head, to: branch)
          guard index == 0 || header.mode.contains(.control) || survey.hasMembers, !header.mode.contains(.removed)
          else {
            return
          }
          survey.add(
            BlockReader.content(of: bytes, of: branch.instance, keys: keys), header, of: head, to: branch,
            bytes)
        }
        if run.isDue { _ = run.takeVerified() }
        return isGood && run.fault == nil
      }
      _ = run.takeVerified()
      // What no good signature covers says nothing.
      if let fault = run.fault { survey.removeAll(of: branch, from: fault.index) }
    }
    return (survey.soundBlocks(), survey.unknownBlocks())
  }
}
