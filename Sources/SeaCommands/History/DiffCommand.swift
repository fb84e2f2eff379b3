import SeaCore
import SeaEngine
import enum SeaContainer.BundleSource

enum DiffCommand: Command {
  static var title: Title {
    Title("diff", .history, .porcelain, needs: .database, "compare revisions, points in time, containers or bundles")
  }
  static func isPaged(_ arguments: Arguments) -> Bool { true }
  static var synopsis: [String] {
    [
      "[--json-patch | --merge-patch | --stat] [--exit-code] A [B]",
      "[--json-patch | --merge-patch | --stat] [--exit-code] -- RECORD...",
      "[--json-patch | --merge-patch | --stat] [--exit-code] OP|@{WHEN} [@{WHEN}] [-- RECORD...]",
      "[--json-patch | --merge-patch | --stat] [--exit-code] --at=WHEN [RECORD]...",
      "--container=NAME [--stat] [--exit-code]",
      "--bundle=FILE [--stat] [--exit-code]",
    ]
  }
  static let jsonPatch = Option("json-patch", help: "print a JSON Patch (RFC 6902)")
  static let mergePatch = Option("merge-patch", help: "print a JSON Merge Patch (RFC 7396), as read by 'sea put'")
  static let stat = Option("stat", help: "print only counts")
  static let container = Option("container", nil, .container, "NAME", "compare with the content of this container")
  static let bundle = Option("bundle", nil, .bundle, "FILE", "compare with the content of a bundle")
  static let at = Option("at", nil, .operation, "WHEN", "compare the state at WHEN with the current state")
  static var options: [Option] { [jsonPatch, mergePatch, stat, at, container, bundle, .exitCode] }
  static var operands: [Operand] { [.any("REVISION", .revision)] }
  static var exits: [Exit] {
    [
      Exit(.no, "with --exit-code: there is a difference"),
      Exit(.notFound, "no such record, revision or container, or the name is ambiguous"),
      Exit(.corrupt, "the bundle is damaged"),
      Exit(.unreachable, "the container or bundle is unavailable"),
      Exit(.incompatible, "the container or bundle belongs to another database"),
      Exit(.badData, "with --merge-patch: an object contains null, which a merge patch cannot express"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let form = try arguments.only(of: [jsonPatch, mergePatch, stat])
    let database = try session.reading()
    var differs = false
    if let place = try arguments.only(of: [container, bundle, at]), place.key != at.key {
      if let form, form.key != stat.key { throw UsageFault.excluded([place.dashed, form.dashed]) }
      if let word = arguments.operand(0) { throw UsageFault.extraOperand(word) }
      let diff = ContainerDiff(session: session, counts: form != nil)
      let name = arguments.text(place) ?? ""
      differs = try place.key == bundle.key ? diff.print(bundle: name, database) : diff.print(name, database)
    } else {
      let output = DiffOutput(session: session, form: form)
      try database.atOneState {
        if let diff = try MomentDiff(output, arguments, database) {
          differs = try diff.print(database)
          return
        }
        for (old, new) in try pairs(arguments, session, database) {
          let difference = try database.history.difference(from: old?.leaf, to: new.leaf)
          if difference.isEmpty { continue }
          differs = true
          try output.print(difference, old, new)
        }
      }
    }
    return differs && arguments.has(.exitCode) ? .no : .success
  }

  /// Returns the pairs of revisions to compare: A and B, A and the winner, or the parent and the winner of each record.
  private static func pairs(
    _ arguments: Arguments, _ session: Session, _ database: Database
  ) throws -> [(Found?, Found)] {
    let names = arguments.operands
    let count = arguments.dashes ?? names.count
    if count > 2 { throw UsageFault.extraOperand(names[2]) }
    if names.isEmpty { throw UsageFault.needsOneOf(["A", "-- RECORD", "--container", "--bundle"]) }
    if count > 0, count < names.count { throw UsageFault.excluded(["A", "-- RECORD"]) }
    if count == 2 { return [(try session.find(names[0], in: database), try session.find(names[1], in: database))] }
    return try names.map { name in
      let found = try session.find(name, in: database)
      guard let pair = try database.history.pair(of: found) else { throw KitError.recordNotFound(name) }
      return pair
    }
  }
}

struct MomentDiff {
  private let output: DiffOutput
  private let first: Moment, last: Moment
  private let ids: [String]?

  /// Determines the two points in time that the arguments name. Returns nil if the arguments are revisions.
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

struct DiffOutput {
  let session: Session
  let form: Option?

  func print(_ difference: Difference, _ old: Found?, _ new: Found?) throws {
    switch form?.key {
    case DiffCommand.jsonPatch.key:
      try line(.written { out, w in difference.writeJSONPatch(&out, &w) }, old, new)
    case DiffCommand.mergePatch.key:
      try difference.checkMergePatch()
      let id = session.options.json ? nil : (new ?? old)?.row.id
      try line(.written { out, w in difference.writeMergePatch(id: id, &out, &w) }, old, new)
    case DiffCommand.stat.key: try stat(difference, old, new)
    default: try changes(difference, old, new)
    }
  }

  private func changes(_ difference: Difference, _ old: Found?, _ new: Found?) throws {
    var item = names(old, new)
    item.add(["deleted": .mark(difference.deletes)])
    item.add(["changes": ChangeText.changes(difference)])
    try session.terminal.painter.show(
      item,
      lines: {
        let from = old.map { session.terminal.short($0.leaf.revision) } ?? "-"
        let other = isOther(old, new) ? "\(old!.row.id)@" : ""
        let to = new.map { session.terminal.short($0.leaf.revision) } ?? "-"
        let end = difference.deletes ? "  (deleted)" : ""
        let head: Painted =
          "\((new ?? old)?.row.id ?? "", .heading)  \(other)\(from, .revision) → \(to, .revision)\(end)"
        return [head]
      })
    try ChangeText.print(difference, session.terminal)
  }

  /// Prints the patch alone or, with `--json`, in an object that also names the revisions.
  private func line(_ patch: Field, _ old: Found?, _ new: Found?) throws {
    guard session.options.json else { return try session.terminal.painter.json(patch) }
    var item = names(old, new)
    item.add(["patch": patch])
    try session.terminal.object(item)
  }

  private func names(_ old: Found?, _ new: Found?) -> Item {
    [
      "id": .id((new ?? old)?.row.id), "from_id": isOther(old, new) ? .id(old?.row.id) : .absent,
      "from": .id(old?.leaf.revision), "to": .id(new?.leaf.revision),
    ]
  }

  private func isOther(_ old: Found?, _ new: Found?) -> Bool {
    guard let old, let new else { return false }
    return !UTF8Text.equal(old.row.id, new.row.id)
  }

  private func stat(_ difference: Difference, _ old: Found?, _ new: Found?) throws {
    var (added, removed, changed) = (0, 0, 0)
    for change in difference.changes {
      if change.old == nil { added += 1 } else if change.new == nil { removed += 1 } else { changed += 1 }
    }
    var item = names(old, new)
    item.add(["changed": .integer(changed), "added": .integer(added), "removed": .integer(removed)])
    try session.terminal.show(item) {
      let end = difference.deletes ? ", deleted" : ""
      return ["\((new ?? old)?.row.id ?? "")  \(changed) changed, \(added) added, \(removed) removed\(end)"]
    }
  }
}

/// Prints the blocks that exist only in this instance (`<`) or only in a container (`>`).
struct ContainerDiff {
  private struct Total {
    var chain: UUID
    var isHere: Bool
    var blocks = 0
    var changes = 0
  }

  let session: Session
  let counts: Bool

  /// Compares this instance with a container.
  /// - Returns: whether there is a difference.
  func print(_ name: String, _ database: Database) throws -> Bool {
    try print(database) { try database.exchange.forEachMissing(in: name, $0) }
  }

  /// Compares this instance with a bundle. Prints nothing for a damaged bundle.
  func print(bundle name: String, _ database: Database) throws -> Bool {
    let source = BundleSource.file(path: session.path(name))
    return try print(database) { try database.bundles.forEachMissing(in: source, named: name, $0) }
  }

  private func print(
    _ database: Database, _ forEachMissing: (@escaping (MissingBlock) throws -> Bool) throws -> Void
  ) throws -> Bool {
    var totals: [Total] = []
    let names = try database.members.names()
    try forEachMissing { block in
      if totals.last?.chain != block.instance || totals.last?.isHere != block.isHere {
        totals.append(Total(chain: block.instance, isHere: block.isHere))
      }
      totals[totals.count - 1].blocks += 1
      totals[totals.count - 1].changes += block.changes.count
      if !counts { for change in block.changes { try line(change, block) } }
      return true
    }
    if counts { for total in totals { try line(total, names[total.chain] ?? "") } }
    return !totals.isEmpty
  }

  private func line(_ change: MissingBlock.Change, _ block: MissingBlock) throws {
    try session.terminal.painter.show(
      [
        "only": .text(block.isHere ? "here" : "there"), "id": .id(change.id), "rev": .id(change.revision),
        "kind": .text(change.kind.rawValue), "block": .id(block.place),
      ],
      lines: {
        let what = change.kind == .put ? "" : "  (\(change.kind == .delete ? "deleted" : "resolved"))"
        return [
          "\(sign(block.isHere)) \(change.id)  \(session.terminal.short(change.revision), .revision)\(what)"
        ]
      })
  }

  private func sign(_ isHere: Bool) -> Painted { isHere ? Painted("<", .old) : Painted(">", .new) }

  private func line(_ total: Total, _ name: String) throws {
    try session.terminal.painter.show(
      [
        "only": .text(total.isHere ? "here" : "there"), "instance": .id(total.chain), "name": .text(name),
        "blocks": .integer(total.blocks), "changes": .integer(total.changes),
      ],
      lines: {
        let title = name.isEmpty ? session.terminal.short(total.chain) : name
        let what = "\(Count(total.blocks, "block")), \(Count(total.changes, "change"))"
        return ["\(sign(total.isHere)) \(title)  \(what)"]
      })
  }
}
