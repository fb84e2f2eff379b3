struct PatternCompiler {
  private let text: [Unicode.Scalar]
  private var k = 0
  private var steps: [LinearPattern.Step] = []
  private var ignoresCase = false
  private var depth = 0
  private var fault: PatternFault?
  private var hasFailed: Bool { fault != nil }

  init(_ text: [Unicode.Scalar]) { self.text = text }

  mutating func compile() throws(PatternFault) -> [LinearPattern.Step] {
    if accept("(?i)") { ignoresCase = true }
    choice()
    if k < text.count { fail() }
    steps.append(.matched)
    if steps.count > LinearPattern.mostSteps { fail(.tooLong) }
    if let fault { throw fault }
    return steps
  }

  private mutating func fail(_ found: PatternFault? = nil) {
    fault = fault ?? found ?? .unreadable(at: k + 1)
  }

  private var next: Unicode.Scalar? { k < text.count ? text[k] : nil }

  private mutating func accept(_ word: String) -> Bool {
    let scalars = Array(word.unicodeScalars)
    guard text[k...].starts(with: scalars) else { return false }
    k += scalars.count
    return true
  }

  private mutating func choice() {
    let start = steps.count
    sequence()
    while !hasFailed, accept("|") {
      steps.insert(.fork(0, 0), at: start)
      shift(from: start + 1, by: 1)
      let jump = steps.count
      steps.append(.fork(0, 0))
      steps[start] = .fork(start + 1, steps.count)
      sequence()
      steps[jump] = .fork(steps.count, steps.count)
    }
  }

  private mutating func shift(from start: Int, by count: Int) {
    for at in start..<steps.count {
      if case .fork(let a, let b) = steps[at] {
        steps[at] = .fork(a >= start - 1 ? a + count : a, b >= start - 1 ? b + count : b)
      }
    }
  }

  private mutating func sequence() {
    while !hasFailed, let here = next, here != "|", here != ")" {
      let start = steps.count
      atom()
      repeated(start)
      if steps.count > LinearPattern.mostSteps { fail(.tooLong) }
    }
  }

  private mutating func repeated(_ start: Int) {
    guard !hasFailed else { return }
    var (least, most): (Int, Int?) = (1, 1)
    if accept("*") {
      (least, most) = (0, nil)
    } else if accept("+") {
      (least, most) = (1, nil)
    } else if accept("?") {
      (least, most) = (0, 1)
    } else if next == "{" {
      guard let bounds = bounds() else { return fail() }
      (least, most) = bounds
    } else {
      return
    }
    // Lazy and greedy repetitions match the same strings, because the range of a match is not reported.
    _ = accept("?")
    write(Array(steps[start...]), from: start, least, most)
  }

  private mutating func write(_ part: [LinearPattern.Step], from start: Int, _ least: Int, _ most: Int?) {
    steps.removeSubrange(start...)
    for _ in 0..<least { append(part, from: start) }
    guard let most else {
      let fork = steps.count
      steps.append(.fork(0, 0))
      append(part, from: start)
      steps.append(.fork(fork, fork))
      steps[fork] = .fork(fork + 1, steps.count)
      return
    }
    var forks: [Int] = []
    for _ in least..<max(most, least) {
      forks.append(steps.count)
      steps.append(.fork(0, 0))
      append(part, from: start)
      if steps.count > LinearPattern.mostSteps { break }
    }
    for fork in forks { steps[fork] = .fork(fork + 1, steps.count) }
    if steps.count > LinearPattern.mostSteps { fail(.tooLong) }
  }

  private mutating func append(_ part: [LinearPattern.Step], from start: Int) {
    let distance = steps.count - start
    if steps.count + part.count > LinearPattern.mostSteps { return fail(.tooLong) }
    for step in part {
      if case .fork(let a, let b) = step { steps.append(.fork(a + distance, b + distance)) } else { steps.append(step) }
    }
  }

  private mutating func bounds() -> (Int, Int?)? {
    k += 1
    guard let least = number() else { return nil }
    if accept("}") { return (least, least) }
    guard accept(",") else { return nil }
    if accept("}") { return (least, nil) }
    guard let most = number(), most >= least, accept("}") else { return nil }
    return (least, most)
  }

  private mutating func number() -> Int? {
    let start = k
    while let here = next, ("0"..."9").contains(here), k - start < 4 { k += 1 }
    return Int(String(String.UnicodeScalarView(text[start..<k])))
  }

  private mutating func add(_ ranges: [ClosedRange<UInt32>], inverted: Bool = false) {
    steps.append(.scalars(ScalarSet(ranges: ranges, isInverted: inverted, ignoresCase: ignoresCase)))
  }

  private mutating func atom() {
    let here = text[k]
    k += 1
    switch here {
    case "(":
      depth += 1
      if accept("?:") {
      } else if next == "?" {
        return fail()
      }
      guard depth <= LinearPattern.mostGroups else { return fail(.tooDeep) }
      choice()
      depth -= 1
      if !accept(")") { fail() }
    case "[": bracket()
    case ".": add([0x0A...0x0A], inverted: true)
    case "^": steps.append(.begin)
    case "$": steps.append(.end)
    case "*", "+", "?", "{": fail(.unreadable(at: k))
    case "\\": escape()
    default: add([here.value...here.value])
    }
  }

  private mutating func escape() {
    guard let here = next else { return fail() }
    switch here {
    case "b": steps.append(.boundary)
    case "B": steps.append(.inside)
    default:
      guard let ranges = escaped() else { return fail() }
      return add(ranges)
    }
    k += 1
  }

  /// Returns the set of characters that an escape sequence matches. The backslash has already been consumed.
  private mutating func escaped() -> [ClosedRange<UInt32>]? {
    guard let here = next else { return nil }
    k += 1
    switch here {
    case "d": return ScalarSet.digit.ranges
    case "D": return ScalarSet.digit.others
    case "w": return ScalarSet.word.ranges
    case "W": return ScalarSet.word.others
    case "s": return ScalarSet.space.ranges
    case "S": return ScalarSet.space.others
    case "n": return [0x0A...0x0A]
    case "r": return [0x0D...0x0D]
    case "t": return [0x09...0x09]
    default:
      guard ScalarSet.word.contains(here.value), here != "_" else { return [here.value...here.value] }
      k -= 1
      return nil
    }
  }

  private mutating func bracket() {
    let isInverted = accept("^")
    var ranges: [ClosedRange<UInt32>] = []
    var isFirst = true
    while let here = next, here != "]" || isFirst {
      isFirst = false
      k += 1
      var low = [here.value...here.value]
      if here == "\\" {
        guard let found = escaped() else { return fail() }
        low = found
      }
      if next == "-", k + 1 < text.count, text[k + 1] != "]", low.count == 1, low[0].count == 1 {
        k += 1
        var high = text[k].value
        k += 1
        if high == 0x5C {
          guard let found = escaped(), found.count == 1, found[0].count == 1 else { return fail() }
          high = found[0].lowerBound
        }
        guard high >= low[0].lowerBound else { return fail() }
        low = [low[0].lowerBound...high]
      }
      ranges += low
      if ranges.count > LinearPattern.mostSteps { return fail(.tooLong) }
    }
    guard accept("]") else { return fail() }
    add(ranges, inverted: isInverted)
  }
}

struct ScalarSet: Sendable {
  var ranges: [ClosedRange<UInt32>] = []
  var isInverted = false
  var ignoresCase = false

  static let word = ScalarSet(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
  static let digit = ScalarSet(ranges: [0x30...0x39])
  static let space = ScalarSet(ranges: [0x09...0x0D, 0x20...0x20])

  func contains(_ scalar: UInt32) -> Bool {
    var isIn = ranges.contains { $0.contains(scalar) }
    if !isIn, ignoresCase, scalar | 0x20 &- 0x61 < 26 { isIn = ranges.contains { $0.contains(scalar ^ 0x20) } }
    return isIn != isInverted
  }

  func has(_ scalar: UInt32?) -> Bool { scalar.map(contains) ?? false }

  var others: [ClosedRange<UInt32>] {
    var next: UInt32 = 0
    var result: [ClosedRange<UInt32>] = []
    for range in ranges {
      if range.lowerBound > next { result.append(next...range.lowerBound - 1) }
      next = range.upperBound + 1
    }
    return result + [next...0x10FFFF]
  }
}
