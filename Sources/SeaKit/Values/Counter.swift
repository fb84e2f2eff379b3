/// A counter that several devices increment independently. The increments of all devices add up.
///
/// Saving a record adds the increments to the stored value. Saving the counter or a copy of it again adds only
/// increments that have not been saved successfully. In a new record, the value of the counter is stored. (This type is
/// a state-based PN-counter; Shapiro et al., "A comprehensive study of Convergent and Commutative Replicated Data
/// Types", 2011.)
public struct Counter: Sendable, Codable, ExpressibleByIntegerLiteral {
  /// The value that was read plus the increments since then, clamped to the range of `Int128`.
  public private(set) var value: Int128
  private var additions = Additions()
  /// Whether the value is out of range and cannot be saved.
  private var isTooFar = false

  /// Creates a counter with this value.
  public init(integerLiteral value: Int64) { self.init(Int128(value)) }

  /// Creates a counter with this value. Saving it in a record that exists already adds the value to the stored one.
  public init(_ value: Int128 = 0) {
    self.init(read: 0)
    if value != 0 { add(value) }
  }

  init(read: Int128) { value = read }

  var count: Count {
    let pending = additions.pending
    return Count(delta: isTooFar ? nil : pending.sum, total: value, additions: pending.all)
  }

  /// Adds a positive or negative number. If the value leaves the range of `Int128`, saving throws `bad-data`.
  public mutating func add(_ delta: Int128) {
    let (sum, overflow) = value.addingReportingOverflow(delta)
    value = overflow ? (delta < 0 ? .min : .max) : sum
    isTooFar = isTooFar || overflow
    additions.add(delta)
  }

  /// Adds a number to the counter.
  public static func += (counter: inout Counter, delta: Int128) { counter.add(delta) }
  /// Subtracts a number from the counter.
  public static func -= (counter: inout Counter, delta: Int128) {
    guard delta == .min else { return counter.add(-delta) }
    counter.add(.max)
    counter.add(1)
  }

  /// Encodes the value as a number. In a record, it is stored as a counter.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  /// Decodes the value from a number.
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

struct Count {
  /// The sum of the unsaved increments; nil if it overflows.
  var delta: Int128?
  var total: Int128
  var additions: [Addition]
}

/// A set whose elements several devices can add and remove independently. An addition takes precedence over a
/// concurrent removal.
///
/// Saving a record applies the changes to the stored set. (This type is an observed-remove set; see sea-merge(5).)
public struct MergeSet<Element: Hashable & Sendable & Codable>: Sendable, Hashable, Codable {
  /// The elements that were read, with the changes made since then.
  public private(set) var elements: Set<Element>
  private(set) var added: Set<Element> = []
  private(set) var removed: Set<Element> = []

  /// Creates a set with these elements.
  public init(_ elements: some Sequence<Element>) {
    self.elements = Set(elements)
    added = self.elements
  }

  /// Creates an empty set.
  public init() { elements = [] }

  init(read: Set<Element>) { elements = read }

  /// The number of elements.
  public var count: Int { elements.count }
  /// Whether the set is empty.
  public var isEmpty: Bool { elements.isEmpty }
  /// Returns whether the set contains an element.
  public func contains(_ element: Element) -> Bool { elements.contains(element) }

  /// Adds an element. Adding an existing element again protects it from a concurrent removal by another device.
  public mutating func insert(_ element: Element) {
    elements.insert(element)
    added.insert(element)
    removed.remove(element)
  }

  /// Removes an element. The element remains in the set if another device adds it concurrently.
  public mutating func remove(_ element: Element) {
    elements.remove(element)
    added.remove(element)
    removed.insert(element)
  }

  /// Encodes the elements as an array. In a record, they are stored as a set.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Array(elements))
  }

  /// Decodes the elements from an array.
  public init(from decoder: any Decoder) throws {
    self.init(read: Set(try decoder.singleValueContainer().decode([Element].self)))
  }
}

/// A value with a label, such as an office telephone number. Merges and the history keep the label.
public struct Labeled<Content: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
  /// The value.
  public var value: Content
  /// The label, with 1 to 255 bytes.
  public var label: String

  /// Creates a value with a label.
  public init(_ value: Content, _ label: String) {
    self.value = value
    self.label = label
  }
}
