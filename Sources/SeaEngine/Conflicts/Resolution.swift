import SeaCore
import SeaStore

package enum Resolution: Sendable {
  case winner
  case ours
  case theirs
  /// The content of a leaf, named by its revision.
  case take(String)
  /// A document with a body (nil: deleted), optionally a type, and optionally the leaf that it is based on.
  case with(Value?, type: String?, revision: RevisionID?)
  case merge(MergeChoices)
  /// Content that was prepared without holding the lock. The keys are the bytes of record IDs.
  case made([[UInt8]: Settled])
}

package struct MergeChoices: Sendable {
  package enum Choice: Equatable, Sendable {
    /// A policy that compares the values or the times of the sides.
    case policy(Policy)
    case base
    /// The value of a leaf: a revision, `winner`, `ours` or `theirs`.
    case revision(String)
    case program(String)

    /// Parses the name of a `Policy`, `base` or `driver:NAME`. Any other string names a revision.
    package init(_ text: String) {
      switch Policy(rawValue: text) {
      case .winner?, .ours?, .theirs?: self = .revision(text)
      case let policy?: self = .policy(policy)
      case nil where text == "base": self = .base
      case nil where text.hasPrefix("driver:"): self = .program(String(text.dropFirst(7)))
      case nil: self = .revision(text)
      }
    }
  }

  /// The choice for paths on which nothing else decides.
  package var prefer: Choice?
  package var picks: [(path: PropertyPath, choice: Choice)] = []

  package init(prefer: Choice? = nil, picks: [(path: PropertyPath, choice: Choice)] = []) {
    self.prefer = prefer
    self.picks = picks
  }

  func pick(_ path: PropertyPath) -> Choice? {
    picks.last { $0.path.contains(path) }?.choice
  }

  /// Returns the merge rules: first the picks, then the settings, then the preference.
  func rules(_ settings: MergeSettings, type: String?) -> MergeRules {
    func policy(_ choice: Choice?) -> Policy? {
      if case .policy(let policy)? = choice { policy } else { nil }
    }
    return settings.rules(type: type, first: { policy(pick($0)) }, last: { _ in policy(prefer) })
  }
}

package struct Settled: Sendable {
  /// A nil body means that the record is deleted.
  package var content: Content
  package var open: [Conflict.Path] = []
  package var leaves: [RevisionID]
  package var how: How

  package enum How: Equatable, Sendable {
    case clean
    case policies([Policy])
    case program(String)
    case manual
  }

  init(merging conflict: Conflict) {
    let policies = conflict.policies
    self.init(conflict.merged, leaves: conflict.leaves, how: policies.isEmpty ? .clean : .policies(policies))
  }

  package init(_ content: Content, leaves: [RevisionID], how: How) {
    self.content = content
    self.leaves = leaves
    self.how = how
  }
}

/// Changes to properties that are made after a resolution.
package struct ResolutionEdit {
  package var properties: [String]
  package var apply: (_ id: String, _ content: Value) throws -> Value

  package init(properties: [String], apply: @escaping (_ id: String, _ content: Value) throws -> Value) {
    self.properties = properties
    self.apply = apply
  }

  func decides(_ path: Conflict.Path) -> Bool {
    path.path.names.first.map { name in properties.contains { UTF8Text.equal($0, name) } } ?? false
  }
}

extension Value {
  private static let leastSummed = 65_536

  /// The text to show for a value that is too large to display; nil for other values.
  package var summary: String? {
    switch unlabeled {
    case .packed(let stored): stored.summary
    case .string(let text) where text.utf8.count >= Value.leastSummed: "(string, \(text.utf8.count) bytes)"
    case .data(let data) where data.count >= Value.leastSummed: "(data, \(data.count) bytes)"
    default: nil
    }
  }
}

extension Conflict {
  package func open(_ paths: [Conflict.Path]) -> OpenConflict {
    OpenConflict(
      id: row.id,
      paths: paths.map { path in
        OpenConflict.Path(
          pointer: path.pointer,
          values: zip(sides, path.values).map { side, value in
            .init(
              revision: side.leaf.revision,
              text: side.leaf.kind == .put ? value.flatMap { $0.summary ?? (try? $0.json()) } ?? "-" : "(deleted)",
              isDeleted: side.leaf.kind != .put)
          })
      })
  }
}
