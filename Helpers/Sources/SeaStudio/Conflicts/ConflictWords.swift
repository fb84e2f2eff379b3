import SeaKit

/// Words and parts that the pages about conflicts share.
enum ConflictWords {
  static func kind(_ conflict: RecordConflict<Record>) -> String {
    switch conflict.kind {
    case .edits: "several changed it"
    case .deletion: "deleted and changed"
    case .additions: "added several times"
    case .types: "different types"
    }
  }

  static func title(_ conflict: RecordConflict<Record>) -> String {
    for record in [conflict.merged, conflict.base?.content] + conflict.versions.map(\.content) {
      if let record, let title = Title.of(record) { return title }
    }
    return conflict.id
  }

  static func name(_ path: String) -> String {
    path.isEmpty ? "the whole record" : path == "/_type" ? "type" : Field.title(Field.names(of: path))
  }

  static func author(_ version: ConflictVersion<Record>) -> String {
    guard let author = version.author else { return "an unknown instance" }
    return author.name ?? String(author.id.prefix(8))
  }

  static func link(_ id: String) -> Link { Link("/conflict", [("id", id)]) }

  /// The author and the time of a version.
  static func about(_ version: ConflictVersion<Record>) -> HTML {
    "\(Fragments.author(version.author)) <span class=quiet>\(version.time.map { Times.ago($0) })</span>"
  }

  /// The versions as people see them, with their numbers in the conflict: first that of this instance, so that it looks
  /// the same in all conflicts.
  static func sides(
    _ conflict: RecordConflict<Record>
  ) -> [(number: Int, version: ConflictVersion<Record>)] {
    func rank(_ version: ConflictVersion<Record>) -> (Int, String, String) {
      (version.isOwn ? 0 : 1, author(version), version.revision.description)
    }
    return conflict.versions.enumerated().map { ($0.offset, $0.element) }.sorted { rank($0.1) < rank($1.1) }
  }

  /// The revisions of a conflict, in one text.
  static func leaves(_ conflict: RecordConflict<Record>) -> String {
    conflict.versions.map(\.revision.description).joined(separator: ",")
  }
}
