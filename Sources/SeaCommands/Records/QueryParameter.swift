import SeaCore
import SeaEngine

/// The parameter `-p NAME=TEXT` or `-p NAME:=JSON`, which sets the value of `:NAME` in SQL.
enum QueryParameter {
  static let option = Option(
    "param", "p", .text, "NAME=VALUE", "set ':NAME' to a text, or with NAME:=VALUE to a number or other JSON",
    repeatable: true)

  static func values(_ arguments: Arguments) throws -> [(name: String, value: QueryValue)] {
    var names: Set<[UInt8]> = []
    return try arguments.texts(option).map(parameter).map { one in
      guard names.insert(Array(one.name.utf8)).inserted else {
        throw UsageFault.excluded(["-p \(one.name)=…", "-p \(one.name)=…"])
      }
      return one
    }
  }

  private static func parameter(_ text: String) throws -> (name: String, value: QueryValue) {
    let bad = UsageFault.badValue(
      option: option.dashed, value: text, expected: .choice(["NAME=TEXT or NAME:=JSON"]))
    guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
      throw bad
    }
    let rest = String(text[text.index(after: equals)...])
    guard text[text.index(before: equals)] == ":" else { return (String(text[..<equals]), .text(rest)) }
    let name = String(text[..<text.index(before: equals)])
    guard !name.isEmpty else { throw bad }
    return (name, value(try Value.json(rest)))
  }

  private static func plain(_ value: Value) -> String { String(decoding: PlainJSON.bytes(value), as: UTF8.self) }

  private static func value(_ value: Value) -> QueryValue {
    switch value {
    case .null: .null
    case .bool(let flag): .integer(flag ? 1 : 0)
    case .integer(let number): .integer(number)
    case .double(let number): .double(number)
    case .string(let text): .text(text)
    case .date(let time): .text(PlainJSON.sortable(time))
    case .day(let day): .text(CalendarDay.text(day))
    case .reference(let id, _): .text(id)
    case .data(let data): .data(data)
    case .decimal, .bigInteger: .real(plain(value))
    case .labeled(let value, _): self.value(value)
    case .counterDraft(let count): Int64(exactly: count).map { .integer($0) } ?? .real("\(count)")
    default: .json(plain(value))
    }
  }
}

extension Terminal {
  func report(_ notices: [QueryNotice]) { for one in notices { notice(one.words) } }
}

extension Session {
  /// Prints a notice if there are no records of a type.
  /// - Throws: `QueryFault` if another type has a similar name.
  func check(type: String, in database: Database) throws {
    let filter = RecordFilter(type: type)
    try database.queries.check(RecordQuery(filter), selecting: [])
    terminal.report(database.queries.notices)
  }

  /// Prints a notice for each property that references name, if the type or the property is new and similar to another.
  func noticeSimilar(_ targets: NamedTargets) {
    for one in targets.similar {
      terminal.notice("new record for the reference '\(one.text)'; did you mean '\(one.meant)'?")
    }
  }

  /// Prints a notice if the name of a new type is similar to the name of an existing type.
  func noticeNewType(_ type: String?, in database: Database) throws {
    guard let type, let similar = try database.queries.similarType(to: type) else { return }
    terminal.report([.newType(type, similar: similar)])
  }
}
