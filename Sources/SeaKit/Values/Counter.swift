/// A counter that several devices increment independently: their increments add up, and each is counted once.
///
/// Increments are applied when the record is saved, to the current value. Saving the value again, or a copy of it,
/// applies only later increments. After a failed transaction, all of them are applied again. In a new record, the
/// counter starts with its value. (It is a state-based PN-counter; Shapiro et al., "A comprehensive study of Convergent
/// and Commutative Replicated Data Types", 2011.)
public struct Counter: Sendable, Codable, ExpressibleByIntegerLiteral {
  /// The known value with the increments made here. It is clamped to the range of `Int128`.
  public private(set) var value: Int128
  /// The increments since the counter was read.
  private var additions = Additions()
  /// Whether the value left the range, so that it cannot be saved.
  private var isTooFar = false

  /// A new counter with this value.
  public init(integerLiteral value: Int64) { self.init(Int128(value)) }

  /// A new counter with this value.
  public init(_ value: Int128 = 0) {
    self.init(read: 0)
    if value != 0 { add(value) }
  }

  init(read: Int128) { value = read }

  /// The content that a save writes.
  var count: Count {
    let pending = additions.pending
    return Count(delta: isTooFar ? nil : pending.sum, total: value, additions: pending.all)
  }

  /// Adds to the counter; negative numbers subtract. Outside of the range of `Int128`, saving throws `bad-data`.
  public mutating func add(_ delta: Int128) {
    let (sum, overflow) = value.addingReportingOverflow(delta)
    value = overflow ? (delta < 0 ? .min : .max) : sum
    isTooFar = isTooFar || overflow
    additions.add(delta)
  }

  /// Adds to the counter.
  public static func += (counter: inout Counter, delta: Int128) { counter.add(delta) }
  /// Subtracts from the counter.
  public static func -= (counter: inout Counter, delta: Int128) {
    guard delta == .min else { return counter.add(-delta) }
    counter.add(.max)
    counter.add(1)
  }

  /// Encodes the counter as a number; in a record it is stored as a counter.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  /// Decodes a number.
  public init(from decoder: any Decoder) throws {
    self.init(read: try decoder.singleValueContainer().decode(Int128.self))
  }
}

extension Counter: Hashable {
  /// Returns whether the values are equal.
  public static func == (a: Counter, b: Counter) -> Bool { a.value == b.value }
  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// The content of a counter for a save.
struct Count {
  /// The increment; nil if it overflows.
  var delta: Int128?
  /// The value to store if there is no counter yet.
  var total: Int128
  /// The increments in `delta`.
  var additions: [Addition]
}

/// A set to which devices add and remove elements independently. An addition wins over a concurrent removal.
///
/// Changes are applied to the elements at the time of the save. (It is an observed-remove set; see sea-merge(5).)
public struct MergeSet<Element: Hashable & Sendable & Codable>: Sendable, Hashable, Codable {
  /// The known elements with the changes made here.
  public private(set) var elements: Set<Element>
  private(set) var added: Set<Element> = []
  private(set) var removed: Set<Element> = []

  /// A new set with these elements.
  public init(_ elements: some Sequence<Element>) {
    self.elements = Set(elements)
    added = self.elements
  }

  /// A new, empty set.
  public init() { elements = [] }

  init(read: Set<Element>) { elements = read }

  /// The number of elements.
  public var count: Int { elements.count }
  /// Whether the set is empty.
  public var isEmpty: Bool { elements.isEmpty }
  /// Returns whether the set has the element.
  public func contains(_ element: Element) -> Bool { elements.contains(element) }

  /// Adds an element. Adding an existing element again protects it from being removed by another device meanwhile.
  public mutating func insert(_ element: Element) {
    elements.insert(element)
    added.insert(element)
    removed.remove(element)
  }

  /// Removes an element. It stays if another device adds it meanwhile.
  public mutating func remove(_ element: Element) {
    elements.remove(element)
    added.remove(element)
    removed.insert(element)
  }

  /// Encodes the elements as an array; in a record they are stored as a set.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Array(elements))
  }

  /// Decodes an array.
  public init(from decoder: any Decoder) throws {
    self.init(read: Set(try decoder.singleValueContainer().decode([Element].self)))
  }
}

/// A value with a label, such as a telephone number of the office. Merges and the history keep the label.
public struct Labelled<Content: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
  /// The value.
  public var value: Content
  /// The label: 1 to 255 bytes.
  public var label: String

  /// A value with a label.
  public init(_ value: Content, _ label: String) {
    self.value = value
    self.label = label
  }
}
