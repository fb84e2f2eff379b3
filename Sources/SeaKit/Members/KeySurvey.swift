import SeaCore

/// Which keys the entries name that were read, and which blocks none of the keys opened that are here. Whether the right key of one was
/// among them is known when all entries are read: there may be several of one number, and anybody can make one up.
struct KeySurvey {
  private struct Place: Hashable {
    var branch: BranchID
    var epoch: UInt32
  }

  private var named: [UInt32: Set<Digest>] = [:]
  /// Of each branch and epoch the first.
  private var locked: [Place: UInt32] = [:]

  mutating func add(_ change: EpochChange) { named[change.epoch, default: []].insert(change.key) }

  /// Notes a block that no key of its epoch opened.
  mutating func addLocked(_ branch: BranchID, _ index: UInt32, _ epoch: UInt32) {
    let place = Place(branch: branch, epoch: epoch)
    locked[place] = min(locked[place] ?? .max, index)
  }

  mutating func removeAll(of branch: BranchID, from index: UInt32) {
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
