/// A count that several devices keep together: what each has counted adds up, and nothing is counted twice.
///
/// What is added here is counted when the record is saved, whatever others have counted meanwhile. It is counted once: who saves the value
/// again, or a copy of it, counts what was added since; and again all of it if the transaction failed. A new record counts what the
/// counter says. (It is a state-based PN-counter; Shapiro et al., "A comprehensive study of Convergent and Commutative Replicated Data
/// Types", 2011.)
public struct Counter: Sendable, Codable, ExpressibleByIntegerLiteral {
  /// What all have counted as far as it is known here, and what was added since. It ends at the greatest and the least number.
  public private(set) var value: Int128
  /// What was counted since it was read.
  private var additions = Additions()
  /// Whether more was counted than there are numbers: it cannot be saved.
  private var isTooFar = false

  /// A counter that begins here.
  public init(integerLiteral value: Int64) { self.init(Int128(value)) }

  /// A counter that begins here.
  public init(_ value: Int128 = 0) {
    self.init(read: 0)
    if value != 0 { add(value) }
  }

  init(read: Int128) { value = read }

  /// What a save writes.
  var count: Count {
    let pending = additions.pending
    return Count(delta: isTooFar ? nil : pending.sum, total: value, additions: pending.all)
  }

  /// Counts on, or back with a negative number. If that leaves the numbers of `Int128`, saving the record throws `bad-data`.
  public mutating func add(_ delta: Int128) {
    let (sum, overflow) = value.addingReportingOverflow(delta)
    value = overflow ? (delta < 0 ? .min : .max) : sum
    isTooFar = isTooFar || overflow
    additions.add(delta)
  }

  /// Counts on.
  public static func += (counter: inout Counter, delta: Int128) { counter.add(delta) }
  /// Counts back.
  public static func -= (counter: inout Counter, delta: Int128) {
    guard delta == .min else { return counter.add(-delta) }
    counter.add(.max)
    counter.add(1)
  }

  /// As the number; in a record as a counter.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  /// The other way.
  public init(from decoder: any Decoder) throws {
    self.init(read: try decoder.singleValueContainer().decode(Int128.self))
  }
}

extension Counter: Hashable {
  /// Whether they say the same.
  public static func == (a: Counter, b: Counter) -> Bool { a.value == b.value }
  /// By what it says.
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// What a counter says to a record.
struct Count {
  /// What is to be counted; nil if that is more than there are numbers.
  var delta: Int128?
  /// What it comes to where there is none.
  var total: Int128
  /// What is counted with it.
  var additions: [Addition]
}

/// A set whose elements devices add and remove independently: an element that is added again while another one removes it stays.
///
/// What was added and removed here is done when the record is saved, to what the set has then. (An observed-remove set; see
/// sea-merge(5).)
public struct MergeSet<Element: Hashable & Sendable & Codable>: Sendable, Hashable, Codable {
  /// What is in it, as far as it is known here, and with what was added and removed since.
  public private(set) var elements: Set<Element>
  private(set) var added: Set<Element> = []
  private(set) var removed: Set<Element> = []

  /// A set that begins here.
  public init(_ elements: some Sequence<Element>) {
    self.elements = Set(elements)
    added = self.elements
  }

  /// An empty one.
  public init() { elements = [] }

  init(read: Set<Element>) { elements = read }

  /// How many elements there are.
  public var count: Int { elements.count }
  /// Whether there is none.
  public var isEmpty: Bool { elements.isEmpty }
  /// Whether the element is in it.
  public func contains(_ element: Element) -> Bool { elements.contains(element) }

  /// Adds an element; one that is there is added anew, and stays if another device removes it meanwhile.
  public mutating func insert(_ element: Element) {
    elements.insert(element)
    added.insert(element)
    removed.remove(element)
  }

  /// Removes an element; one that another device adds meanwhile stays.
  public mutating func remove(_ element: Element) {
    elements.remove(element)
    added.remove(element)
    removed.insert(element)
  }

  /// As an array; in a record as a set.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Array(elements))
  }

  /// The other way.
  public init(from decoder: any Decoder) throws {
    self.init(read: Set(try decoder.singleValueContainer().decode([Element].self)))
  }
}

/// A value and what it is about, as a telephone number that is one of the office. The label stays with the value through merges and
/// history.
public struct Labelled<Content: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
  /// What is labelled.
  public var value: Content
  /// 1 to 255 bytes.
  public var label: String

  /// A value and what it is about.
  public init(_ value: Content, _ label: String) {
    self.value = value
    self.label = label
  }
}
