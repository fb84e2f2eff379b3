/// The definition of an index: properties of the live records of a type, for comparisons or for full-text search.
///
/// Its text form is `TYPE:PATH[,PATH]...`, where each path is a JSON Pointer or names joined by dots.
package struct IndexDefinition: Sendable {
  package enum Kind: Int, Sendable {
    /// Values in the order of SQL comparisons.
    case values = 1
    /// Words of texts.
    case text = 2
  }

  package let kind: Kind
  package let type: String
  package let paths: [PropertyPath]

  /// The most properties in one index.
  package static let mostPaths = 8

  /// - Returns: nil if the text is invalid.
  package init?(_ kind: Kind, _ text: String) {
    // A type may contain a colon if the paths are pointers.
    guard let colon = text.firstPlace(of: ":/")?.lowerBound ?? text.firstIndex(of: ":") else { return nil }
    self.kind = kind
    type = String(text[..<colon])
    let parts = text[text.index(after: colon)...].split(separator: ",", omittingEmptySubsequences: false)
    guard !type.utf8.isEmpty, 1...Self.mostPaths ~= parts.count else { return nil }
    var paths: [PropertyPath] = []
    for part in parts {
      guard let path = try? PropertyPath(String(part)), !path.names.isEmpty else { return nil }
      paths.append(path)
    }
    self.paths = paths
  }

  /// The stored form, with every path as a pointer.
  package var description: String { type + ":" + paths.map(\.pointer).joined(separator: ",") }

  package func isSame(as other: IndexDefinition) -> Bool {
    kind == other.kind && UTF8Text.equal(description, other.description)
  }

  /// Whether a text is a valid index name: letters, digits, `-` and `_`, beginning with a letter.
  package static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, first | 0x20 &- 0x61 < 26, name.utf8.count <= 40 else { return false }
    return name.utf8.allSatisfy { $0 | 0x20 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2D || $0 == 0x5F }
  }
}
