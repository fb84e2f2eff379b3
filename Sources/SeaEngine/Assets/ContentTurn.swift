/// Selects the files whose content a sync reads: new files up to a limit, and some of the other files in turn.
struct ContentTurn<Place: Comparable> {
  private let before: Place?
  /// The number of bytes that this sync may still read for verification.
  private var budget = ContentTurns.mostBytes
  private var share: Int64
  private var reached: Place?
  private var isCut = false
  private(set) var total: Int64 = 0

  /// - Parameters:
  ///   - total: the total size of all files in the previous sync, in bytes.
  ///   - hasPaused: whether to read only new files in this sync.
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
      if !isCut { (isCut, reached) = (true, reached ?? before) }
      return false
    }
    budget -= size
    share -= size
    reached = place
    isCut = share <= 0
    return true
  }

  /// Counts a file that a full check reads.
  mutating func add(size: Int64) { total += size }

  /// The file after which the next sync continues; nil to start again from the beginning.
  var next: Place? { isCut ? reached : nil }
}

extension ContainerState.ReadContents where Place: Comparable {
  /// Returns the state to store when a check starts, and the selection of files for the check.
  func begin(now: Int64, isFar: Bool) -> (Self, ContentTurn<Place>) {
    let hasPaused = isFar && (0..<ContentTurns.pause).contains(now - turned)
    var read = self
    if !hasPaused { read.turned = isFar ? now : 0 }
    return (read, ContentTurn(behind: cursor, total: total, hasPaused: hasPaused))
  }
}

enum ContentTurns {
  /// A sync reads 1/`part` of a container, but at most `mostBytes` bytes.
  static let part: Int64 = 30
  static let mostBytes: Int64 = 64 << 20
  /// The minimum time in milliseconds between two checks of a remote container.
  static let pause: Int64 = 3_600_000
}
