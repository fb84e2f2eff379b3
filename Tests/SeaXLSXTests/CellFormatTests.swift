import SeaXLSX
import Testing

@Suite struct CellFormatTests {
  @Test(arguments: [
    ("General", CellFormat.number), ("0.00E+00", .number), ("#,##0.00 \"days\"", .number),
    ("[Red]0;[DBNum1]0", .number),
    ("0\\d", .number), ("0_d", .number), ("0*y", .number), ("@", .number), ("[$-F800]dddd, mmmm dd, yyyy", .date),
    ("dd.mm.yyyy", .date), ("MMM\\-YY", .date), ("mmmm", .date), ("d/m/yy h:mm", .date), ("YYYY-MM-DD HH:MM:SS", .date),
    ("h:mm AM/PM", .time), ("mm:ss.0", .time), ("[h]:mm:ss", .duration), ("[mm]:ss", .duration), ("[HH]", .duration),
    ("\"", .number), ("[", .number), ("", .number), ("\\", .number),
  ])
  func aFormatCodeSaysWhetherANumberIsADate(_ code: String, _ format: CellFormat) {
    #expect(CellFormat(code: code) == format, "\(code)")
  }

  @Test func builtInFormatsHaveNoCode() {
    let dates = (-1...60).filter { CellFormat(builtIn: $0) == .date }
    #expect(dates == Array(14...17) + [22] + Array(27...36) + Array(50...58))
    #expect((-1...60).filter { CellFormat(builtIn: $0) == .time } == [18, 19, 20, 21, 45, 47])
    #expect((-1...60).filter { CellFormat(builtIn: $0) == .duration } == [46])
    #expect(CellFormat(builtIn: .max) == .number && CellFormat(builtIn: .min) == .number)
  }

  @Test(
    arguments: [
      (1, "1900-01-01"), (59, "1900-02-28"), (60, nil), (61, "1900-03-01"), (45352, "2024-03-01"),
      (2_958_465, "9999-12-31"), (2_958_466, nil), (0, nil), (-1, nil), (1e300, nil), (-1e300, nil), (.nan, nil),
      (45352.520833333336, "2024-03-01T12:30:00"), (45352.00001157407, "2024-03-01T00:00:01"),
      (45352.999999999, "2024-03-02"), (45352.5000014236, "2024-03-01T12:00:00.123"), (2_958_465.9999999999, nil),
    ] as [(Double, String?)])
  func aSerialDayIsADayOrATime(_ serial: Double, _ text: String?) {
    #expect(SerialDay.text(serial, .date, from1904: false)?.text == text, "\(serial)")
  }

  @Test func daysFrom1904HaveNoFalseLeapDay() {
    #expect(SerialDay.text(0, .date, from1904: true)?.text == "1904-01-01")
    #expect(SerialDay.text(60, .date, from1904: true)?.text == "1904-03-01")
    #expect(SerialDay.text(43890, .date, from1904: true)?.text == "2024-03-01")
    #expect(SerialDay.text(2_958_465, .date, from1904: true) == nil)
  }

  @Test func aTimeWithoutADayIsText() {
    for (serial, format, want) in [
      (0.5, CellFormat.time, "12:00:00"), (0, .time, "00:00:00"), (0.25, .date, "06:00:00"),
      (1.5, .duration, "36:00:00"),
      (0, .duration, "00:00:00"), (0.0000115856, .time, "00:00:01.001"),
    ] {
      let found = SerialDay.text(serial, format, from1904: false)
      #expect(found?.text == want && found?.isTime == true, "\(serial)")
    }
    #expect(SerialDay.text(45352.75, .time, from1904: false)?.text == "2024-03-01T18:00:00")
  }

  @Test(arguments: [
    ("0.10000000000000001", "0.1"), ("1.1000000000000001", "1.1"), ("5", "5"), ("5.0", "5"), ("-0", "0"), ("-0.0", "0"),
    ("1E3", "1000"), ("1.2345678901234599E+16", "1.23456789012346e+16"), ("12345678901234567", "12345678901234567"),
    ("9.9999999999999995E+22", "1e+23"), ("4.9406564584124654E-324", "5e-324"), ("-1.5", "-1.5"),
    ("98765432109876543210", "9.876543210987654e+19"),
  ])
  func aNumberIsTheShortestTextOfTheSameDouble(_ stored: String, _ text: String) throws {
    #expect(CellNumber.text(stored, try #require(CellNumber.value(stored))) == text)
  }

  @Test(arguments: ["", "abc", "inf", "nan", "0x10", "1e999", "1,5", "1 2", "--1", "e5", "."])
  func otherTextsAreNoNumbers(_ stored: String) {
    #expect(CellNumber.value(stored) == nil)
  }

  @Test func aCellNameIsAColumnAndARow() {
    for (name, column, row) in [("A1", 1, 1), ("Z9", 26, 9), ("AA10", 27, 10), ("XFD1048576", 16384, 1_048_576)] {
      #expect(CellName(name).map { [$0.column, $0.row] } == [column, row], "\(name)")
    }
    for name in [
      "", "A", "1", "a1", "A0", "A-1", "XFE1", "A1048577", "AAAA1", "A1B", "A99999999999999999999", "$A$1", "Ä1",
      "AAAAAAAAAAAAAAAAAAAAAAAAAAA1",
    ] { #expect(CellName(name) == nil, "\(name)") }
  }
}
