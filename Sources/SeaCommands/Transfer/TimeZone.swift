import SeaCore
import SeaSystem

/// A time zone of the system, read from a TZif file (RFC 9636).
package struct TimeZone: Sendable, Equatable {
  package static let utc = TimeZone("UTC", transitions: [], offsets: [0])

  let name: String
  /// The Unix times at which another offset begins, in ascending order.
  private let transitions: [(time: Int64, offset: Int64)]
  /// The offset before the first transition.
  private let first: Int64
  /// The rule for the years after the last transition.
  private let rule: ZoneRule?
  /// Every offset of this zone, in seconds east of UTC, the greatest first.
  private let offsets: [Int64]

  private static let folder = "/usr/share/zoneinfo"
  private static let largest = 1 << 18

  private init(
    _ name: String, transitions: [(time: Int64, offset: Int64)], offsets: [Int64], rule: ZoneRule? = nil
  ) {
    (self.name, self.transitions, self.rule) = (name, transitions, rule)
    first = offsets[0]
    self.offsets = Set(transitions.map(\.offset) + [first] + (rule?.offsets ?? [])).sorted(by: >)
  }

  package static func == (a: TimeZone, b: TimeZone) -> Bool { a.name == b.name }

  /// Reads the zone with this name.
  package static func named(_ name: String) throws(ColumnTypeFault) -> TimeZone {
    if name == utc.name { return utc }
    // Because no dot is permitted, the file is inside the folder.
    let isName = name.utf8.allSatisfy { byte in
      (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || "_+-/".utf8.contains(byte)
    }
    guard isName, !name.isEmpty, !name.hasPrefix("/") else { throw .unknownZone(name, folder: folder) }
    let path = Path.join(folder, name)
    guard let status = try? Path.statusFollowing(path), status.kind == .file,
      let bytes = try? File(path).readAll(limit: largest)
    else { throw .unknownZone(name, folder: folder) }
    guard let zone = TimeZone(name, bytes) else { throw .badZone(name, path: path) }
    return zone
  }

  /// Returns nil for a file that is invalid or counts leap seconds.
  package init?(_ name: String, _ file: [UInt8]) {
    guard var header = TZifHeader(file, at: 0, width: 4), header.end <= file.count else { return nil }
    var rule: ZoneRule?
    if header.isVersioned {
      guard let second = TZifHeader(file, at: header.end, width: 8), second.end < file.count else { return nil }
      header = second
      let footer = file[second.end...]
      guard footer.first == 0x0A, let end = footer.dropFirst().firstIndex(of: 0x0A) else { return nil }
      let text = footer[(second.end + 1)..<end]
      if !text.isEmpty {
        guard let found = ZoneRule(text) else { return nil }
        rule = found
      }
    }
    guard header.leaps == 0, header.types > 0 else { return nil }
    let kinds = header.start + header.times * header.width
    let types = kinds + header.times
    let offsets = (0..<header.types).map { TZifHeader.number(file, types + 6 * $0, 4) }
    guard offsets.allSatisfy({ abs($0) < 26 * 3600 }) else { return nil }
    var transitions: [(time: Int64, offset: Int64)] = []
    for k in 0..<header.times {
      let time = TZifHeader.number(file, header.start + k * header.width, header.width)
      let kind = Int(file[kinds + k])
      guard kind < offsets.count, transitions.last.map({ $0.time < time }) ?? true else { return nil }
      transitions.append((time, offsets[kind]))
    }
    self.init(name, transitions: transitions, offsets: offsets, rule: rule)
  }

  /// Returns all Unix times, in ascending order, at which clocks in this zone show `local`, the seconds since
  /// 1970-01-01T00:00:00 local time.
  ///
  /// If clocks are moved forward, some local times have no Unix time; if clocks are moved back, some have two.
  package func times(_ local: Int64) -> [Int64] {
    offsets.compactMap { offset(at: local - $0) == $0 ? local - $0 : nil }
  }

  private func offset(at time: Int64) -> Int64 {
    if let rule, time >= transitions.last?.time ?? .min { return rule.offset(at: time) }
    var (low, high) = (0, transitions.count)
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle].time <= time { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? first : transitions[low - 1].offset
  }
}

/// The header of one of the two data blocks in a TZif file.
private struct TZifHeader {
  let isVersioned: Bool
  let start: Int
  /// The number of bytes of each time.
  let width: Int
  let times: Int
  let types: Int
  let leaps: Int
  let end: Int

  init?(_ file: [UInt8], at place: Int, width: Int) {
    guard file.count - place >= 44, file[place...].starts(with: "TZif".utf8) else { return nil }
    let counts = (0..<6).map { Int(TZifHeader.number(file, place + 20 + 4 * $0, 4)) }
    guard counts.allSatisfy({ 0...file.count ~= $0 }) else { return nil }
    isVersioned = file[place + 4] > 0
    start = place + 44
    (self.width, times, types, leaps) = (width, counts[3], counts[4], counts[2])
    end = start + times * (width + 1) + types * 6 + counts[5] + leaps * (width + 4) + counts[1] + counts[0]
  }

  static func number(_ file: [UInt8], _ place: Int, _ width: Int) -> Int64 {
    let value = file[place..<place + width].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return width == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
  }
}

/// A time zone in the form of the variable TZ in POSIX, such as `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule {
  /// A day of each year, and the seconds from its beginning.
  private struct Change {
    enum Day {
      /// February 29 is never counted. The first day is 1.
      case fixed(Int)
      /// February 29 is counted. The first day is 0.
      case counted(Int)
      /// Week 5 is the last one; weekday 0 is Sunday.
      case weekday(Int, week: Int, month: Int)
    }
    let day: Day
    let seconds: Int64
  }

  private let standard: Int64
  private let summer: (offset: Int64, start: Change, end: Change)?

  var offsets: [Int64] { [standard] + (summer.map { [$0.offset] } ?? []) }

  init?(_ text: ArraySlice<UInt8>) {
    var reader = DigitReader(rest: text)
    guard ZoneRule.name(&reader), let west = ZoneRule.time(&reader) else { return nil }
    standard = -west
    guard !reader.rest.isEmpty else {
      summer = nil
      return
    }
    guard ZoneRule.name(&reader) else { return nil }
    var offset = standard + 3600
    if reader.rest.first != 0x2C {
      guard let west = ZoneRule.time(&reader) else { return nil }
      offset = -west
    }
    guard reader.accept(","), let start = ZoneRule.change(&reader), reader.accept(","),
      let end = ZoneRule.change(&reader), reader.rest.isEmpty
    else { return nil }
    summer = (offset, start, end)
  }

  private static func name(_ reader: inout DigitReader) -> Bool {
    let isQuoted = reader.accept("<")
    let name = reader.rest.prefix { byte in
      (byte | 0x20) &- 0x61 < 26 || isQuoted && (byte &- 0x30 < 10 || byte == 0x2B || byte == 0x2D)
    }
    reader.rest = reader.rest.dropFirst(name.count)
    return name.count >= 3 && (!isQuoted || reader.accept(">"))
  }

  /// Reads `[+-]hh[:mm[:ss]]`.
  private static func time(_ reader: inout DigitReader) -> Int64? {
    let isNegative = reader.accept("-")
    if !isNegative { _ = reader.accept("+") }
    guard var seconds = reader.number(1...3, 0...167).map({ Int64($0) * 3600 }) else { return nil }
    for unit in [Int64(60), 1] where reader.accept(":") {
      guard let part = reader.number(2...2, 0...59) else { return nil }
      seconds += Int64(part) * unit
    }
    return isNegative ? -seconds : seconds
  }

  private static func change(_ reader: inout DigitReader) -> Change? {
    let day: Change.Day
    if reader.accept("M") {
      guard let month = reader.number(1...2, 1...12), reader.accept("."), let week = reader.number(1...1, 1...5),
        reader.accept("."), let weekday = reader.number(1...1, 0...6)
      else { return nil }
      day = .weekday(weekday, week: week, month: month)
    } else if reader.accept("J") {
      guard let number = reader.number(1...3, 1...365) else { return nil }
      day = .fixed(number)
    } else {
      guard let number = reader.number(1...3, 0...365) else { return nil }
      day = .counted(number)
    }
    guard reader.accept("/") else { return Change(day: day, seconds: 7200) }
    guard let seconds = time(&reader) else { return nil }
    return Change(day: day, seconds: seconds)
  }

  func offset(at time: Int64) -> Int64 {
    guard let summer else { return standard }
    let local = time + standard
    let year = CalendarDay.date(of: Int((local - ((local % 86400) + 86400) % 86400) / 86400)).year
    var last = (time: Int64.min, offset: standard)
    for year in max(year - 1, 1)...min(max(year, 1) + 1, 9999) {
      // If summer time ends when it begins again, it lasts all year.
      for (change, before, offset) in [(summer.end, summer.offset, standard), (summer.start, standard, summer.offset)] {
        let begin = ZoneRule.start(of: change.day, in: year) * 86400 + change.seconds - before
        if begin <= time, begin >= last.time { last = (begin, offset) }
      }
    }
    return last.offset
  }

  private static func start(of day: Change.Day, in year: Int) -> Int64 {
    func first(_ month: Int) -> Int { CalendarDay.day(year, month, 1) ?? 0 }
    switch day {
    case .fixed(let number):
      return Int64(first(1) + number - 1 + (number >= 60 && CalendarDay.day(year, 2, 29) != nil ? 1 : 0))
    case .counted(let number): return Int64(first(1) + number)
    case .weekday(let weekday, let week, let month):
      // January 1, 1970, was a Thursday.
      let start = first(month)
      let today = ((start + 4) % 7 + 7) % 7
      var found = start + (weekday - today + 7) % 7 + (week - 1) * 7
      let next = month == 12 ? start + 31 : first(month + 1)
      while found >= next { found -= 7 }
      return Int64(found)
    }
  }
}

/// Reads numbers and single characters from the beginning of a text.
struct DigitReader {
  var rest: ArraySlice<UInt8>

  mutating func accept(_ sign: Unicode.Scalar) -> Bool {
    guard let byte = rest.first, UInt32(byte) == sign.value else { return false }
    rest = rest.dropFirst()
    return true
  }

  /// Reads as many digits as possible. Returns nil if their number or their value is out of range.
  mutating func number(_ digits: ClosedRange<Int>, _ values: ClosedRange<Int>) -> Int? {
    let text = rest.prefix(digits.upperBound).prefix { $0 &- 0x30 < 10 }
    let value = text.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    guard text.count >= digits.lowerBound, values ~= value else { return nil }
    rest = rest.dropFirst(text.count)
    return value
  }
}
