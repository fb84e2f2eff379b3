import SeaCore
import SeaEngine

/// What is different in a whole database between two moments.
struct MomentDiff {
  private let output: DiffOutput
  private let first: Moment, last: Moment
  /// Of which records; nil for all.
  private let ids: [String]?

  /// The two moments that are named, of an operation alone the one before it and the one after, or that of `--at` and now. Nil if
  /// revisions are named.
  init?(_ output: DiffOutput, _ arguments: Arguments, _ database: Database) throws {
    let session = output.session
    self.output = output
    if let then = try session.moment(arguments, database) {
      (first, last) = (then, try database.history.now())
      if let dashes = arguments.dashes, dashes > 0 { throw UsageFault.extraOperand(arguments.operands[0]) }
      let names = arguments.operands
      ids = try names.isEmpty ? nil : names.map { try database.records.find($0, literal: session.literalIDs).id }
      return
    }
    let names = Array(arguments.operands.prefix(arguments.dashes ?? .max))
    let isMoment = names.map { $0.hasPrefix("op:") || $0.hasPrefix("@{") }
    guard !session.literalIDs, isMoment.contains(true) else { return nil }
    if names.count > 2 { throw UsageFault.extraOperand(names[2]) }
    for (name, isOne) in zip(names, isMoment) where !isOne { throw UsageFault.extraOperand(name) }
    let operations = try names.map { try session.operation($0) }
    let first = try database.history.moment(operations[0])
    switch operations.count {
    case 2: (self.first, last) = (first, try database.history.moment(operations[1]))
    default:
      if case .time = operations[0] {
        (self.first, last) = (first, try database.history.now())
      } else {
        (self.first, last) = (Moment(after: first.sequence - 1), first)
      }
    }
    ids = try arguments.dashes.map { dashes in
      try arguments.operands.dropFirst(dashes).map { try database.records.find($0, literal: session.literalIDs).id }
    }
  }

  /// - Returns: whether there is a difference.
  func print(_ database: Database) throws -> Bool {
    var differs = false
    try database.history.forEachRecord(from: first, to: last, among: ids) { old, new in
      let (before, after) = (old.flatMap { Found($0) }, new.flatMap { Found($0) })
      let isThere = (before?.leaf.kind == .put, after?.leaf.kind == .put)
      guard isThere.0 || isThere.1 else { return }
      if before?.leaf.isPurged == true || after?.leaf.isPurged == true {
        guard before?.leaf.revision != after?.leaf.revision, let id = (after ?? before)?.row.id else { return }
        output.session.terminal.warning("purged", "the content of \(id) was purged")
        differs = true
        return
      }
      let difference = try database.history.difference(from: old, to: new)
      if difference.isEmpty, isThere.0 == isThere.1 { return }
      differs = true
      try output.print(difference, before, after)
    }
    return differs
  }
}
