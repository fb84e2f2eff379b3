/// The three-way merge of texts by lines, as defined in sea-merge(5).
///
/// Lines are identified by offsets in bytes. An offset is always the beginning of a line or the end of the text.
package struct TextMerge {
  private struct Edit {
    /// The replaced lines of the base.
    var range: Range<Int>
    var lines: [UInt8]
  }

  private static let newline = UInt8(ascii: "\n")

  /// The maximum size of the table for one side.
  private static let mostCells = 1 << 20

  /// The size of both tables, as a measure of the work.
  private(set) var cells = 0
  /// The merged text; nil if edits of both sides overlap or touch and differ, or if a table would be too large.
  package private(set) var text: [UInt8]?

  package init(base: [UInt8], ours: [UInt8], theirs: [UInt8]) {
    guard let a = edits(base, ours), let b = edits(base, theirs) else { return }
    text = TextMerge.applied(base, a[...], b[...])
  }

  /// Returns the edits that make `side` from `base`; nil if the table would be too large.
  private mutating func edits(_ base: [UInt8], _ side: [UInt8]) -> [Edit]? {
    let start = TextMerge.commonStart(base, side)
    let end = TextMerge.commonEnd(base[start...], side[start...])
    let (old, new) = (base[start..<(base.count - end)], side[start..<(side.count - end)])
    if old.isEmpty && new.isEmpty { return [] }
    if old.isEmpty || new.isEmpty { return [Edit(range: old.indices, lines: Array(new))] }
    let size = TextMerge.countLines(old) * TextMerge.countLines(new)
    guard size <= TextMerge.mostCells else { return nil }
    cells += size
    return TextMerge.edits(TextMerge.lines(old), TextMerge.lines(new))
  }

  // MARK: - Lines

  private static func commonStart(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var count = 0
    while count < min(a.count, b.count), a[count] == b[count] { count += 1 }
    if count == a.count && count == b.count { return count }
    while count > 0, a[count - 1] != newline { count -= 1 }
    return count
  }

  private static func commonEnd(_ a: ArraySlice<UInt8>, _ b: ArraySlice<UInt8>) -> Int {
    func begins(_ text: ArraySlice<UInt8>, _ offset: Int) -> Bool {
      offset == text.startIndex || text[offset - 1] == newline
    }
    var (count, common) = (0, 0)
    while count < min(a.count, b.count), a[a.endIndex - count - 1] == b[b.endIndex - count - 1] {
      count += 1
      if begins(a, a.endIndex - count), begins(b, b.endIndex - count) { common = count }
    }
    return common
  }

  private static func countLines(_ text: ArraySlice<UInt8>) -> Int {
    text.count { $0 == newline } + (text.last == newline ? 0 : 1)
  }

  private static func lines(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = text.startIndex
    while start < text.endIndex {
      let end = text[start...].firstIndex(of: newline).map { $0 + 1 } ?? text.endIndex
      lines.append(text[start..<end])
      start = end
    }
    return lines
  }

  // MARK: - Edits

  private static func edits(_ old: [ArraySlice<UInt8>], _ new: [ArraySlice<UInt8>]) -> [Edit] {
    var numbers: [ArraySlice<UInt8>: Int] = [:]
    func number(_ line: ArraySlice<UInt8>) -> Int {
      if let number = numbers[line] { return number }
      numbers[line] = numbers.count
      return numbers.count - 1
    }
    let (b, s) = (old.map(number), new.map(number))
    let (n, m, width) = (b.count, s.count, s.count + 1)
    // The length of a longest common subsequence of the lines from i and from j, at `i * width + j`.
    var table = [Int32](repeating: 0, count: (n + 1) * width)
    for i in stride(from: n - 1, through: 0, by: -1) {
      for j in stride(from: m - 1, through: 0, by: -1) {
        let (below, after) = ((i + 1) * width + j, i * width + j + 1)
        table[i * width + j] = b[i] == s[j] ? 1 + table[below + 1] : max(table[below], table[after])
      }
    }
    var edits: [Edit] = []
    var (i, j, isEditing) = (0, 0, false)
    while i < n || j < m {
      if i < n, j < m, b[i] == s[j] {
        (i, j, isEditing) = (i + 1, j + 1, false)
        continue
      }
      if !isEditing {
        let start = i < n ? old[i].startIndex : old[n - 1].endIndex
        edits.append(Edit(range: start..<start, lines: []))
        isEditing = true
      }
      let last = edits.count - 1
      if j == m || i < n && table[(i + 1) * width + j] >= table[i * width + j + 1] {
        edits[last].range = edits[last].range.lowerBound..<old[i].endIndex
        i += 1
      } else {
        edits[last].lines += new[j]
        j += 1
      }
    }
    return edits
  }

  /// Applies the edits of both sides; nil if edits overlap or touch and do not have the same result.
  private static func applied(_ base: [UInt8], _ a: ArraySlice<Edit>, _ b: ArraySlice<Edit>) -> [UInt8]? {
    var (a, b) = (a, b)
    var result: [UInt8] = []
    var end = 0
    while let first = [a.first, b.first].compactMap({ $0?.range.lowerBound }).min() {
      var range = first..<first
      var (ours, theirs): ([Edit], [Edit]) = ([], [])
      while true {
        if let edit = a.first, edit.range.lowerBound <= range.upperBound {
          ours.append(a.removeFirst())
          range = first..<max(range.upperBound, edit.range.upperBound)
        } else if let edit = b.first, edit.range.lowerBound <= range.upperBound {
          theirs.append(b.removeFirst())
          range = first..<max(range.upperBound, edit.range.upperBound)
        } else {
          break
        }
      }
      let (x, y) = (applied(base, ours, range), applied(base, theirs, range))
      guard ours.isEmpty || theirs.isEmpty || x == y else { return nil }
      result += base[end..<first] + (ours.isEmpty ? y : x)
      end = range.upperBound
    }
    return result + base[end...]
  }

  private static func applied(_ base: [UInt8], _ edits: [Edit], _ range: Range<Int>) -> [UInt8] {
    var result: [UInt8] = []
    var end = range.lowerBound
    for edit in edits {
      result += base[end..<edit.range.lowerBound] + edit.lines
      end = edit.range.upperBound
    }
    return result + base[end..<range.upperBound]
  }
}
