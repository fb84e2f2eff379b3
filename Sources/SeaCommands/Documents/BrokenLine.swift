/// A document that is not complete where its line ends, so that the fault is only met in one of the next.
struct BrokenLine {
  let bytes: UnsafeBufferPointer<UInt8>
  /// Where it begins, and in which column of its line, counted from 1.
  let document: Int
  let column: Int
  /// Whether each document is to stand in a line of its own.
  let isLines: Bool

  /// Where it is wrong; nil if that is where the fault was met.
  /// - Parameter isEnd: whether the input ends there.
  func end(place: Int, isEnd: Bool) -> Int? {
    guard var end = nextLine(before: place, isLast: !isEnd) ?? (isEnd ? place : nil) else { return nil }
    while end > document, bytes[end - 1] <= 0x20 { end -= 1 }
    return end
  }

  /// Where before the fault the line ends behind which one follows that looks like another document: with a bracket in the same
  /// column.
  /// - Parameter isLast: whether such a line has to begin at the fault.
  private func nextLine(before end: Int, isLast: Bool) -> Int? {
    guard bytes[document] == 0x7B, isBlank(document + 1 - column..<document) else { return nil }
    func begins(_ at: Int) -> Bool {
      at < bytes.count && bytes[at] == 0x7B && at - column >= document && bytes[at - column] == 0x0A
        && isBlank(at - column + 1..<at)
    }
    if isLast, !begins(end) { return nil }
    var at = document
    while let feed = bytes[at...].firstIndex(of: 0x0A), feed + column <= end {
      at = feed + 1
      guard begins(feed + column) else { continue }
      // Whoever writes a list in lines without indenting them ends the one before with a comma or a bracket.
      if isLines || isLast || bytes[document..<feed].last(where: { $0 > 0x20 }) == UInt8(ascii: ":") { return feed }
    }
    return nil
  }

  private func isBlank(_ range: Range<Int>) -> Bool {
    range.allSatisfy { bytes.indices.contains($0) ? bytes[$0] == 0x20 || bytes[$0] == 0x09 : true }
  }
}
