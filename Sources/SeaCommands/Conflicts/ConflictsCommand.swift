import SeaCore
import SeaEngine
import SeaWords

/// `sea conflicts`: records whose leaves disagree.
enum ConflictsCommand: Command {
  static var title: Title {
    Title(
      "conflicts", .conflicts, .frozenPorcelain, needs: .database,
      "list records in conflict, or show one property by property")
  }
  static var synopsis: [String] {
    [
      "[-t TYPE] [--kind=KIND] [--since=WHEN] [--at=WHEN] [--count] [--exit-code] [--porcelain[=v1]] "
        + "[--format=FORMAT [--shell]] [RECORD]"
    ]
  }
  static let only = Option(
    "kind", nil, .choice(["edit/edit", "delete/edit", "add/add", "type/type"]), "KIND", "only conflicts of this kind")
  static let since = Option("since", nil, .text, "WHEN", "only where a leaf arrived here at WHEN or later")
  static let count = Option("count", help: "print how many there are")
  static var options: [Option] { [.type, only, since, .at, count, .exitCode, .format, .shell] }
  static var operands: [Operand] { [.optional("RECORD", .contested)] }
  static var exits: [Exit] {
    [
      Exit(.conflict, "with --exit-code: there are conflicts"),
      Exit(.notFound, "there is no such record, the name means several, or --at names no operation"),
      Exit(.partial, "the list takes more work than one command may do: some conflicts are compared without a base"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let since = try arguments.text(since).map { try session.time($0) }
    func isWanted(_ conflict: Conflict) -> Bool {
      if let type = arguments.text(.type), !UTF8Text.equal(conflict.row.type ?? "", type) { return false }
      if let kind = arguments.text(only), conflict.kind.rawValue != kind { return false }
      return since.map { since in conflict.sides.contains { $0.author.map { $0.arrived >= since } ?? false } } ?? true
    }
    let database = try session.reading()
    return try database.atOneState {
      var (found, left) = (0, 0)
      let output = try ConflictOutput(session, arguments, database)
      func take(_ conflict: Conflict) throws -> Bool {
        guard isWanted(conflict) else { return true }
        found += 1
        if conflict.isLeft { left += 1 }
        if !arguments.has(count) { try output.add(conflict) }
        return arguments.has(count) || output.prints
      }
      let moment = try session.moment(arguments, database)
      if moment == nil, let type = arguments.text(.type) { try session.check(type: type, in: database) }
      if let text = arguments.operand(0), let moment {
        let past = try database.records.find(text, at: moment, literal: session.literalIDs)
        if let conflict = try database.conflicts.conflict(of: past) { _ = try take(conflict) }
      } else if let text = arguments.operand(0) {
        if let conflict = try database.conflicts.conflict(
          of: try database.records.find(text, literal: session.literalIDs), inShort: true)
        {
          _ = try take(conflict)
        }
      } else if arguments.has(count), since == nil, moment == nil, !arguments.has(only) {
        // How many there are needs no look at what they are.
        found = try database.conflicts.ids(type: arguments.text(.type)).count
      } else {
        try database.conflicts.forEach(type: arguments.text(.type), at: moment, inShort: true, take)
      }
      try output.end()
      if arguments.has(count), !(session.options.quiet && arguments.has(.exitCode)) {
        try session.terminal.show(["count": .integer(found)], frozen: ["count"]) { ["\(found)"] }
      }
      if left > 0, !arguments.has(count) {
        session.terminal.warning(
          "too-much-work",
          "\(left) of \(Count(found, "conflict")) compared without a base: one command may do no more work",
          hint: "to compare one in full, run: sea conflicts RECORD")
      }
      let status = left > 0 && !arguments.has(count) ? ExitStatus.partial : .success
      return found > 0 && arguments.has(.exitCode) ? status.and(.conflict) : status
    }
  }
}
