import SeaSystem

/// The program `sea-read-xlsx FILE [SHEET]`, which prints a sheet of a workbook as CSV.
///
/// Standard error receives lines that begin with `notice: ` or `error: `.
package enum XLSXProgram {
  package static func run(_ arguments: [String]) -> Int32 {
    guard (2...3).contains(arguments.count) else {
      say("usage: sea-read-xlsx FILE [SHEET]")
      return 2
    }
    do {
      try read(arguments[1], arguments.count == 3 ? arguments[2] : nil)
      return 0
    } catch let refusal as Refusal {
      say("error: \(refusal.reason)")
    } catch {
      say("error: \((error as? SystemError)?.reason ?? "\(error)")")
    }
    return 1
  }

  private static func read(_ path: String, _ name: String?) throws {
    let workbook = try Workbook(path)
    let sheet = try workbook.sheet(name)
    let others = workbook.sheets.filter { $0.name != sheet.name }
    if name == nil, !others.isEmpty {
      say("notice: only sheet '\(sheet.name)' is read, not \(Workbook.names(others))")
    }
    let reader = try SheetReader(
      workbook.sharedStrings(), workbook.styles(), from1904: workbook.from1904, output: .standardOutput())
    try workbook.read(sheet, reader)
    try reader.finish()
  }

  private static let longestLine = 2000

  /// Names in the workbook can be long, and can contain line ends.
  private static func say(_ line: String) {
    let scalars = line.unicodeScalars.prefix(longestLine).map { $0.value < 0x20 ? " " : $0 }
    let text = String(String.UnicodeScalarView(scalars))
    try? File.standardError().write(text + "\n")
  }
}
