/// What decides a clash without asking anybody. Each is a pure function: whoever applies it comes to the same, whichever
/// side is called first; only `ours` and `theirs` depend on where they are applied.
package enum Policy: String, CaseIterable, Sendable {
  /// The side with the greater revision, also if it has removed the property. Without both revisions the clash stays.
  case winner
  /// The side with the greater Lamport timestamp, of equal ones that with the greater revision. Without both timestamps,
  /// and where they are equal without both revisions, the clash stays.
  case newest
  /// The greater of two numbers, compared exactly whatever their kinds, or the later of two dates. Of equal numbers
  /// that are written differently it is the one with the greater encoding. Anything else stays a clash.
  case max
  /// The smaller of two numbers or the earlier of two dates; as `max` in everything else.
  case min
  /// Of two arrays one with the elements of both, each once: those of the array with the smaller encoding in their order, then
  /// those of the other that are not among them. What one side alone took out comes back. Anything else stays a clash.
  case union
  /// The longer of two texts (in bytes of UTF-8), of two arrays (in elements) or of two data (in bytes); of equally long
  /// ones the one with the greater encoding. Anything else stays a clash.
  case longest
  /// What this instance wrote; the clash stays if that is neither side, or both.
  case ours
  /// The side that this instance did not write, if it wrote the other one; else the clash stays.
  case theirs

  enum Choice: Equatable {
    case ours
    case theirs
    case value(Value)
  }

  /// Whether it goes by who said it and not by what was said, so that it can decide about anything.
  package var choosesSide: Bool {
    switch self {
    case .winner, .newest, .ours, .theirs: true
    case .max, .min, .union, .longest: false
    }
  }

  /// What becomes of a clash; nil if it stays. A value is nil where the property is not there.
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

  /// Semantic types go with the values that are chosen; what is inside decides.
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

/// What a policy may know of a side besides what it says.
package struct Provenance: Sendable {
  package var revision: RevisionID?
  package var lamport: UInt32?
  /// Whether this instance wrote it.
  package var isOwn: Bool

  package init(revision: RevisionID? = nil, lamport: UInt32? = nil, isOwn: Bool = false) {
    self.revision = revision
    self.lamport = lamport
    self.isOwn = isOwn
  }
}
