import SeaCore

/// A selection of assets by size, media type, and the types of the records that reference them.
///
/// A filter is written as `all`, `none`, or `KEY=VALUE[,KEY=VALUE]…` with the keys `max-size`, `min-size`, `mime` and
/// `type`. The last two may be repeated; an asset then has to match only one of the values.
package struct AssetFilter: Sendable, Equatable {
  /// The maximum size in bytes, inclusive. `minSize` is the minimum size.
  package var maxSize: Int64?
  package var minSize: Int64?
  /// Patterns for the media type, one of which must match; empty for any type. `*` matches any text.
  package var mimes: [String] = []
  /// Types of records, one of which a record with the asset must have; empty for any type.
  package var types: [String] = []
  /// Whether the filter selects nothing, regardless of other properties.
  package var isNone = false

  package static let all = AssetFilter()
  package static let none = AssetFilter(isNone: true)

  package init(
    maxSize: Int64? = nil, minSize: Int64? = nil, mimes: [String] = [], types: [String] = [], isNone: Bool = false
  ) {
    self.maxSize = maxSize
    self.minSize = minSize
    self.mimes = mimes
    self.types = types
    self.isNone = isNone
  }

  package init?(_ text: String) {
    switch text {
    case "all": return
    case "none": isNone = true
    default:
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        guard let equals = part.firstIndex(of: "=") else { return nil }
        guard add(part[..<equals], String(part[part.index(after: equals)...])) else { return nil }
      }
    }
  }

  private mutating func add(_ key: Substring, _ value: String) -> Bool {
    guard !value.isEmpty else { return false }
    switch key {
    case "max-size":
      guard maxSize == nil, let size = Quantity.size(value) else { return false }
      maxSize = size
    case "min-size":
      guard minSize == nil, let size = Quantity.size(value) else { return false }
      minSize = size
    case "mime": mimes.append(value)
    case "type": types.append(value)
    default: return false
    }
    return true
  }

  package var isAll: Bool { self == .all }

  /// - Parameters:
  ///   - size: the size of the content in bytes.
  ///   - types: the types of the records that reference the asset.
  package func matches(size: Int64, mime: String, types held: some Sequence<String>) -> Bool {
    guard !isNone else { return false }
    if let maxSize, size > maxSize { return false }
    if let minSize, size < minSize { return false }
    if !mimes.isEmpty, !mimes.contains(where: { AssetFilter.fits(mime, $0) }) { return false }
    return types.isEmpty || held.contains { one in types.contains { UTF8Text.equal($0, one) } }
  }

  /// Takes time at most proportional to the product of the two lengths.
  private static func fits(_ text: String, _ pattern: String) -> Bool {
    let (text, pattern) = (text.utf8.map(lower), pattern.utf8.map(lower))
    let star = UInt8(ascii: "*")
    var (t, p) = (0, 0)
    var last: (pattern: Int, text: Int)?
    while t < text.count {
      if p < pattern.count, pattern[p] == star {
        last = (p + 1, t)
        p += 1
      } else if p < pattern.count, pattern[p] == text[t] {
        (t, p) = (t + 1, p + 1)
      } else if let back = last {
        last = (back.pattern, back.text + 1)
        (t, p) = (back.text + 1, back.pattern)
      } else {
        return false
      }
    }
    return pattern[p...].allSatisfy { $0 == star }
  }

  private static func lower(_ byte: UInt8) -> UInt8 { 0x41...0x5A ~= byte ? byte | 0x20 : byte }
}

extension AssetFilter: CustomStringConvertible {
  /// The filter as text. Equal filters have equal text if their values are in the same order.
  package var description: String {
    if isNone { return "none" }
    var parts: [String] = []
    if let maxSize { parts.append("max-size=\(maxSize)") }
    if let minSize { parts.append("min-size=\(minSize)") }
    parts += mimes.map { "mime=\($0)" } + types.map { "type=\($0)" }
    return parts.isEmpty ? "all" : parts.joined(separator: ",")
  }
}
