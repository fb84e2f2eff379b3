import SeaCore

package enum Similarity {
  /// Words shorter than this are similar only if they differ in nothing but case.
  private static let least = 3

  /// Returns the word with the smallest edit distance, if it is similar enough. Swapping two neighboring characters
  /// counts as one edit.
  package static func nearest(to word: String, among known: [String]) -> String? {
    let typed = Array(word.utf8)
    let folded = word.lowercased()
    if let same = known.first(where: { $0.lowercased() == folded && !UTF8Text.equal($0, word) }) { return same }
    guard word.count >= least else { return nil }
    var best: (word: String, distance: Int, isLonger: Bool)?
    for candidate in known where candidate.count >= least {
      // Skip words whose length differs by more than this: they cannot be similar, and comparing them may be slow.
      let most = max(1, min(typed.count, candidate.utf8.count) / 3)
      let isBegun = candidate.hasPrefix(word)
      guard isBegun || abs(typed.count - candidate.utf8.count) <= most else { continue }
      var distance = Similarity.distance(typed, Array(candidate.utf8))
      if isBegun { distance = min(distance, 1) }
      // Of two equally similar words, prefer the longer one, because users leave out letters more often than they add
      // them.
      let isLonger = contains(typed, in: candidate.utf8)
      if distance < best?.distance ?? Int.max || distance == best?.distance && isLonger && best?.isLonger == false {
        best = (candidate, distance, isLonger)
      }
    }
    guard let best, best.distance <= max(1, min(typed.count, best.word.utf8.count) / 3) else { return nil }
    return best.word
  }

  private static func contains(_ letters: [UInt8], in word: String.UTF8View) -> Bool {
    var rest = letters[...]
    for byte in word where byte == rest.first { rest = rest.dropFirst() }
    return rest.isEmpty
  }

  private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
