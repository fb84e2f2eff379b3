import SeaCore
import SeaEngine

enum CheckCommand: Command {
  static var title: Title {
    Title("check", .care, .porcelain, needs: .database, "list records that break a rule of their type")
  }
  static var synopsis: [String] { ["[-t TYPE]"] }
  static let type = Option("type", "t", .type, "TYPE", "check only records of this type")
  static var options: [Option] { [type] }
  static var exits: [Exit] { [Exit(.badData, "a record breaks a rule, or no record has the type")] }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let database = try session.reading()
    return try database.atOneState {
      if let type = arguments.text(type) { try session.check(type: type, in: database) }
      for name in try database.records.unknownRules() {
        session.terminal.notice("the shared setting '\(name)' is ignored: this version does not know it or its value")
      }
      let list = try Listing(
        session.terminal,
        [Column("RECORD", "id"), Column("PROPERTY", "property"), Column("RULE", "shown"), Column("FOUND", "found")])
      var count = 0
      try database.records.forEachBrokenRule(of: arguments.text(type)) { broken in
        count += 1
        try list.add([
          "event": .text("broken"), "id": .id(broken.id), "type": .text(broken.type), "property": .path(broken.path),
          "rule": .text(broken.word), "wanted": .text(broken.wanted), "value": .text(broken.value),
          "twin": broken.twin.map { .id($0) } ?? .absent, "shown": .aside(broken.rule), "found": .aside(broken.found),
        ])
      }
      try list.end()
      if count == 0 { try session.terminal.remark("no record breaks a rule") }
      return count == 0 ? .success : .badData
    }
  }
}
