/// A policy for resolving conflicts automatically. Except with `ours` and `theirs`, the result is the same on all
/// instances.
package enum Policy: String, CaseIterable, Sendable {
  /// Chooses the side with the greater revision, even if that side removed the property. The conflict remains if a
  /// revision is missing.
  case winner
  /// Chooses the side with the later Lamport time or, if the times are equal, with the greater revision. The conflict
  /// remains if a time or revision is missing.
  case newest
  /// Chooses the greater of two numbers, compared exactly across number types, or the later of two dates or two
  /// days. If two numbers are equal, the greater encoding decides. Other conflicts remain.
  case max
  /// Chooses the smaller of two numbers, or the earlier of two dates or two days. Otherwise, works like `max`.
  case min
  /// Merges the lines of two texts with the text in the base. Other conflicts remain.
  case text
  /// Chooses the side that this instance wrote. The conflict remains if this instance wrote neither or both.
  case ours
  /// Chooses the side that this instance did not write. The conflict remains if this instance wrote neither or both
  /// sides.
  case theirs

  enum Choice: Equatable {
    case ours
    case theirs
    case value(Value)
  }

  /// Whether the policy decides by provenance and therefore applies to values of any kind.
  package var choosesSide: Bool {
    switch self {
    case .winner, .newest, .ours, .theirs: true
    case .max, .min, .text: false
    }
  }

  /// Returns the result; nil if the conflict remains. A nil argument means that the property is absent. `text` needs the
  /// base; see `mergeTexts`.
  func choose(_ ours: Value?, _ theirs: Value?, _ provenance: (ours: Provenance, theirs: Provenance)) -> Choice? {
    let (a, b) = provenance
    switch self {
    case .winner:
      guard let x = a.revision, let y = b.revision, x != y else { return nil }
      return x > y ? .ours : .theirs
    case .newest:
      guard let x = a.lamport, let y = b.lamport else { return nil }
      return x == y ? Policy.winner.choose(ours, theirs, provenance) : x > y ? .ours : .theirs
    case .ours: return a.isOwn == b.isOwn ? nil : a.isOwn ? .ours : .theirs
    case .theirs: return a.isOwn == b.isOwn ? nil : a.isOwn ? .theirs : .ours
    case .max, .min: return ours.flatMap { ours in theirs.flatMap { choose(ours, $0) } }
    case .text: return nil
    }
  }

  /// Compares the values without regard to their semantic types. The chosen value keeps its own.
  private func choose(_ ours: Value, _ theirs: Value) -> Choice? {
    let order: Int?
    switch (ours.unlabeled.unpacked, theirs.unlabeled.unpacked) {
    case (.date(let a), .date(let b)): order = a < b ? -1 : a > b ? 1 : 0
    case (.day(let a), .day(let b)): order = a - b
    default: order = Value.compareNumbers(ours, theirs)
    }
    guard let order else { return nil }
    if order == 0 { return ours.encoding.lexicographicallyPrecedes(theirs.encoding) ? .theirs : .ours }
    return (order > 0) == (self != .min) ? .ours : .theirs
  }

  /// Merges two texts with the same semantic type, or without one.
  /// - Parameter cells: is increased by the work.
  /// - Returns: nil if the conflict remains.
  static func mergeTexts(_ base: Value?, _ ours: Value?, _ theirs: Value?, cells: inout Int) -> Value? {
    guard let before = base?.text, let ours, let a = ours.text, let theirs, let b = theirs.text else { return nil }
    switch (ours.semanticType, theirs.semanticType) {
    case (nil, nil): break
    case (let x?, let y?) where UTF8Text.equal(x, y): break
    default: return nil
    }
    let merge = TextMerge(base: before, ours: a, theirs: b)
    cells += merge.cells
    return merge.text.map { text in
      let value = Value.string(String(decoding: text, as: UTF8.self))
      return ours.semanticType.map { .labeled(value, $0) } ?? value
    }
  }
}

extension Value {
  fileprivate var text: [UInt8]? {
    if case .string(let text) = unlabeled.unpacked { Array(text.utf8) } else { nil }
  }
}

/// Facts about a side, other than its value, that a policy can use.
package struct Provenance: Sendable {
  package var revision: RevisionID?
  package var lamport: UInt32?
  package var isOwn: Bool

  package init(revision: RevisionID? = nil, lamport: UInt32? = nil, isOwn: Bool = false) {
    self.revision = revision
    self.lamport = lamport
    self.isOwn = isOwn
  }
}
