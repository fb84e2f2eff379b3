import SeaCore

/// Which keys the entries name that were read, and which blocks none of the keys opened that are here. Whether the right key of one was
/// among them is known when all entries are read: there may be several of one number, and anybody can make one up.
struct KeySurvey {
  private struct Place: Hashable {
    var branch: BranchID
    var epoch: UInt32
  }

  private var named: [UInt32: Set<Digest>] = [:]
  /// The entries about keys, and where they stand.
  private(set) var entries: [(block: BlockRef, change: EpochChange)] = []
  /// Of each branch the keys that have opened blocks, and the first block of each.
  private(set) var opened: [BranchID: [(key: EpochKey, index: UInt32)]] = [:]
  /// The instances that have announced a key to wrap others with.
  private(set) var announced: Set<UUID> = []
  /// Of each branch and epoch the first.
  private var locked: [Place: UInt32] = [:]

  mutating func add(_ entry: ControlEntry, in block: BlockRef) {
    switch entry {
    case .instance: announced.insert(block.instance)
    case .epoch(let change):
      named[change.epoch, default: []].insert(change.key)
      entries.append((block, change))
    default: break
    }
  }

  /// Notes the key that a block opened under.
  mutating func addOpened(_ branch: BranchID, _ index: UInt32, _ key: EpochKey?) {
    guard let key, opened[branch]?.contains(where: { $0.key == key }) != true else { return }
    opened[branch, default: []].append((key, index))
  }

  /// Notes a block that no key of its epoch opened.
  mutating func addLocked(_ branch: BranchID, _ index: UInt32, _ epoch: UInt32) {
    let place = Place(branch: branch, epoch: epoch)
    locked[place] = min(locked[place] ?? .max, index)
  }

  /// - Parameter isGone: whether a block is one of these.
  mutating func removeAll(of branch: BranchID, from index: UInt32, _ isGone: (UUID, Digest) -> Bool) {
    entries.removeAll { isGone($0.block.instance, $0.block.digest) }
    opened[branch]?.removeAll { $0.index >= index }
    locked = locked.filter { $0.key.branch != branch || $0.value < index }
  }

  /// What none of the keys opened, now that all entries are read.
  /// - Parameter ring: what was tried, and what is known of keys elsewhere.
  func problems(_ place: String, _ ring: KeyRing?) -> [Problem] {
    guard let ring else { return [] }
    return locked.sorted { ($0.key.branch, $0.value) < ($1.key.branch, $1.value) }.map { one, index in
      let epoch = one.epoch
      let here = Set(ring.keys(of: epoch).compactMap { try? $0.digest(in: ring.database) })
      let elsewhere = ring.lacks.flatMap { $0(epoch) }
      // Where nothing could be read, what was given is all that there is.
      let isSaid = named[epoch]?.isSubset(of: here) ?? (elsewhere == false || named.isEmpty)
      let isHere = elsewhere != true && isSaid
      var problem = Problem(isHere ? .badTag : .noKey, place: place, branch: one.branch, index: index)
      problem.isSigned = isHere
      return problem
    }
  }
}
