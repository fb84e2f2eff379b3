import SeaEngine
import SeaSystem

extension Session {
  /// Returns a sheet of an Excel workbook as CSV. The program `sea-read-xlsx` reads the workbook, because it may be hostile.
  /// - Parameters:
  ///   - sheet: the name of the sheet; nil for the first.
  ///   - prints: whether to print the notices of the program.
  func sheet(_ sheet: String?, of file: String, printing prints: Bool = true) throws -> Input {
    guard let program = External.find("read-xlsx", self) else { throw CommandError.workbook(file, .noProgram) }
    let name = Path.name(program)
    var launch = Launch(program, [program, path(file)] + (sheet.map { [$0] } ?? []))
    launch.isHidden = SecretVariables.contains
    let helper: Conversation
    do throws(SystemError) { helper = try Conversation(launch) } catch {
      throw CommandError.notStarted(name, error)
    }
    var said: [UInt8] = []
    helper.complains = { said += $0.prefix(SheetInput.mostSaid - said.count) }
    var isNoticed = !prints
    func notice() {
      guard !isNoticed, let line = SheetInput.line("notice: ", in: said) else { return }
      isNoticed = true
      terminal.notice("\(file): \(line)", hint: "to read another sheet, use \(LoadCommand.sheet.dashed)=NAME")
    }
    return Input { [host] buffer in
      while helper.available.isEmpty {
        try host.checkStop()
        guard try helper.step(nanoseconds: SheetInput.pause) == .closed else { continue }
        let ending = helper.end(seconds: SheetInput.patience)
        notice()
        if ending == .exited(0) { return 0 }
        guard let line = SheetInput.line("error: ", in: said) else {
          throw CommandError.programFailed(name, ending?.status ?? 0)
        }
        throw CommandError.workbook(file, .unreadable(line))
      }
      notice()
      let count = min(buffer.count, helper.available.count)
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: helper.available[..<count]))
      helper.removeFirst(count)
      return count
    }
  }
}

private enum SheetInput {
  static let mostSaid = 1 << 14
  /// The interval in nanoseconds at which signals are checked.
  static let pause: Int64 = 100_000_000
  static let patience = 10.0

  /// Returns the rest of the last line that begins with this word.
  static func line(_ word: String, in said: [UInt8]) -> String? {
    let lines = said.split(separator: 0x0A).map { Escape.shown(String(decoding: $0, as: UTF8.self)) }
    return lines.last { $0.hasPrefix(word) }.map { String($0.dropFirst(word.count)) }
  }
}

/// A cell of a sheet as `sea-read-xlsx` prints it: texts are quoted, and other values are not.
enum SheetCell {
  static let lastColumn = 16_384

  /// - Parameter column: the first is 1.
  static func name(row: Int, column: Int) -> String {
    var (letters, rest) = ("", column)
    while rest > 0 {
      letters = String(UnicodeScalar(UInt8(0x41 + (rest - 1) % 26))) + letters
      rest = (rest - 1) / 26
    }
    return "\(letters)\(row)"
  }

  /// Returns the type of a cell that is not quoted; nil if the cell has an error.
  static func type(_ cell: UnsafeBufferPointer<UInt8>) -> CellType? {
    switch cell.first {
    case UInt8(ascii: "#"): nil
    case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
    default: cell.count < 10 || cell[4] != 0x2D || cell[7] != 0x2D ? .number : cell.count == 10 ? .day : .date
    }
  }
}
