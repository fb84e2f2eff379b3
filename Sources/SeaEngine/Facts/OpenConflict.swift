import SeaCore

/// A record whose conflict cannot be resolved yet, and the undecided properties.
package struct OpenConflict: Equatable, Sendable {
  package struct Path: Equatable, Sendable {
    package struct Side: Equatable, Sendable {
      package var revision: RevisionID
      /// The value as JSON, or `-` if there is no value.
      package var text: String
      package var isDeleted = false

      package init(revision: RevisionID, text: String, isDeleted: Bool) {
        self.revision = revision
        self.text = text
        self.isDeleted = isDeleted
      }
    }
    package var pointer: String
    package var values: [Side]

    package init(pointer: String, values: [Side]) {
      self.pointer = pointer
      self.values = values
    }
  }
  package var id: String
  package var paths: [Path]

  package init(id: String, paths: [Path]) {
    self.id = id
    self.paths = paths
  }
}
