internal import SeaCore
internal import SeaEngine

/// How a conflict is to end, without a look at what the revisions say.
public enum ConflictResolution: Sendable, Hashable {
  /// As the revision that wins everywhere says.
  case winner
  /// As this instance wrote.
  case ours
  /// As the others wrote; they have to be one.
  case theirs
  /// As one of the revisions says.
  case take(Revision)
  /// Property by property: what merges by itself, then what is chosen for a path (names joined by dots, or a JSON Pointer), then
  /// `otherwise`. What nothing decides is an error with the code `conflict`.
  case merge([String: PropertyChoice] = [:], otherwise: PropertyChoice? = nil)

  func core() throws -> Resolution {
    switch self {
    case .winner: return .winner
    case .ours: return .ours
    case .theirs: return .theirs
    case .take(let revision): return .take(revision.description)
    case .merge(let picks, let otherwise):
      // The last one that fits counts: a path comes behind those that it lies within.
      let paths = try picks.map { (path: try PropertyPath($0.key), choice: $0.value.core) }
      return .merge(
        MergeChoices(prefer: otherwise?.core, picks: paths.sorted { $0.path.names.count < $1.path.names.count }))
    }
  }
}

/// What decides about a property where revisions clash.
public enum PropertyChoice: Sendable, Hashable {
  /// What it said before.
  case base
  /// What the revision says that wins everywhere.
  case winner
  /// What this instance wrote.
  case ours
  /// What the others wrote.
  case theirs
  /// What one of the revisions says.
  case take(Revision)
  /// What was written last, by the order in which instances heard of each other.
  case newest
  /// The greatest number or latest date.
  case greatest
  /// The smallest number or earliest date.
  case smallest
  /// The elements of all arrays.
  case union
  /// The longest text, array or data.
  case longest

  var core: MergeChoices.Choice {
    switch self {
    case .base: .base
    case .winner: .revision("winner")
    case .ours: .revision("ours")
    case .theirs: .revision("theirs")
    case .take(let revision): .revision(revision.description)
    case .newest: .policy(.newest)
    case .greatest: .policy(.max)
    case .smallest: .policy(.min)
    case .union: .policy(.union)
    case .longest: .policy(.longest)
    }
  }
}

/// What became of a conflict.
public struct ResolvedConflict: Sendable, Hashable, Identifiable {
  /// Which record it is.
  public let id: String
  /// The revision that has taken in the others; nil if there was no conflict, or it is open still.
  public let revision: Revision?
  /// Whether the record is deleted since.
  public let isDeleted: Bool
  /// Whether nothing has decided about all of its properties. Then nothing was written of it.
  public let isOpen: Bool
  /// How many revisions still disagree: one cannot take in all.
  public let remaining: Int

  init(unchanged id: String) { (self.id, revision, isDeleted, isOpen, remaining) = (id, nil, false, false, 0) }

  init(_ resolved: Resolved) {
    (id, revision) = (resolved.id, resolved.revision.map(Revision.init))
    (isDeleted, isOpen, remaining) = (resolved.isDeleted, resolved.open != nil, resolved.left)
  }
}

extension Record {
  /// What the record says, as the end of a conflict: counters and sets are those of all versions with what was done to them here.
  func content(in conflict: Conflict) throws -> Content {
    guard id == conflict.id else {
      throw SeaError(.usage, "record '\(id)' cannot end the conflict of '\(conflict.id)'", ["id": id])
    }
    let merged = conflict.merged.body?.members ?? Members()
    var kept: Set<String> = []
    let members = properties.map { name, value in
      let old = merged[name]
      switch (value.unlabelled, old?.unlabelled) {
      case (.counter, .counter?), (.set, .set?):
        kept.insert(name)
        return (name, old!)
      default: return (name, value.stored)
      }
    }
    return Content(type: type, body: try changes.applied(to: .dictionary(Members(members)), only: kept))
  }
}
