/// Which files in a container have their content looked at in one sync: those that are new since the last one, as far as the bytes suffice,
/// and a part of the others, in their order.
struct ContentTurn<Place: Comparable> {
  /// What the last sync had come to; nil when it had reached the end.
  private let before: Place?
  /// Bytes that are still read in this sync for nothing but to see whether they are right.
  private var budget = ContentTurns.mostBytes
  private var share: Int64
  private var reached: Place?
  private var isCut = false
  /// The bytes of all files that were met.
  private(set) var total: Int64 = 0

  /// - Parameters:
  ///   - total: the bytes of all files when they were met last.
  ///   - hasPaused: whether nothing but what is new has its turn.
  init(behind before: Place?, total: Int64, hasPaused: Bool) {
    self.before = before
    share = hasPaused ? 0 : min(ContentTurns.mostBytes, total / ContentTurns.part + 1)
    (isCut, reached) = (hasPaused, hasPaused ? before : nil)
  }

  mutating func isDue(_ place: Place, size: Int64, isNew: Bool) -> Bool {
    total += size
    if isNew, budget > 0 {
      budget -= size
      return true
    }
    guard share > 0, before.map({ $0 < place }) ?? true else { return false }
    guard budget > 0 else {
      // The rest has its turn in the next sync.
      if !isCut { (isCut, reached) = (true, reached ?? before) }
      return false
    }
    budget -= size
    share -= size
    reached = place
    isCut = share <= 0
    return true
  }

  /// What is met, and not asked about.
  mutating func note(size: Int64) { total += size }

  /// Where the next sync goes on; nil for the beginning.
  var next: Place? { isCut ? reached : nil }
}

extension ContainerState.ReadContents where Place: Comparable {
  /// What is to be remembered of a reading that begins now, and which contents have their turn in it.
  func begin(now: Int64, isFar: Bool) -> (Self, ContentTurn<Place>) {
    let hasPaused = isFar && (0..<ContentTurns.pause).contains(now - turned)
    var read = self
    if !hasPaused { read.turned = isFar ? now : 0 }
    return (read, ContentTurn(behind: cursor, total: total, hasPaused: hasPaused))
  }
}

enum ContentTurns {
  /// The part of a container whose contents are looked at in one sync, and the most bytes of it.
  static let part: Int64 = 30
  static let mostBytes: Int64 = 64 << 20
  /// In a container elsewhere contents have their turn no more often: milliseconds.
  static let pause: Int64 = 3_600_000
}
