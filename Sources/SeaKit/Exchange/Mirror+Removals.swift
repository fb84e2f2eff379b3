import SeaContainer
import SeaCore

extension Mirror {
  /// The removed blocks of a container that orders allow which anybody can read there.
  static func soundRemovals(in place: ContainerPlace, _ info: ContainerInfo) throws -> Set<SoundRemovals.Key> {
    let survey = MemberSurvey(info.proof)
    for branch in try place.chains().chains {
      guard let own = try place.run(of: branch) else { continue }
      var run = VerifiedRun(
        ChainVerifier(database: info.database, instance: branch.instance), keys: nil, judgesRemovals: true)
      _ = try place.readChain(own) { index, bytes in
        let isGood = run.add(index, bytes, keeps: false) { header, verifier in
          guard let head = verifier.head else { return }
          survey.add(bytes, header, head, to: branch)
          guard index == 0 || header.mode.contains(.control) || survey.hasMembers, !header.mode.contains(.removed)
          else {
            return
          }
          survey.add(
            BlockReader.content(of: bytes, of: branch.instance, keys: nil), header, of: head, to: branch)
        }
        if run.isDue { _ = run.takeVerified() }
        return isGood && run.fault == nil
      }
      _ = run.takeVerified()
      // What no good signature covers says nothing.
      if let fault = run.fault { survey.removeAll(of: branch, from: fault.index) }
    }
    return survey.soundBlocks()
  }
}
