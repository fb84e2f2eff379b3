/// How fast a helper goes: only the time counts in which it was waited for.
struct HelperPace {
  /// Bytes in a second.
  static let least = 100

  /// Nanoseconds.
  private let span: Int64
  private let least: Int
  private var waited: Int64 = 0
  private var moved = 0
  private var hasCome = false
  private var line: Int64 = 0

  /// - Parameter seconds: so long a line may take from its first byte on, and in each such span of an answer the least must come.
  init(seconds: Int) {
    span = Int64(seconds) * 1_000_000_000
    least = seconds * HelperPace.least
  }

  /// An answer is done, or is to be waited for.
  mutating func begin() { (waited, moved, hasCome) = (0, 0, false) }

  /// What was sent counts as well: who is told much has not to answer yet.
  /// - Parameter hadPart: whether a part of a line was there before.
  mutating func note(_ nanoseconds: Int64, came: Int, sent: Int, hadPart: Bool) {
    line = hadPart ? line + nanoseconds : 0
    // Up to its first byte an answer may take as long as something moves.
    if came > 0, !hasCome { (waited, moved, hasCome) = (0, 0, true) } else { waited += nanoseconds }
    moved += came + max(0, sent)
  }

  /// - Parameter hasPart: whether a part of a line has come and no more since.
  mutating func isTooSlow(hasPart: Bool) -> Bool {
    if !hasPart { line = 0 }
    guard waited > span else { return line > span }
    defer { (waited, moved) = (0, 0) }
    return moved < least || line > span
  }
}

/// Until when a helper is waited for by a run that has no more time.
struct HelperEnd {
  /// So long one may say nothing who has not said that it takes long: nanoseconds.
  private static let grace: Int64 = 5_000_000_000
  /// So many bytes a second move of what is brought to its end; what drips is not waited for.
  private static let least: Int64 = 16 << 10

  /// When nothing is waited for any more on which nothing moves: monotonic nanoseconds.
  private let ends: Int64
  /// Whether that is now.
  private let isStopped: () -> Bool
  /// Bytes a second.
  private let rate: Int64
  /// Nanoseconds in which it was waited for after the end, and bytes that have moved then.
  private var waited: Int64 = 0
  private var moved: Int64 = 0
  /// Bytes of requests that were not answered yet. To hand over what was begun takes a second for each 16 KiB.
  var unanswered: Int64 = 0

  /// - Parameter rate: so many bytes a second may move; nil for as many as can.
  init(_ ends: Int64, rate: Int64? = nil, _ isStopped: @escaping () -> Bool = { false }) {
    (self.ends, self.isStopped) = (ends, isStopped)
    self.rate = min(HelperEnd.least, max(1, (rate ?? .max) / 2))
  }

  var latest: Int64 {
    isStopped() ? 0 : ends == .max ? ends : ends + min(unanswered / rate, 86_400) * 1_000_000_000
  }

  /// Notes that something has moved, between two times.
  mutating func note(_ start: Int64, _ now: Int64, bytes: Int) {
    guard now > ends else { return }
    waited += now - max(start, ends)
    moved += Int64(bytes)
  }

  /// Whether too little has moved for so long that what was begun would not come to its end soon.
  var drips: Bool { waited > HelperEnd.grace + min((moved + unanswered) / rate, 86_400) * 1_000_000_000 }

  /// How long nothing may move, from `now` on: nanoseconds.
  /// - Parameter saysWait: whether it was said that it takes long.
  func left(_ now: Int64, saysWait: Bool) -> Int64 {
    let latest = latest
    return latest == .max ? .max : max(0, latest - now) + (saysWait ? 0 : HelperEnd.grace)
  }
}
