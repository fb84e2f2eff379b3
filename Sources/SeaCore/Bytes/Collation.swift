/// Sorts and compares UTF-8 text as people read it, in the same way on every machine and without a locale.
///
/// The order considers the letters first, then the marks of each letter, such as accents, then the case, and finally the
/// bytes. `CollationTable` has the data of one version of Unicode. Letters are sorted by code point, except for some
/// Latin letters that the table places beside others, such as ß beside ss.
package enum Collation {
  /// Compares letters and marks, but not their case. Two strings are equal if they differ only in the case of letters
  /// (simple case folding), or in how letters and their marks are encoded. Bytes that are not UTF-8 come last.
  package static func compare(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
    let common = min(a.count, b.count)
    var k = 0
    // The last ASCII character before the first difference. It begins a letter, so what precedes it is equal.
    var start = 0
    while k < common {
      let (x, y) = (a[k], b[k])
      if x != y {
        guard x | y < 0x80 else { break }
        let (x, y) = (folded(x), folded(y))
        if x != y { return x < y ? -1 : 1 }
      }
      if x < 0x80 { start = k }
      k &+= 1
    }
    if k == common {
      if a.count == b.count { return 0 }
      if (a.count > k ? a : b)[k] < 0x80 { return a.count < b.count ? -1 : 1 }
    }
    let near = letter(before: k, in: a, from: start)
    var (left, right) = (CollationUnits(a, from: near), CollationUnits(b, from: near))
    while true {
      let (x, y) = (left.nextLetter(), right.nextLetter())
      guard let x, let y else {
        if x == nil, y == nil { break }
        return x == nil ? -1 : 1
      }
      if x != y { return x < y ? -1 : 1 }
    }
    let (marks, others) = (CollationLevels(a, from: start).marks, CollationLevels(b, from: start).marks)
    return marks == others ? 0 : marks.lexicographicallyPrecedes(others) ? -1 : 1
  }

  /// Returns the beginning of the equal character before a difference, which can be part of the letter that differs.
  private static func letter(before k: Int, in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var at = k
    // The difference can be inside a character, and a syllable of Hangul can have three characters.
    for _ in 0..<3 { repeat { at -= 1 } while at > start && text[at] & 0xC0 == 0x80 }
    return max(at, start)
  }

  /// Returns bytes that sort by letters, marks, case and bytes. Only equal strings have equal keys.
  ///
  /// A key consists of these four levels, with a zero byte before each level but the first, and without zero bytes at
  /// its end. The fourth level of ASCII text is empty, because the other levels determine the text.
  package static func key(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    guard text.allSatisfy({ $0 &- 3 < 0x7D }) else { return CollationLevels(text).key(text) }
    var key: [UInt8] = []
    key.reserveCapacity(text.count + 8)
    var cased = 0
    for (k, byte) in text.enumerated() {
      key.append(folded(byte))
      if byte != key[k] { cased = k + 1 }
    }
    guard cased > 0 else { return key }
    key += [0, 0]
    for byte in text.prefix(cased) { key.append(byte == folded(byte) ? 1 : 2) }
    return key
  }

  /// Whether the text matches a pattern of SQL, in which `%` stands for any text and `_` for one character. Ignores case.
  /// - Parameters:
  ///   - escape: the character that gives the next character its literal meaning.
  ///   - check: is called regularly, and may throw.
  package static func matches<Failure: Error>(
    _ text: UnsafeBufferPointer<UInt8>, like pattern: UnsafeBufferPointer<UInt8>, escape: UInt32? = nil,
    check: () throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    var (t, p, steps) = (0, 0, 0)
    // Where to continue after a mismatch: behind the last `%`, and one character later in the text.
    var retry: (text: Int, pattern: Int)?
    while t < text.count || p < pattern.count {
      steps &+= 1
      if steps & 0xFFFF == 0 { try check() }
      if p < pattern.count {
        var (wanted, end) = CollationUnits.scalar(pattern, p)
        let isLiteral = wanted == escape
        if isLiteral {
          guard end < pattern.count else { return false }
          (wanted, end) = CollationUnits.scalar(pattern, end)
        }
        if wanted == 0x25, !isLiteral {
          p = end
          retry = (t, p)
          continue
        }
        guard t < text.count else { return false }
        let (found, next) = CollationUnits.scalar(text, t)
        if found == wanted || wanted == 0x5F && !isLiteral || folded(found) == folded(wanted) {
          (t, p) = (next, end)
          continue
        }
      } else if retry?.pattern == p {
        return true
      }
      guard let last = retry else { return false }
      (t, p) = (CollationUnits.scalar(text, last.text).end, last.pattern)
      retry = (t, p)
    }
    return true
  }

  static func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// Returns the character without its case (simple case folding).
  static func folded(_ scalar: UInt32) -> UInt32 {
    if scalar < 0x80 { return UInt32(folded(UInt8(scalar))) }
    guard let row = row(scalar, of: CollationTable.folds), scalar <= row >> 21 & 0x1F_FFFF else { return scalar }
    let distance = scalar - UInt32(row >> 42 & 0x1F_FFFF)
    // In these rows, only every second character has a case.
    if row >> 63 == 1, distance & 1 == 1 { return scalar }
    return UInt32(row & 0x1F_FFFF) + distance
  }

  /// Returns the last row that begins with this character or a smaller one.
  @inline(__always) static func row(_ scalar: UInt32, of table: [UInt64]) -> UInt64? {
    table.withUnsafeBufferPointer { table in
      var (low, count) = (0, table.count)
      while count > 0 {
        let half = count >> 1
        let isBelow = UInt32(truncatingIfNeeded: table[low &+ half] >> 42) & 0x1F_FFFF <= scalar
        low = isBelow ? low &+ half &+ 1 : low
        count = isBelow ? count &- half &- 1 : half
      }
      return low > 0 ? table[low - 1] : nil
    }
  }
}

/// Reads text as letters and marks. Characters are decomposed, and letters lose their case.
struct CollationUnits {
  private let text: UnsafeBufferPointer<UInt8>
  private var k: Int
  /// The rest of a decomposed character, in reverse order.
  private var rest: InlineArray<6, Unit> = .init(repeating: Unit(scalar: 0))
  private var count = 0

  struct Unit {
    let scalar: UInt32
    /// For a mark, its class, which determines the order of the marks of one letter; nil for a letter.
    var markClass: UInt8?
    var isUpper = false
  }

  init(_ text: UnsafeBufferPointer<UInt8>, from start: Int = 0) { (self.text, k) = (text, start) }

  mutating func nextLetter() -> UInt32? {
    while let unit = next() { if unit.markClass == nil { return unit.scalar } }
    return nil
  }

  mutating func next() -> Unit? {
    if count > 0 {
      count -= 1
      return rest[count]
    }
    guard k < text.count else { return nil }
    let (read, end) = CollationUnits.scalar(text, k)
    k = end
    var scalar = Collation.folded(read)
    let isUpper = scalar != read
    if scalar < 0x80 { return Unit(scalar: scalar, isUpper: isUpper) }
    if let syllable = hangul(scalar) { return Unit(scalar: syllable) }
    while scalar >= 0xC0, let row = Collation.row(scalar, of: CollationTable.parts), row >> 42 & 0x1F_FFFF == scalar {
      // Without a separate mark, this character would be equal to the letters beside which it is sorted.
      if row >> 63 == 1 { push(Unit(scalar: 0x2_0000 + scalar, markClass: 0)) }
      let second = UInt32(row & 0x1F_FFFF)
      if second != 0 { push(CollationUnits.unit(second, isUpper: isUpper)) }
      scalar = UInt32(row >> 21 & 0x1F_FFFF)
    }
    // й is a letter, and not и with a mark.
    if scalar == 0x438, skip(0x306) { scalar = 0x439 }
    return CollationUnits.unit(scalar, isUpper: isUpper)
  }

  private mutating func push(_ unit: Unit) {
    rest[count] = unit
    count += 1
  }

  private static func unit(_ scalar: UInt32, isUpper: Bool) -> Unit {
    guard scalar >= 0x300, let row = Collation.row(scalar, of: CollationTable.marks), scalar <= row >> 21 & 0x1F_FFFF
    else {
      return Unit(scalar: scalar, isUpper: isUpper)
    }
    return Unit(scalar: scalar, markClass: UInt8(row & 0xFF))
  }

  private mutating func skip(_ scalar: UInt32) -> Bool {
    guard k < text.count, case let (found, end) = CollationUnits.scalar(text, k), found == scalar else { return false }
    k = end
    return true
  }

  /// Returns the syllable that begins with this character, composed of its letters; nil if it is not Hangul.
  private mutating func hangul(_ scalar: UInt32) -> UInt32? {
    func next(_ range: ClosedRange<UInt32>) -> UInt32? {
      guard k < text.count, case let (found, end) = CollationUnits.scalar(text, k), range.contains(found) else {
        return nil
      }
      k = end
      return found - range.lowerBound
    }
    var syllable = scalar
    if (0x1100...0x1112).contains(scalar) {
      guard let vowel = next(0x1161...0x1175) else { return scalar }
      syllable = 0xAC00 + ((scalar - 0x1100) * 21 + vowel) * 28
    }
    guard (0xAC00...0xD7A3).contains(syllable) else { return nil }
    if (syllable - 0xAC00) % 28 == 0, let final = next(0x11A8...0x11C2) { syllable += final + 1 }
    return syllable
  }

  /// Returns the character at a position, and the position behind it. Each byte that is not UTF-8 counts
  /// as a separate character above all others.
  static func scalar(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> (scalar: UInt32, end: Int) {
    let lead = text[at]
    if lead < 0x80 { return (UInt32(lead), at + 1) }
    let length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0
    let invalid = (scalar: 0x11_0000 + UInt32(lead), end: at + 1)
    guard length > 0, at + length <= text.count else { return invalid }
    var scalar = UInt32(lead) & (0x7F >> UInt32(length))
    for byte in text[(at + 1)..<(at + length)] {
      guard byte & 0xC0 == 0x80 else { return invalid }
      scalar = scalar << 6 | UInt32(byte & 0x3F)
    }
    let isValid =
      length == 2 || length == 3 && scalar >= 0x800 && scalar >> 11 != 0x1B || scalar &- 0x1_0000 < 0x10_0000
    return isValid ? (scalar, at + length) : invalid
  }
}

/// The levels of a text. At the end of a level, what every longer text continues with is omitted.
struct CollationLevels {
  private var letters: [UInt8] = []
  /// The marks before the first letter and behind each letter. A one follows each of these groups.
  private(set) var marks: [UInt8] = []
  /// For each letter, 2 if it is an upper case letter, otherwise 1.
  private var cases: [UInt8] = []

  init(_ text: UnsafeBufferPointer<UInt8>, from start: Int = 0) {
    letters.reserveCapacity(3 * text.count + 8)
    var units = CollationUnits(text, from: start)
    var group = CollationMarks()
    var (ends, lowers) = (0, 0)
    while let unit = units.next() {
      guard unit.markClass == nil else {
        if group.isFull { group.move(to: &marks, behind: &ends) }
        group.add(unit)
        continue
      }
      if !group.isEmpty { group.move(to: &marks, behind: &ends) }
      ends += 1
      CollationLevels.append(unit.scalar, to: &letters)
      lowers += 1
      if unit.isUpper {
        for _ in 1..<lowers { cases.append(1) }
        cases.append(2)
        lowers = 0
      }
    }
    if !group.isEmpty { group.move(to: &marks, behind: &ends) }
  }

  consuming func key(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    letters.append(0)
    letters += marks
    letters.append(0)
    letters += cases
    letters.append(0)
    if !text.allSatisfy({ $0 < 0x80 }) { letters += text }
    while letters.last == 0 { letters.removeLast() }
    return letters
  }

  /// Appends bytes that sort by code point, and are never 0 or 1.
  static func append(_ scalar: UInt32, to level: inout [UInt8]) {
    if scalar < 0x80 {
      if scalar < 3 { level.append(2) }
      return level.append(UInt8(scalar < 3 ? scalar + 1 : scalar))
    }
    let count: UInt32 = scalar < 0x800 ? 1 : scalar < 0x1_0000 ? 2 : 3
    level.append(UInt8((0xFF00 >> (count + 1) | scalar >> (6 * count)) & 0xFF))
    for k in (0..<count).reversed() { level.append(UInt8(0x80 | scalar >> (6 * k) & 0x3F)) }
  }
}

/// The marks of a letter. Marks of different classes have no order, so they are sorted by class. The limit is that of
/// streams in UAX #15.
private struct CollationMarks {
  private var marks: InlineArray<30, CollationUnits.Unit> = .init(repeating: .init(scalar: 0))
  private var count = 0

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count == 30 }

  mutating func add(_ mark: CollationUnits.Unit) {
    var at = count
    while at > 0, marks[at - 1].markClass! > mark.markClass! {
      marks[at] = marks[at - 1]
      at -= 1
    }
    marks[at] = mark
    count += 1
  }

  /// - Parameter ends: the number of groups that have ended since the last mark.
  mutating func move(to level: inout [UInt8], behind ends: inout Int) {
    for _ in 0..<ends { level.append(1) }
    for k in 0..<count { CollationLevels.append(marks[k].scalar, to: &level) }
    (ends, count) = (0, 0)
  }
}
