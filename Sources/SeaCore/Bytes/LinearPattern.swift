package enum PatternFault: Error, Equatable {
  case tooLong
  case tooDeep
  /// A syntax error at the given character, where the first character is 1. A position after the last character means
  /// that the pattern is incomplete.
  case unreadable(at: Int)
}

/// A regular expression that matches in linear time. All alternatives are tried in parallel, without backtracking (K.
/// Thompson, "Regular Expression Search Algorithm", CACM 11, 1968).
///
/// Characters are Unicode scalars. The syntax consists of:
/// - `.` (any character except a line feed), `[…]` and `[^…]` with ranges
/// - the ASCII classes `\d \D \w \W \s \S`
/// - the escapes `\n \r \t`, and a backslash before a character that is not a letter or digit
/// - `* + ? {m} {m,} {m,n}`, `|`, `(…)` and `(?:…)`
/// - `^` and `$` for the start and end of the text, `\b` for word boundaries, and `\B` for all other positions
/// - `(?i)` at the beginning, to ignore the case of ASCII letters
package struct LinearPattern: Sendable {
  /// The maximum number of steps. Each step can cost time for every character of the text.
  package static let mostSteps = 1000
  package static let mostGroups = 100

  enum Step: Sendable {
    case scalars(ScalarSet)
    case fork(Int, Int)
    case begin, end, boundary, inside, matched
  }

  private let steps: [Step]
  package var count: Int { steps.count }

  package init(_ text: String) throws(PatternFault) {
    var compiler = PatternCompiler(Array(text.unicodeScalars))
    steps = try compiler.compile()
  }

  package func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool { matches(text) { () throws(Never) in } }

  /// Whether the pattern matches any part of the text. Each byte of invalid UTF-8 counts as U+FFFD.
  /// - Parameter check: a closure that is called about every 10,000 bytes. If it throws an error, the search ends.
  package func matches<Fault>(
    _ text: UnsafeBufferPointer<UInt8>, check: () throws(Fault) -> Void
  ) throws(Fault) -> Bool {
    var now = Places(steps.count)
    var next = Places(steps.count)
    var before: UInt32?
    var (k, looked) = (0, 0)
    while true {
      if k - looked > 10_000 {
        try check()
        looked = k
      }
      let here = k < text.count ? scalar(text, &k) : nil
      if follow(0, &now, before, here) { return true }
      guard let here else { return false }
      next.removeAll()
      for at in 0..<now.count {
        let place = now[at]
        if case .scalars(let set) = steps[place], set.contains(here) {
          next.pending.append(place + 1)
        }
      }
      let after = k < text.count ? peek(text, k) : nil
      let pending = next.pending
      next.pending.removeAll(keepingCapacity: true)
      for place in pending where follow(place, &next, here, after) { return true }
      swap(&now, &next)
      before = here
    }
  }

  /// Adds a step, and all steps that can be reached from it without consuming a character.
  private func follow(_ first: Int, _ places: inout Places, _ before: UInt32?, _ after: UInt32?) -> Bool {
    places.stack.append(first)
    while let place = places.stack.popLast() {
      guard places.insert(place) else { continue }
      let isBoundary = ScalarSet.word.has(before) != ScalarSet.word.has(after)
      switch steps[place] {
      case .scalars: break
      case .fork(let a, let b):
        places.stack.append(b)
        places.stack.append(a)
      case .begin: if before == nil { places.stack.append(place + 1) }
      case .end: if after == nil { places.stack.append(place + 1) }
      case .boundary: if isBoundary { places.stack.append(place + 1) }
      case .inside: if !isBoundary { places.stack.append(place + 1) }
      case .matched:
        places.stack.removeAll(keepingCapacity: true)
        return true
      }
    }
    return false
  }

  private func peek(_ text: UnsafeBufferPointer<UInt8>, _ k: Int) -> UInt32 {
    var k = k
    return scalar(text, &k)
  }

  private func scalar(_ text: UnsafeBufferPointer<UInt8>, _ k: inout Int) -> UInt32 {
    let lead = text[k]
    k += 1
    guard lead >= 0x80 else { return UInt32(lead) }
    let more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0
    guard more > 0, k + more <= text.count, text[k..<k + more].allSatisfy({ $0 & 0xC0 == 0x80 }) else { return 0xFFFD }
    var value = UInt32(lead) & (0x3F >> UInt32(more))
    for byte in text[k..<k + more] { value = value << 6 | UInt32(byte & 0x3F) }
    k += more
    return value
  }

  private struct Places {
    private var list: [Int] = []
    private var isIn: [Bool]
    var stack: [Int] = []
    var pending: [Int] = []

    init(_ count: Int) { isIn = Array(repeating: false, count: count) }

    var count: Int { list.count }
    subscript(k: Int) -> Int { list[k] }

    mutating func insert(_ place: Int) -> Bool {
      if isIn[place] { return false }
      isIn[place] = true
      list.append(place)
      return true
    }

    mutating func removeAll() {
      for place in list { isIn[place] = false }
      list.removeAll(keepingCapacity: true)
    }
  }
}
