import SeaCore

struct JSONLines {
  private let session: Session
  private let files: [String]

  init(_ session: Session, _ files: [String]) {
    self.session = session
    self.files = files.isEmpty ? ["-"] : files
  }

  /// Calls `body` with the object and the bytes of every nonblank line. If `body` throws a `CoreError` or a
  /// `LineFault`, adds the line number.
  func each(_ body: (borrowing JSONTape, UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    var tape = JSONTape()
    for file in files {
      let name = file == "-" ? "standard input" : file
      let input = try session.reader(file)
      var number = 0
      while let line = try input.line() {
        number += 1
        if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
        do {
          try line.withUnsafeBufferPointer { bytes in
            try JSONLines.parse(bytes, onto: &tape)
            try body(tape, bytes)
          }
        } catch let error as CoreError {
          let excerpt = line.withUnsafeBufferPointer { Excerpt.of(error, in: $0) }
          throw CommandError.input(name: name, line: number, column: (error.place ?? 0) + 1, error, excerpt: excerpt)
        } catch let fault as LineFault {
          throw CommandError.badLine(name: name, line: number, fault)
        }
      }
    }
  }

  private static func parse(_ line: UnsafeBufferPointer<UInt8>, onto tape: inout JSONTape) throws(CoreError) {
    let end = JSONTape.skipSpace(line, from: try tape.parse(line, at: 0))
    guard end == line.count else { throw .badJSON(.trailingText, offset: end) }
    guard tape.isObject else { throw .badJSON(.notAnObject, offset: tape.origin) }
  }
}
