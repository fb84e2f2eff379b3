import SeaCommands
import SeaCore
import Testing

/// The forms of cells that `load --types` sets in brackets.
@Suite struct ColumnTypeTests {
  /// Returns nil if the cell does not have the form.
  private func plain(_ kind: String, _ form: String, _ cell: String) throws -> String? {
    let type = try ColumnType(kind, form)
    var cell = cell
    return try cell.withUTF8 { cell throws(CellFault) in
      do throws(CellFault) { return try type.plain(cell)?.text } catch {
        if error == .form { return nil }
        throw error
      }
    }
  }

  @Test(arguments: [
    ("%d.%m.%Y", "31.12.2026", "2026-12-31"), ("%d.%m.%Y", "1.3.0001", "0001-03-01"),
    ("%m/%d/%Y", "2/29/2024", "2024-02-29"), ("%Y%m%d", "20260301", "2026-03-01"),
    ("%d.%m.%y", "01.02.68", "2068-02-01"), ("%d.%m.%y", "01.02.69", "1969-02-01"),
    ("%d-%b-%Y", "5-mar-2026", "2026-03-05"), ("%b %d, %Y", "Dec 24, 2026", "2026-12-24"),
    ("am %d. %m. %Y", "am 1. 12. 2026", "2026-12-01"), ("%Y-%m-%d 00:00", "2026-03-01 00:00", "2026-03-01"),
    ("%Y年%m月%d日", "2026年3月1日", "2026-03-01"),
    ("excel", "1", "1900-01-01"), ("excel", "59", "1900-02-28"), ("excel", "61", "1900-03-01"),
    ("excel", "25569", "1970-01-01"), ("excel", "46082.0", "2026-03-01"), ("excel", "2958465", "9999-12-31"),
  ])
  func dayHasForm(form: String, cell: String, day: String) throws { #expect(try plain("day", form, cell) == day) }

  @Test(arguments: [
    ("%d.%m.%Y", "31.02.2026"), ("%d.%m.%Y", "31.12.26"), ("%d.%m.%Y", "31.12.20261"), ("%d.%m.%Y", " 31.12.2026"),
    ("%d.%m.%Y", "31.12.2026 "), ("%d.%m.%Y", "31-12-2026"), ("%d.%m.%Y", "0.12.2026"), ("%d.%m.%Y", "12.13.2026"),
    ("%d.%m.%Y", "1.1.0000"), ("%d.%m.%Y", ""), ("%d.%m.%Y", "٣١.١٢.٢٠٢٦"), ("%b %d, %Y", "Mai 1, 2026"),
    ("%Y-%m-%d 00:00", "2026-03-01 00:01"), ("%d.%m.%y", "1.1.2026"),
    ("excel", "0"), ("excel", "60"), ("excel", "2958466"), ("excel", "-1"), ("excel", "46082.5"), ("excel", "1e3"),
    ("excel", "46082."), ("excel", ".5"), ("excel", "99999999999999999999"), ("excel", ""),
  ])
  func otherTextIsNoDay(form: String, cell: String) throws { #expect(try plain("day", form, cell) == nil) }

  @Test(arguments: [
    ("%Y-%m-%d %H:%M, UTC", "2026-03-01 9:05", "2026-03-01T09:05:00Z"),
    ("%m/%d/%Y %I:%M %p, UTC", "3/1/2026 12:30 AM", "2026-03-01T00:30:00Z"),
    ("%m/%d/%Y %I:%M %p, UTC", "3/1/2026 12:30 pm", "2026-03-01T12:30:00Z"),
    ("%d/%b/%Y:%H:%M:%S %z", "01/Mar/2026:10:00:00 +0130", "2026-03-01T08:30:00Z"),
    ("%Y-%m-%d %H:%M:%S.%f%z", "2026-03-01 10:00:00.1234567-05", "2026-03-01T15:00:00.123Z"),
    ("%Y-%m-%d %H:%M:%S.%f%z", "2026-03-01 10:00:00.5Z", "2026-03-01T10:00:00.500Z"),
    ("%Y-%m-%d %H:%M:%S, UTC", "2026-03-01 10:00:00.25", "2026-03-01T10:00:00.250Z"),
    ("%Y-%m-%d %I:%M:%S %p%z", "2026-03-01 01:00:00.1234 PM+01", "2026-03-01T12:00:00.123Z"),
    ("%H.%M.%S.%d.%m.%Y, UTC", "10.00.07.1.3.2026", "2026-03-01T10:00:07Z"),
    ("%b %d, %Y, UTC", "Mar 1, 2026", "2026-03-01T00:00:00Z"),
    ("excel, UTC", "46082.4166666667", "2026-03-01T10:00:00Z"), ("excel, UTC", "1.5", "1900-01-01T12:00:00Z"),
    ("excel, UTC", "46081.9999999999", "2026-03-01T00:00:00Z"),
  ])
  func dateHasForm(form: String, cell: String, date: String) throws { #expect(try plain("date", form, cell) == date) }

  @Test(arguments: [
    ("%Y-%m-%d %H:%M, UTC", "2026-03-01 24:00"), ("%Y-%m-%d %H:%M, UTC", "2026-03-01 10:60"),
    ("%Y-%m-%d %H:%M:%S, UTC", "2026-06-30 23:59:60"), ("%Y-%m-%d %H:%M, UTC", "2026-03-01 10:5"),
    ("%m/%d/%Y %I:%M %p, UTC", "3/1/2026 13:30 PM"), ("%m/%d/%Y %I:%M %p, UTC", "3/1/2026 1:30 XM"),
    ("%Y-%m-%d%z", "2026-03-01+1"), ("%Y-%m-%d%z", "2026-03-01+01:0"), ("%Y-%m-%d%z", "2026-03-01"),
    ("%Y-%m-%d%z", "0001-01-01+01"), ("%Y-%m-%d%z", "9999-12-31-24"),
    ("%Y-%m-%d %H:%M:%S.%f, UTC", "2026-03-01 10:00:00."), ("%Y-%m-%d %H:%M:%S, UTC", "2026-03-01 10:00:00."),
    ("excel, UTC", "60.5"), ("excel, UTC", "0.5"),
  ])
  func otherTextIsNoDate(form: String, cell: String) throws { #expect(try plain("date", form, cell) == nil) }

  @Test func localTimeThatIsSkippedOrRepeatedIsRefused() throws {
    let form = "%d.%m.%Y %H:%M, Europe/Zurich"
    #expect(try plain("date", form, "29.03.2026 01:59") == "2026-03-29T00:59:00Z")
    #expect(throws: CellFault.skipped(zone: "Europe/Zurich")) { try plain("date", form, "29.03.2026 02:00") }
    #expect(throws: CellFault.repeated(zone: "Europe/Zurich")) { try plain("date", form, "25.10.2026 02:59") }
    #expect(try plain("date", form, "25.10.2026 03:00") == "2026-10-25T02:00:00Z")
  }

  @Test(arguments: [
    ("1.234,50", "1.234.567,8", "1234567.8"), ("1.234,50", "1234,50", "1234.50"), ("1.234,50", "-0,5", "-0.5"),
    ("1.234,50", "12", "12"), ("1.234,50", "1.234", "1234"), ("1234,5", "1,5e-7", "1.5e-7"), ("1234,5", "7", "7"),
    ("1'234.50", "12'345.60", "12345.60"), ("1 234,50", "1\u{202F}234,50", "1234.50"),
    ("1 234,50", "12\u{A0}345 678", "12345678"), ("0,5", "1,25", "1.25"), ("1,234.5", "1,234,567.25", "1234567.25"),
  ])
  func numberHasSignsOfExample(example: String, cell: String, number: String) throws {
    #expect(try plain("decimal", example, cell) == number)
    #expect(try plain("number", example, cell) == number)
  }

  @Test(arguments: [
    ("1.234,50", "12.50"), ("1.234,50", "1.23"), ("1.234,50", "1234.567"), ("1.234,50", "0.123"),
    ("1.234,50", "1,234,567"), ("1.234,50", "1.234,"), ("1.234,50", ",5"), ("1.234,50", "1 234,50"),
    ("1.234,50", "+1,5"), ("1.234,50", ""), ("1.234,50", "-"), ("1.234,50", "1,5 €"), ("1.234,50", "1,5.0"),
    ("1234,5", "1.234,5"), ("1234,5", "1.5"), ("1 234,50", "1.234,50"),
  ])
  func otherTextIsNoNumber(example: String, cell: String) throws { #expect(try plain("decimal", example, cell) == nil) }

  @Test func integerHasGroupsOfExample() throws {
    #expect(try plain("int", "1.234", "1.234.567") == "1234567")
    #expect(try plain("int", "1'234", "-12") == "-12")
    #expect(try plain("int", "1.234", "1.234,0") == nil)
  }

  @Test func wordsAreTrueAndFalseInAnyCase() throws {
    for (word, flag) in [("ja", "true"), ("JA", "true"), ("Nein", "false")] {
      #expect(try plain("bool", "Ja/nein", word) == flag)
    }
    for word in ["j", "true", "1", "", "ja "] { #expect(try plain("bool", "ja/nein", word) == nil) }
  }

  @Test(
    arguments: [
      ("day", "%d.%m", .missingField(["%Y", "%y"], for: nil)), ("day", "", .missingField(["%d"], for: nil)),
      ("day", "%d.%m.%Y %H", .badField("%H", allowed: ["%d", "%m", "%b", "%Y", "%y"])),
      ("day", "%d.%m.%Y%", .badField("%", allowed: ["%d", "%m", "%b", "%Y", "%y"])),
      ("day", "%d.%m.%Y %y", .excludedFields(["%Y", "%y"])), ("day", "%d.%d.%m.%Y", .excludedFields(["%d", "%d"])),
      ("date", "%d.%m.%Y %H:%M", .missingZone(form: "%d.%m.%Y %H:%M")), ("date", "excel", .missingZone(form: "excel")),
      ("date", "%d.%m.%Y %M, UTC", .missingField(["%H", "%I"], for: "%M")),
      ("date", "%d.%m.%Y %I, UTC", .missingField(["%p"], for: "%I")),
      ("date", "%d.%m.%Y %H %p, UTC", .missingField(["%I"], for: "%p")),
      ("date", "%d.%m.%Y %z, UTC", .excludedFields(["%z", "UTC"])),
      ("date", "%d.%m.%Y, ../UTC", .unknownZone("../UTC", folder: "/usr/share/zoneinfo")),
      ("decimal", "1.234", .badExample(isInteger: false)), ("decimal", "12", .badExample(isInteger: false)),
      ("decimal", "1.23,50", .badExample(isInteger: false)), ("decimal", "1,234,567", .badExample(isInteger: false)),
      ("decimal", "x", .badExample(isInteger: false)), ("decimal", "", .badExample(isInteger: false)),
      ("int", "1234", .badExample(isInteger: true)), ("int", "1.234,5", .badExample(isInteger: true)),
      ("bool", "ja", .badWords), ("bool", "ja/Ja", .badWords), ("bool", "ja/", .badWords), ("bool", "a/b/c", .badWords),
      ("string", "x", .noForms(type: "string")), ("set", "x", .noForms(type: "set")),
    ] as [(String, String, ColumnTypeFault)])
  func invalidFormIsRefused(kind: String, form: String, fault: ColumnTypeFault) {
    #expect(throws: fault) { try ColumnType(kind, form) }
  }
}
