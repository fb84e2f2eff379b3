/// The differences between two texts, word by word.
package struct TextDifference: Sendable, Equatable {
  package enum Part: Sendable, Equatable {
    case same(String), removed(String), added(String)
  }

  package private(set) var parts: [Part] = []

  /// In longer texts, only a common beginning and end are found.
  private static let mostCells = 1_000_000

  package init(from old: String, to new: String) {
    let (a, b) = (TextDifference.words(old), TextDifference.words(new))
    var start = 0
    while start < a.count, start < b.count, a[start] == b[start] { start += 1 }
    var end = 0
    while end < a.count - start, end < b.count - start, a[a.count - 1 - end] == b[b.count - 1 - end] { end += 1 }
    add(Part.same, a[..<start])
    between(a[start..<(a.count - end)], b[start..<(b.count - end)])
    add(Part.same, a[(a.count - end)...])
    join()
  }

  /// Changed words with only a space between them are one change.
  private mutating func join() {
    var all: [Part] = []
    var k = 0
    while k < parts.count {
      var (gone, new) = ("", "")
      while k < parts.count {
        if case .removed(let text) = parts[k] {
          gone += text
        } else if case .added(let text) = parts[k] {
          new += text
        } else if case .same(let space) = parts[k], !gone.isEmpty || !new.isEmpty, space.allSatisfy({ $0 == " " }),
          k + 1 < parts.count
        {
          gone += space
          new += space
        } else {
          break
        }
        k += 1
      }
      if !gone.isEmpty { all.append(.removed(gone)) }
      if !new.isEmpty { all.append(.added(new)) }
      if k < parts.count { all.append(parts[k]) }
      k += 1
    }
    parts = all
  }

  /// The text with marks for removed and added words.
  package var html: HTML {
    let marked: [HTML] = parts.map {
      switch $0 {
      case .same(let text): "\(text)"
      case .removed(let text): "<del>\(text)</del>"
      case .added(let text): "<ins>\(text)</ins>"
      }
    }
    return "\(marked)"
  }

  /// The new text with marks for the words that the old one does not have, unless all words differ.
  package var newHTML: HTML {
    let hasCommon = parts.contains {
      if case .same(let text) = $0 { text.contains { !$0.isWhitespace } } else { false }
    }
    let marked: [HTML] = parts.map {
      switch $0 {
      case .same(let text): "\(text)"
      case .removed: ""
      case .added(let text): hasCommon ? "<mark>\(text)</mark>" : "\(text)"
      }
    }
    return "\(marked)"
  }

  private mutating func add(_ make: (String) -> Part, _ words: ArraySlice<Substring>) {
    if !words.isEmpty { parts.append(make(words.joined())) }
  }

  private mutating func between(_ a: ArraySlice<Substring>, _ b: ArraySlice<Substring>) {
    let (a, b) = (Array(a), Array(b))
    guard !a.isEmpty, !b.isEmpty, (a.count + 1) * (b.count + 1) <= TextDifference.mostCells else {
      add(Part.removed, a[...])
      return add(Part.added, b[...])
    }
    // Equal words have equal numbers.
    var numbers: [Substring: Int32] = [:]
    for word in a + b where numbers[word] == nil { numbers[word] = Int32(numbers.count) }
    let (m, n) = (a.map { numbers[$0]! }, b.map { numbers[$0]! })
    // The longest common subsequence of the rest, from each pair of places on.
    let width = b.count + 1
    var longest = [Int32](repeating: 0, count: (a.count + 1) * width)
    for i in a.indices.reversed() {
      for j in b.indices.reversed() {
        longest[i * width + j] =
          m[i] == n[j]
          ? longest[(i + 1) * width + j + 1] + 1 : max(longest[(i + 1) * width + j], longest[i * width + j + 1])
      }
    }
    var (i, j) = (0, 0)
    var (gone, new, same) = ([Substring](), [Substring](), [Substring]())
    func flush(_ parts: inout TextDifference) {
      parts.add(Part.removed, gone[...])
      parts.add(Part.added, new[...])
      (gone, new) = ([], [])
    }
    while i < a.count || j < b.count {
      if i < a.count, j < b.count, m[i] == n[j] {
        flush(&self)
        same.append(a[i])
        (i, j) = (i + 1, j + 1)
        continue
      }
      add(Part.same, same[...])
      same = []
      if j == b.count || (i < a.count && longest[(i + 1) * width + j] >= longest[i * width + j + 1]) {
        gone.append(a[i])
        i += 1
      } else {
        new.append(b[j])
        j += 1
      }
    }
    flush(&self)
    add(Part.same, same[...])
  }

  /// Words, and the spaces and the punctuation between them.
  private static func words(_ text: String) -> [Substring] {
    var words: [Substring] = []
    var start = text.startIndex
    var last: Int?
    for at in text.indices {
      let kind = text[at].isWhitespace ? 0 : text[at].isLetter || text[at].isNumber ? 1 : 2
      if let last, last != kind || text[at].isNewline {
        words.append(text[start..<at])
        start = at
      }
      last = kind
    }
    if start < text.endIndex { words.append(text[start...]) }
    return words
  }
}
