import SeaCore
import SeaStore

/// Which content a conflict ends with.
package enum Resolution: Sendable {
  case winner
  case ours
  case theirs
  /// A leaf, by its revision.
  case take(String)
  /// A document: its body (nil: deleted), its type unless nil, and the leaf it was made from unless nil.
  case with(Value?, type: String?, revision: RevisionID?)
  /// Property by property.
  case merge(MergeChoices)
  /// What was put together while others could write, by the bytes of the record's id.
  case made([[UInt8]: Settled])
}

/// What decides where a merge clashes.
package struct MergeChoices: Sendable {
  package enum Choice: Equatable, Sendable {
    /// One that goes by what the sides say, or by when they said it.
    case policy(Policy)
    /// What the common ancestor says.
    case base
    /// What a leaf says: a revision, `winner`, `ours` or `theirs`.
    case revision(String)
    /// What a merge program makes of it.
    case program(String)

    /// The words are those of `Policy`, `base`, `driver:NAME`; anything else names a revision.
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

  /// For what nothing else decides.
  package var prefer: Choice?
  package var picks: [(path: PropertyPath, choice: Choice)] = []

  package init(prefer: Choice? = nil, picks: [(path: PropertyPath, choice: Choice)] = []) {
    self.prefer = prefer
    self.picks = picks
  }

  func pick(_ path: PropertyPath) -> Choice? {
    picks.last { $0.path.contains(path) }?.choice
  }

  /// The settings with what was chosen here before and after them.
  func rules(_ settings: MergeSettings, type: String?) -> MergeRules {
    func policy(_ choice: Choice?) -> Policy? {
      if case .policy(let policy)? = choice { policy } else { nil }
    }
    return settings.rules(type: type, first: { policy(pick($0)) }, last: { _ in policy(prefer) })
  }
}

/// What a conflict comes to.
package struct Settled: Sendable {
  /// Nil for the body: the record is deleted.
  package var content: Content
  /// What is still to be decided.
  package var open: [Conflict.Path] = []
  /// The leaves that it was made from.
  package var leaves: [RevisionID]
  package var how: How

  package enum How: Equatable, Sendable {
    case clean
    case policies([Policy])
    case program(String)
    case manual
  }

  /// What a conflict comes to by itself.
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

/// Changes of properties that a resolution gets on top.
package struct ResolutionEdit {
  /// The properties that it decides.
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

  /// In the place of what is too large to be shown.
  package var summary: String? {
    switch unlabelled {
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
