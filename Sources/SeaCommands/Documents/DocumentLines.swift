import SeaCore

/// Whether documents stand one on each line. Only then it is known where one ends that cannot be parsed, and what stands within it is not
/// taken for documents.
struct DocumentLines {
  /// The fault of a line that was passed over. Were it the beginning of a document of several lines, the end of that would show.
  private var passed: CommandError?
  private var areLines = true
  private var isNewLine = true

  /// Takes what stands between documents.
  mutating func skipped(_ space: UnsafeBufferPointer<UInt8>) {
    if !isNewLine, space.contains(0x0A) { isNewLine = true }
  }

  /// Takes a document.
  /// - Throws: the fault of a line before it, if the document shows that lines are no documents.
  mutating func add(_ document: UnsafeBufferPointer<UInt8>) throws {
    areLines = areLines && isNewLine && !document.contains(0x0A)
    isNewLine = false
    if let passed, !areLines { throw CommandError.noLines(passed) }
  }

  /// The line of a document with a fault is to be passed over, whose first byte, and whether that is the first of the line, is given.
  mutating func pass(_ first: UInt8, isAtStart: Bool, _ fault: CommandError) throws {
    // With these a line begins that goes on with a document.
    let isRest = [0x22, 0x2C, 0x3A, 0x5B, 0x5D, 0x7D].contains(first)
    guard areLines, isAtStart, !isRest else { throw CommandError.noLines(passed ?? fault) }
    if passed == nil { passed = fault }
    isNewLine = true
  }
}
