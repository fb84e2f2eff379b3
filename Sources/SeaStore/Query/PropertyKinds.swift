import SeaCore

/// Which kinds of values a property has. The runtime makes the type of a `Set` when it is first met, and of several of them that takes
/// longer than a query by an index.
package struct PropertyKinds: Equatable, Sendable {
  private var bits: UInt16

  init(_ kind: PropertyKind) { bits = 1 << UInt16(kind.rawValue) }

  mutating func formUnion(_ others: PropertyKinds) { bits |= others.bits }

  /// The kind of all values; nil if they are of several.
  var only: PropertyKind? { bits.nonzeroBitCount == 1 ? PropertyKinds.first(bits) : nil }

  /// What all values are to SQL; nil if they are of several kinds that it would compare without a word though they are nothing alike.
  package var onlyClass: ValueClass? {
    var found: ValueClass?
    for kind in all {
      let one = ValueClass(kind)
      if let found, found != one { return nil }
      found = one
    }
    return found
  }

  /// The same of each kind, in the order of their names.
  package var classes: [ValueClass] {
    var found: [ValueClass] = []
    for kind in all where !found.contains(ValueClass(kind)) { found.append(ValueClass(kind)) }
    return found.sorted { $0.rawValue < $1.rawValue }
  }

  /// Each of them.
  var all: some Sequence<PropertyKind> {
    sequence(state: bits) { (rest: inout UInt16) -> PropertyKind? in
      guard rest != 0 else { return nil }
      defer { rest &= rest - 1 }
      return PropertyKinds.first(rest)
    }
  }

  private static func first(_ bits: UInt16) -> PropertyKind? {
    PropertyKind(rawValue: UInt8(bits.trailingZeroBitCount))
  }
}
