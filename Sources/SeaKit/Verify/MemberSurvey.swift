import SeaContainer
import SeaCore
import SeaStore

/// Whose blocks count, worked out from nothing but the blocks that were verified and read.
final class MemberSurvey {
  private let proof: DatabaseProof
  private var births: [Membership.Birth] = []
  private var entries: [Membership.Entry] = []
  /// The hashes of the blocks of each branch, from block 0 on.
  private var chains: [BranchID: [Digest]] = [:]

  /// - Returns: nil where there are no members.
  init?(_ proof: DatabaseProof?) {
    guard let proof, proof.hasMembers else { return nil }
    self.proof = proof
  }

  func add(_ payload: Payload, of head: BlockRef, _ lamport: UInt32) {
    for (item, entry) in payload.controls.enumerated() {
      if let one = Membership.Birth(entry, block: head) { births.append(one) }
      if let one = Membership.Entry(entry, block: head, lamport: lamport, item: UInt32(item)) { entries.append(one) }
    }
  }

  func add(_ digest: Digest, to chain: BranchID) { chains[chain, default: []].append(digest) }

  /// What is kept and counts nowhere, told once for each branch.
  func problems(_ place: String) -> [Problem] {
    let branches = Dictionary(grouping: chains.keys, by: \.instance)
    func isWithin(_ block: BlockRef, _ last: BlockRef) -> Bool {
      guard block.index <= last.index else { return false }
      return (branches[block.instance] ?? []).contains { chain in
        let digests = chains[chain] ?? []
        return digests.count > last.index && digests[Int(last.index)] == last.digest
          && digests[Int(block.index)] == block.digest
      }
    }
    let membership = Membership(proof, births: births, entries: entries, isWithin: isWithin)
    var problems: [Problem] = []
    for chain in chains.keys.sorted() {
      let trunk = chain.fork == nil ? [] : chains[BranchID(chain.instance)] ?? []
      let held = (chains[chain] ?? []).enumerated().filter { index, digest in
        guard !(index < trunk.count && trunk[index] == digest) else { return false }
        let head = BlockRef(instance: chain.instance, index: UInt32(index), digest: digest)
        return !membership.counts(head, isWithin)
      }
      guard let first = held.first else { continue }
      problems.append(
        Problem(
          .unauthorised, place: place, branch: chain, index: UInt32(first.offset),
          detail: String(held.count)))
    }
    return problems
  }
}
