import SeaCore

extension MemberSurvey {
  /// Returns a problem for the first block of each branch that is encrypted under an unconfirmed key. All entries must
  /// have been read. If no valid entry names a key, there are no problems.
  /// - Parameters:
  ///   - ring: the keys that were tried.
  ///   - slots: untrusted key slots that may wrap keys under other keys.
  ///   - known: keys that have been confirmed elsewhere.
  ///   - isWhole: whether all entries have been read. If not, only `known` confirms keys.
  func unvouched(
    _ place: String, _ ring: KeyRing?, known: KeyRing? = nil, isWhole: Bool = true, _ slots: () throws -> [Slot]
  ) throws -> [Problem] {
    guard let ring, !keys.opened.isEmpty else { return [] }
    guard isWhole else { return known.map { unvouched(place, $0) } ?? [] }
    let grounds = grounds()
    let entitled = keys.entries.compactMap { block, change -> EpochCount.Entry? in
      grounds.judge.hasAuthority(block) ?? grounds.counts(block) ? EpochCount.Entry(change, by: block.instance) : nil
    }
    let count = EpochCount(entitled, first: ring.first, grounds.judge.membership) { [keys] in
      keys.announced.contains($0) || grounds.judge.membership?[$0]?.exchange != nil
    }
    guard count.newest > 0 else { return [] }
    let vouched = KeyRing(ring.proof, keys: ring.allIncludingUnconfirmed.filter { count.counts($0.name) })
    let counting = entitled.filter { count.counts($0.key) }
    let valid = Set(counting.flatMap(\.change.slots)).subtracting(counting.flatMap(\.change.ended))
    Unlock.follow(try slots().filter { valid.contains($0.digest) }, vouched)
    for key in known?.all ?? [] { vouched.add(key) }
    return unvouched(place, vouched)
  }

  private func unvouched(_ place: String, _ vouched: KeyRing) -> [Problem] {
    keys.opened.sorted { $0.key < $1.key }.compactMap { branch, opened in
      let first = opened.filter { !vouched.has($0.key) }.map(\.index).min()
      return first.map { Problem(unvouched: branch, $0, place: place) }
    }
  }
}
