import SeaCore
import SeaEngine

/// The type of the cells of a column and their form, such as `day[%d.%m.%Y]`.
package struct ColumnType: Sendable {
  let kind: CellType
  private let form: Form
  /// How `--types` names this type.
  let name: String

  private enum Form: Sendable {
    /// The form that `sea dump` writes.
    case plain
    case time(TimeFormat, TimeZone?)
    /// The days since the end of 1899, as spreadsheets count them.
    case excel(TimeZone?)
    case number(NumberFormat)
    case words([String])
    /// The text before each cell.
    case prefix(String)
  }

  static let string = ColumnType(.string)

  var isPlain: Bool { if case .plain = form { true } else { false } }

  init(_ kind: CellType) { (self.kind, form, name) = (kind, .plain, kind.rawValue) }

  /// The type without its form, if the form describes only text and not the numbers of SQLite.
  var ofNumbers: ColumnType { if case .number = form { ColumnType(kind) } else { self } }

  /// - Parameter text: the text in the brackets.
  package init(_ kind: String, _ text: String) throws(ColumnTypeFault) {
    guard let type = CellType(rawValue: kind) else { throw .noForms(type: kind) }
    self.kind = type
    name = "\(kind)[\(text)]"
    switch type {
    case .day: form = text == "excel" ? .excel(nil) : .time(try TimeFormat(text, withTime: false), nil)
    case .date:
      var (text, zone) = (text, nil as TimeZone?)
      if let comma = text.lastIndex(of: ","), !text[comma...].contains("%") {
        zone = try TimeZone.named(String(text[text.index(after: comma)...].drop { $0 == " " }))
        text = String(text[..<comma])
      }
      if text == "excel" {
        guard let zone else { throw .missingZone(form: text) }
        form = .excel(zone)
      } else {
        let format = try TimeFormat(text, withTime: true)
        if let zone, format.hasOffset { throw .excludedFields(["%z", zone.name]) }
        if zone == nil, !format.hasOffset { throw .missingZone(form: text) }
        form = .time(format, zone)
      }
    case .number, .int, .decimal:
      guard let format = NumberFormat(text, isInteger: type == .int) else { throw .badExample(isInteger: type == .int) }
      form = .number(format)
    case .bool:
      let words = text.split(separator: "/", omittingEmptySubsequences: false).map { $0.lowercased() }
      guard words.count == 2, words[0] != words[1], !words.contains("") else { throw .badWords }
      form = .words(words)
    case .ref: form = .prefix(text)
    default: throw .noForms(type: kind)
    }
  }

  /// Returns the value in the form that `sea dump` writes, and whether digits after the millisecond were dropped.
  /// - Returns: nil if the cell has this form.
  package func plain(_ cell: UnsafeBufferPointer<UInt8>) throws(CellFault) -> (text: String, isCut: Bool)? {
    func text() -> String { String(decoding: cell, as: UTF8.self) }
    switch form {
    case .plain:
      if kind == .date, Instant.parse(cell) == nil, let time = TimeFormat.iso(Array(cell)[...]) {
        return (try ColumnType.date(time, nil), time.isCut)
      }
      // Longer fractions could be groups of thousands.
      if kind == .int, text().hasSuffix(".0") { return (String(text().dropLast(2)), false) }
      return nil
    case .time(let format, let zone):
      guard let time = format.parse(Array(cell)[...]) else { throw .form }
      return (kind == .day ? CalendarDay.text(time.day) : try ColumnType.date(time, zone), time.isCut)
    case .excel(let zone):
      guard let time = ColumnType.serial(text()) ?? ColumnType.cell(text()), kind == .date || time.time == 0 else {
        throw .form
      }
      return (kind == .day ? CalendarDay.text(time.day) : try ColumnType.date(time, zone), false)
    case .number(let format):
      guard let text = format.plain(text()) else { throw .form }
      return (text, false)
    case .words(let words):
      guard let place = words.firstIndex(of: text().lowercased()) else { throw .form }
      return (place == 0 ? "true" : "false", false)
    case .prefix(let prefix): return (prefix + text(), false)
    }
  }

  private static func date(_ time: TimeFormat.Result, _ zone: TimeZone?) throws(CellFault) -> String {
    let local = Int64(time.day) * 86400 + Int64(time.time / 1000)
    let times = zone?.times(local) ?? [local - (time.offset ?? 0)]
    guard let first = times.first else { throw .skipped(zone: zone?.name ?? "") }
    guard times.count == 1 else { throw .repeated(zone: zone?.name ?? "") }
    let value = first * 1000 + Int64(time.time % 1000)
    guard Instant.range.contains(value) else { throw .form }
    return Instant.text(value)
  }

  /// Reads a serial number of the 1900 date system. Day 60 is refused: it stands for February 29, 1900, which did not
  /// exist.
  private static func serial(_ text: String) -> TimeFormat.Result? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { $0 &- 0x30 < 10 } }),
      let number = Int(parts[0]), 1...2_958_465 ~= number, number != 60
    else { return nil }
    var time = TimeFormat.Result()
    time.day = number - (number < 60 ? 25_568 : 25_569)
    if parts.count == 2 { time.time = Int(((Double("0." + parts[1]) ?? 0) * 86_400_000).rounded()) }
    return time
  }
}

extension ColumnType {
  /// Reads a day or a time without a time zone, as `sea-read-xlsx` prints those of a workbook.
  fileprivate static func cell(_ text: String) -> TimeFormat.Result? {
    guard text.utf8.dropFirst(4).first == 0x2D, let local = Instant.parse(text.utf8.count == 10 ? text : text + "Z")
    else {
      return nil
    }
    var time = TimeFormat.Result()
    let day = 86_400_000
    time.time = (Int(local) % day + day) % day
    time.day = (Int(local) - time.time) / day
    return time
  }
}

/// The signs in numbers, taken from an example such as `1.234,50`.
struct NumberFormat {
  private let isInteger: Bool
  private var decimal: Unicode.Scalar?
  private var group: Unicode.Scalar?

  /// Spreadsheets write any of these as a blank between groups.
  private static let blanks: [Unicode.Scalar] = [" ", "\u{A0}", "\u{202F}"]
  private static let signs: [Unicode.Scalar] = [".", ",", "'", "’", "_"] + blanks

  /// Returns nil if the example is invalid or could mean two numbers, such as `1.234`.
  init?(_ example: String, isInteger: Bool) {
    self.isInteger = isInteger
    let signs = example.unicodeScalars.filter { !("0"..."9").contains($0) }
    guard signs.allSatisfy(NumberFormat.signs.contains), let last = signs.last else { return nil }
    if isInteger {
      group = last
    } else {
      decimal = last
      group = signs.count > 1 ? signs.first : nil
      let parts = example.unicodeScalars.split(separator: last)
      if group == decimal || signs.count == 1 && parts.count == 2 && parts[0].count <= 3 && parts[1].count == 3 {
        return nil
      }
    }
    if plain(example) == nil { return nil }
  }

  /// Returns the number with a decimal point and without groups; nil if it does not have this form.
  func plain(_ text: String) -> String? {
    let scalars = Array(text.unicodeScalars)
    let isNegative = scalars.first == "-"
    let mantissa = scalars.dropFirst(isNegative ? 1 : 0).prefix { $0 != "e" && $0 != "E" }
    let exponent = scalars[mantissa.endIndex...]
    let parts = mantissa.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == decimal }
    let groups = parts[0].split(omittingEmptySubsequences: false) { sign in
      sign == group || NumberFormat.blanks.contains(sign) && group.map(NumberFormat.blanks.contains) ?? false
    }
    let isDigits = (groups + parts.dropFirst()).allSatisfy { part in
      !part.isEmpty && part.allSatisfy { ("0"..."9").contains($0) }
    }
    guard isDigits else { return nil }
    if groups.count > 1 {
      guard groups[0].count <= 3, groups[0].first != "0", groups.dropFirst().allSatisfy({ $0.count == 3 }) else {
        return nil
      }
    }
    var plain = String.UnicodeScalarView(isNegative ? ["-"] : [])
    plain += groups.joined()
    if parts.count == 2 { plain += ["."] + parts[1] }
    return String(plain + exponent)
  }
}

extension ColumnType {
  func fault(_ fault: CellFault, column: String, _ cell: UnsafeBufferPointer<UInt8>) -> TableFault {
    .badCell(
      column: column, type: name, text: Escape.shown(String(decoding: cell.prefix(40), as: UTF8.self)), fault,
      proposals: fault == .form ? ColumnType.proposals(kind, for: cell) : [])
  }

  /// The types that the user may have meant, because this cell has their form.
  private static func proposals(_ kind: CellType, for cell: UnsafeBufferPointer<UInt8>) -> [String] {
    func fitting(_ kind: CellType, _ forms: [[String]]) -> [String] {
      for same in forms {
        let found = same.compactMap { try? ColumnType(kind.rawValue, $0) }.filter { (try? $0.plain(cell)) != nil }
        if !found.isEmpty { return found.map(\.name) }
      }
      return []
    }
    switch kind {
    case .bool: return fitting(.bool, words)
    case .int: return fitting(.int, [["1.234", "1,234"], ["1'234"], ["1 234"]])
    case .number, .decimal: return fitting(kind, [["1.234,50", "1,234.50"], ["1'234.50"], ["1 234,50"]])
    case .day:
      let midnights = [["%Y-%m-%d 00:00:00"], ["%Y-%m-%dT00:00:00"]]
      return fitting(.day, days + midnights + (cell.count == 5 ? [["excel"]] : []))
    case .date:
      let found = fitting(.day, days)
      if !found.isEmpty { return found }
      let forms = (days + [["%Y-%m-%d"]]).flatMap { days in
        times.map { time in days.map { "\($0)\(time), UTC" } }
      }
      return fitting(.date, forms + [["excel, UTC"]])
    default: return []
    }
  }

  private static let words = [
    ["ja/nein"], ["yes/no"], ["y/n"], ["wahr/falsch"], ["oui/non"], ["vrai/faux"], ["sí/no"], ["sì/no"],
  ]

  private static let times = [
    " %H:%M", " %H:%M:%S", "T%H:%M", "T%H:%M:%S", " %I:%M %p", " %I:%M:%S %p",
  ]

  private static let days = [
    ["%d.%m.%Y"], ["%d/%m/%Y", "%m/%d/%Y"], ["%Y/%m/%d"], ["%d-%m-%Y"], ["%d.%m.%y"], ["%d/%m/%y", "%m/%d/%y"],
    ["%Y%m%d"], ["%d %b %Y"], ["%d-%b-%Y"], ["%b %d, %Y"],
  ]
}

extension ColumnType {
  /// Splits the value of `--types` at the commas outside of brackets. A form ends at the first closing bracket before a
  /// comma or the end.
  /// - Returns: the name and the type of each column, and the text in the brackets; nil if the value is invalid.
  static func split(_ value: String) -> [(column: String, type: String, form: String?)]? {
    var found: [(column: String, type: String, form: String?)] = []
    func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    var rest = Array(value.utf8)[...]
    while !rest.isEmpty {
      var head = rest.prefix { $0 != UInt8(ascii: ",") }
      var end = head.endIndex
      var form: String?
      // The name of a column may contain brackets, too.
      let open = head.indices.first { open in
        let colon = head[..<open].lastIndex(of: UInt8(ascii: ":"))
        return head[open] == UInt8(ascii: "[")
          && colon.flatMap { CellType(rawValue: text(head[($0 + 1)..<open])) } != nil
      }
      if let open {
        let close = rest[open...].indices.first {
          rest[$0] == UInt8(ascii: "]") && ($0 + 1 == rest.endIndex || rest[$0 + 1] == UInt8(ascii: ","))
        }
        guard let close else { return nil }
        form = text(rest[(open + 1)..<close])
        (head, end) = (rest[..<open], close + 1)
      }
      rest = rest[end...].dropFirst()
      if head.isEmpty { continue }
      guard let colon = head.lastIndex(of: UInt8(ascii: ":")), colon > head.startIndex else { return nil }
      found.append((text(head[..<colon]), text(head[(colon + 1)...]), form))
    }
    return found
  }
}
