import SeaKit

/// A text some of which has a colour. What is text and what is colour are kept apart up to the terminal: no text can become a colour.
///
///     let line: Painted = "\(revision, .revision)  \(label)"
package struct Painted: Equatable, Sendable, ExpressibleByStringInterpolation {
  package struct Span: Equatable, Sendable {
    package var text: String
    package let slot: ColorSlot?
  }

  package private(set) var spans: [Span] = []

  package init(_ text: String, _ slot: ColorSlot? = nil) { add(text, slot) }

  package init(stringLiteral text: String) { add(text, nil) }

  package init(stringInterpolation text: StringInterpolation) { self = text.painted }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var painted = Painted("")

    package init(literalCapacity: Int, interpolationCount: Int) {}

    package mutating func appendLiteral(_ text: String) { painted.add(text, nil) }

    package mutating func appendInterpolation(_ value: some CustomStringConvertible, _ slot: ColorSlot? = nil) {
      painted.add(value.description, slot)
    }

    package mutating func appendInterpolation(_ other: Painted) { painted += other }
  }

  /// Without colours.
  package var text: String { spans.count == 1 ? spans[0].text : spans.map(\.text).joined() }

  private mutating func add(_ text: String, _ slot: ColorSlot?) {
    if text.isEmpty { return }
    if let last = spans.last, last.slot == slot {
      spans[spans.count - 1].text += text
    } else {
      spans.append(Span(text: text, slot: slot))
    }
  }

  package static func += (left: inout Painted, right: Painted) {
    for span in right.spans { left.add(span.text, span.slot) }
  }

  package static func + (left: Painted, right: Painted) -> Painted {
    var both = left
    both += right
    return both
  }
}
