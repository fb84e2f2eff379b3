import SeaEngine

extension Failure {
  /// Records in conflict whose history was to be purged.
  package static func neededForConflicts(_ ids: [String]) -> Failure {
    let one = ids.count == 1 ? ids.first : nil
    return Failure(
      .conflict, one.map { "\($0) is in conflict" } ?? "\(Count(ids.count, "record")) are in conflict",
      hint: "end that first, what would go is needed for it: sea conflicts",
      lines: one == nil ? Array(ids.prefix(20)) : [])
  }

  package static func row(_ problem: Problem) -> Failure {
    let kind: ErrorKind =
      switch problem.code {
      case .truncated, .incomplete: .truncated
      case .fork: .fork
      default: .corrupt
      }
    return Failure(
      kind, text(problem, block: problem.chainText.map { $0 + place(problem) }),
      ["problem": problem.code.rawValue])
  }

  package static func place(_ problem: Problem) -> String { problem.index.map { "/\($0)" } ?? "" }

  package static func text(_ problem: Problem, block: String?, withPlace: Bool = true) -> String {
    let place = problem.place.isEmpty || !withPlace ? "" : "\(problem.place): "
    let kind = problem.isAsset ? "asset" : problem.index == nil ? "chain" : "block"
    let subject = block.map { "\(kind) \($0) " } ?? ""
    let rest = problem.isKept && problem.isWrong ? "; it is kept and passed on, and not applied" : ""
    return place + subject + predicate(problem) + rest
  }

  /// - Parameter parts: how many blocks behind it do not count, and the block with an order that does not.
  private static func removal(_ parts: [Substring]) -> String {
    let named = parts.count > 1 ? "the order for that, block \(parts[1]), does not count" : nil
    let order = named ?? "nobody who may has ordered that"
    let behind = parts.first.flatMap { Int($0) } ?? 0
    let rest = behind > 0 ? ", and so \(Count(behind, "block")) behind it \(behind == 1 ? "does" : "do") not" : ""
    let way = parts.count > 1 ? "; a whole copy, or an order of who may, heals that" : "; a whole copy is looked for"
    return "was taken out; " + order + rest + way
  }

  /// What is wrong, to follow the name of what it is wrong with.
  package static func predicate(_ problem: Problem) -> String {
    let detail = problem.detail
    switch problem.code {
    case .badMagic: return "does not begin as a block does"
    case .badMode: return "has a mode that is not known"
    case .badSize: return "has a wrong size"
    case .badIndex: return "stands in the place of another"
    case .badLamport:
      return problem.isKept
        ? "and what is behind it have a clock that does not follow from the blocks that it names"
        : "has a clock that does not go on from those before"
    case .badPrevious: return "does not follow the block before it"
    case .badData: return "does not match its checksum"
    case .badSignature: return "is not signed by its instance"
    case .badKey: return "announces a key that is not its instance's"
    case .badPayload: return "says something that is not in the format"
    case .badDepth: return "record \(detail) has a revision whose depth does not follow from its parent"
    case .badTag: return "does not open under its key"
    case .badRemoval: return removal(detail.split(separator: " "))
    case .truncated: return detail.isEmpty ? "is cut short" : "is cut short: \(detail)"
    case .incomplete where problem.perhapsEnded != nil:
      return "\(problem.perhapsEnded!) is gone, and a block that is not known here may have ended it"
    case .incomplete where problem.instance == nil && detail.hasSuffix("/"):
      return "\(detail) lacks files that were there"
    case .incomplete where problem.instance == nil: return "\(detail) has not fully arrived yet: only a placeholder"
    case .incomplete: return detail.isEmpty ? "has not fully arrived yet" : "has not fully arrived yet: \(detail)"
    case .gap where problem.wasThere: return "is missing or not whole, and was there before"
    case .gap where problem.instance == nil:
      return "\(Count(Int(detail) ?? 0, "slot")) of keys \(detail == "1" ? "is" : "are") missing or not whole, and "
        + "\(detail == "1" ? "was" : "were") there before"
    case .gap where detail == Problem.placeholder: return "is missing: \(detail) stands for it"
    case .gap: return detail.isEmpty ? "is missing" : "is missing, while \(detail)"
    case .fork:
      return detail.isEmpty
        ? "is another one than the one known here" : "is on a second branch of its instance; both count"
    case .mended where detail == Problem.extra: return "has a file that does not belong there: it is set aside"
    case .mended:
      return detail.isEmpty
        ? "was damaged: the file is set aside, and the block written again"
        : "\(detail) was lost or damaged, and is written again"
    case .inTheWay:
      return "cannot be written: what stands in its place is no good, and cannot be moved: \(detail)"
    case .rolledBack: return "was lost by the container: \(detail)"
    case .withheld:
      return (problem.place.isEmpty ? "has been seen by others, and no container has it" : "is neither here nor in it")
        + (detail.isEmpty ? "" : "; what is here ends with block \(detail)")
    case .foreignFile where problem.isOfBundles:
      return "ignored \"\(detail)\": sea export has written it, and it is no part of the container"
    case .foreignFile: return "ignored \"\(detail)\""
    case .badSlot: return "ignored \"\(detail)\": it is no slot of a key"
    case .crowded:
      return "\(Count(Int(detail) ?? 0, "file")) in its folder keys that no member has put there are in the way of "
        + "passphrases and keys: sea containers --drop-held=\(Escape.shellWord(problem.place))"
    case .badRounds: return "ignored \"\(detail)\": it asks for fewer or more rounds than a slot may"
    case .notReadable: return "can only be read by a newer program; it is kept and passed on"
    case .noKey where problem.isUnreadRemoval:
      return "was taken out; whether that was ordered cannot be read without a key that is not here, and so it waits"
    case .noKey where problem.isUnvouched:
      return "opens under a key that nothing vouches for; it is kept and passed on, and its changes are not applied"
    case .noKey: return "is sealed under a key that is not here; it is kept and passed on"
    case .unauthorised: return "does not count: its author is not entitled to it (\(detail) in all)"
    case .missingAsset: return detail.isEmpty ? "is not there" : "was there and is gone"
    case .badAsset:
      switch detail {
      case "size": return "has another size than the records say"
      case "sha256": return "does not match its SHA-256"
      case "seal": return "does not open under its key"
      case "reference": return "cannot be what the records say"
      default: return "could not be read: \(detail)"
      }
    case .notPurged: return "is not purged yet: \(detail)"
    case .tooMuchWork:
      return detail.isEmpty
        ? "more conflicts are left: to merge all takes more work than one command may do; to go on, run: sea sync"
        : "record \(detail) is not merged: it takes more work than one command may do; to merge it, run: sea resolve"
    case .projection:
      return "what the store shows differs from what the chains say" + (detail.isEmpty ? "" : ": \(detail)")
    }
  }
}
