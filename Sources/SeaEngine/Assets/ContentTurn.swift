/// Selects the files of a container whose content one sync reads: new ones within a budget, and a part of the others in
/// turn.
struct ContentTurn<Place: Comparable> {
  /// The last file of the previous sync; nil if it had reached the end.
  private let before: Place?
  /// The bytes that this sync may still read only to verify them.
  private var budget = ContentTurns.mostBytes
  private var share: Int64
  private var reached: Place?
  private var isCut = false
  /// The size of all files in this sync, in bytes.
  private(set) var total: Int64 = 0

  /// - Parameters:
  ///   - total: the size of all files in the previous sync, in bytes.
  ///   - hasPaused: whether only new files are read.
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
      // The next sync reads the rest.
      if !isCut { (isCut, reached) = (true, reached ?? before) }
      return false
    }
    budget -= size
    share -= size
    reached = place
    isCut = share <= 0
    return true
  }

  /// Counts a file that is read in any case.
  mutating func note(size: Int64) { total += size }

  /// Where the next sync continues; nil for the beginning.
  var next: Place? { isCut ? reached : nil }
}

extension ContainerState.ReadContents where Place: Comparable {
  /// Returns the state to remember for a reading that begins now, and its selection of files.
  func begin(now: Int64, isFar: Bool) -> (Self, ContentTurn<Place>) {
    let hasPaused = isFar && (0..<ContentTurns.pause).contains(now - turned)
    var read = self
    if !hasPaused { read.turned = isFar ? now : 0 }
    return (read, ContentTurn(behind: cursor, total: total, hasPaused: hasPaused))
  }
}

enum ContentTurns {
  /// One sync reads one `part`th of a container, and at most `mostBytes` of it.
  static let part: Int64 = 30
  static let mostBytes: Int64 = 64 << 20
  /// The minimum time in milliseconds between two readings of a remote container.
  static let pause: Int64 = 3_600_000
}
