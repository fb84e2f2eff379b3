/// The definition of an index: the properties to index in the live records of a type.
///
/// The text form is `TYPE:PATH[,PATH]...`. Each path is a JSON Pointer, or names joined by dots.
package struct IndexDefinition: Sendable {
  package enum Kind: Int, Sendable {
    /// Indexes values in the order of SQL comparisons.
    case values = 1
    case text = 2
  }

  package let kind: Kind
  package let type: String
  package let paths: [PropertyPath]

  package static let mostPaths = 8

  package init?(_ kind: Kind, _ text: String) {
    // If the paths are JSON Pointers, the type can contain a colon.
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

  /// The stored form, in which every path is a JSON Pointer.
  package var description: String { type + ":" + paths.map(\.pointer).joined(separator: ",") }

  package func isSame(as other: IndexDefinition) -> Bool {
    kind == other.kind && UTF8Text.equal(description, other.description)
  }

  /// Whether a name is valid for an index: at most 40 letters, digits, `-` and `_`, beginning with a letter.
  package static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, first | 0x20 &- 0x61 < 26, name.utf8.count <= 40 else { return false }
    return name.utf8.allSatisfy { $0 | 0x20 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2D || $0 == 0x5F }
  }
}
