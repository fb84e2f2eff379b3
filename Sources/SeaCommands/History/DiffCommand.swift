import SeaCore
import SeaEngine
import SeaWords

/// `sea diff`: what changed between revisions, or what a container lacks.
enum DiffCommand: Command {
  static var title: Title {
    Title(
      "diff", .history, .porcelain, needs: .database,
      "show what changed between two revisions or moments, or what a container or bundle lacks")
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
  static let mergePatch = Option("merge-patch", help: "print a JSON Merge Patch (RFC 7396), which 'sea put' takes")
  static let stat = Option("stat", help: "print counts only")
  static let container = Option("container", nil, .container, "NAME", "compare with what this container holds")
  static let bundle = Option("bundle", nil, .bundle, "FILE", "compare with what a bundle holds")
  static let at = Option("at", nil, .operation, "WHEN", "compare what this instance knew then with what it knows now")
  static var options: [Option] { [jsonPatch, mergePatch, stat, at, container, bundle, .exitCode] }
  static var operands: [Operand] { [.any("REVISION", .revision)] }
  static var exits: [Exit] {
    [
      Exit(.no, "with --exit-code: there is a difference"),
      Exit(.notFound, "there is no such record, revision or container, or the name means several"),
      Exit(.corrupt, "the bundle is damaged"),
      Exit(.unreachable, "the container or the bundle is not there"),
      Exit(.incompatible, "the container or the bundle belongs to another database"),
      Exit(.badData, "with --merge-patch: a dictionary holds null, which such a patch cannot say"),
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

  /// A against B, A against the winner, or each record's winner against its parent.
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
