/// A policy for resolving conflicts automatically. Except with `ours` and `theirs`, the result is the same on all
/// instances.
package enum Policy: String, CaseIterable, Sendable {
  /// Chooses the side with the greater revision, even if that side removed the property. The conflict remains if a
  /// revision is missing.
  case winner
  /// Chooses the side with the later Lamport time or, if the times are equal, with the greater revision. The conflict
  /// remains if a time or revision is missing.
  case newest
  /// Chooses the greater of two numbers, compared exactly across number types, or the later of two dates. If two
  /// numbers are equal, the greater encoding decides. Other conflicts remain.
  case max
  /// Chooses the smaller of two numbers or the earlier of two dates. Otherwise, works like `max`.
  case min
  /// Combines two arrays without duplicates: the elements of the array with the smaller encoding come first, then the
  /// additional elements of the other array. An element that only one side removed reappears. Other conflicts remain.
  case union
  /// Chooses the longer of two strings (measured in UTF-8 bytes), arrays (in elements) or byte strings (in bytes). If
  /// the lengths are equal, the greater encoding decides. Other conflicts remain.
  case longest
  /// Chooses the side that this instance wrote. The conflict remains if this instance wrote neither side or both.
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
    case .max, .min, .union, .longest: false
    }
  }

  /// Returns the result; nil if the conflict remains. A nil argument means that the property is absent.
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
    case .max, .min, .union, .longest:
      guard let ours, let theirs else { return nil }
      return choose(ours, theirs)
    }
  }

  /// Compares the values without regard to their semantic types. The chosen value keeps its own.
  private func choose(_ ours: Value, _ theirs: Value) -> Choice? {
    let order: Int?
    switch (self, ours.unlabelled.unpacked, theirs.unlabelled.unpacked) {
    case (.max, .date(let a), .date(let b)), (.min, .date(let a), .date(let b)): order = a < b ? -1 : a > b ? 1 : 0
    case (.max, _, _), (.min, _, _): order = Value.compareNumbers(ours, theirs)
    case (.longest, .string(let a), .string(let b)): order = a.utf8.count - b.utf8.count
    case (.longest, .array(let a), .array(let b)): order = a.count - b.count
    case (.longest, .data(let a), .data(let b)): order = a.count - b.count
    case (.union, .array(let a), .array(let b)):
      switch (ours.semanticType, theirs.semanticType) {
      case (nil, nil): return .value(Policy.union(a, b))
      case (let x?, let y?) where UTF8Text.equal(x, y): return .value(.labelled(Policy.union(a, b), x))
      default: return nil
      }
    default: order = nil
    }
    guard let order else { return nil }
    if order == 0 { return ours.encoding.lexicographicallyPrecedes(theirs.encoding) ? .theirs : .ours }
    return (order > 0) == (self != .min) ? .ours : .theirs
  }

  private static func union(_ a: [Value], _ b: [Value]) -> Value {
    let isFirst = Value.array(a).encoding.lexicographicallyPrecedes(Value.array(b).encoding)
    var seen: Set<[UInt8]> = []
    return .array((isFirst ? a + b : b + a).filter { seen.insert($0.encoding).inserted })
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
