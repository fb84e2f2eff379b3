import SeaCore

import enum SeaStore.QueryFault

/// The rows of what a query cannot be answered for.
extension Failure {
  static func row(_ error: QueryFault) -> Failure {
    func similar(_ word: String?, _ kind: String) -> String {
      word.map { "did you mean '\($0)'?" } ?? "see the \(kind): sea query --types"
    }
    switch error {
    case .bad(let message): return Failure(.badQuery, message, hint: "the language is SQL: sea-query(7)")
    case .unknownColumn(let name, let word):
      return Failure(
        .badQuery, "no record there has a property '\(name)'", hint: similar(word, "properties"),
        ["name": name, "similar": word])
    case .unknownType(let name, let word):
      return Failure(
        .badQuery, "there is no record of type '\(name)'", hint: similar(word, "types"),
        ["name": name, "similar": word])
    case .quotedText(let name):
      return Failure(
        .badQuery, "no record there has a property '\(name)'",
        hint: "a text goes in single quotes: '\(name)'", ["name": name])
    case .nameAsText(let name):
      return Failure(
        .badQuery, "'\(name)' stands where a name has to be, and is a text",
        hint: "a name goes in double quotes: \"\(name)\"",
        ["name": name])
    case .ambiguousCase(let names, let isType):
      let all = names.map { "'\($0)'" }.joined(separator: ", ")
      return isType
        ? Failure(
          .badQuery, "types differ in case alone, which SQL does not see: \(all)",
          hint: "ask the table of all: records, WHERE _type = '\(names[0])'")
        : Failure(
          .badQuery, "properties differ in case alone, which SQL does not see: \(all)",
          hint: "name one by: prop(_id, '/\(names[0])')")
    case .refused(let what):
      return Failure(.badQuery, "\(what) is not allowed in a query", hint: "queries read records and change nothing")
    case .severalStatements: return Failure(.badQuery, "there are several statements", hint: "one is run at a time")
    case .noStatement: return Failure(.badQuery, "there is no statement")
    case .missingParameter(let name):
      return Failure(
        .badQuery, "':\(name)' stands for nothing", hint: "say what it is: -p \(name)=VALUE", ["name": name])
    case .unusedParameter(let name):
      return Failure(.badQuery, "there is no ':\(name)' that -p \(name)=… could stand for", ["name": name])
    case .notExact(let name):
      return Failure(
        .badQuery, "'\(name)': exact() and the decimal_ functions take a property of a table by its name, or digits",
        hint: "a number that was computed with + - * / is not exact any more; see decimal_mul in sea-query(7)")
    case .mixedKinds(let column, let kinds):
      let all = kinds.map(\.rawValue).joined(separator: " and ")
      return Failure(
        .badQuery, "'\(column)' has \(all), which SQL compares by kind first; nothing was written",
        hint: "say which are meant: \(column.kindCall) = '\(kinds[0].word)' AND …; see sea-query(7)", ["name": column])
    case .notNumbers(let column, let kind):
      return Failure(
        .badQuery, "'\(column)' has \(kind.rawValue), which SQL does not compare as numbers; nothing was written",
        hint: kind == .dates
          ? "a date stands in single quotes: \(column) > '2026-03-01'"
          : "say that they are meant as numbers: CAST(\(column) AS REAL); see sea-query(7)", ["name": column])
    case .tooMuch(.seconds(let seconds)):
      return Failure(.badQuery, "gave up after \(seconds) s", hint: "give it longer with --time-limit, or ask for less")
    case .tooMuch(.memory):
      return Failure(.badQuery, "the query needs more than 1 GiB of memory", hint: "ask for less at a time")
    case .tooMuch(.length):
      return Failure(
        .badQuery, "a value or the statement is too long", hint: "a value has at most 64 MiB, a statement 1 MiB")
    case .failed(let message): return Failure(.badQuery, message)
    }
  }

  /// A database that an earlier version has written.
  static func earlier(_ version: Int, isKnown: Bool) -> Failure {
    isKnown
      ? Failure(
        .incompatible, "the database is of an earlier sea (format \(version)), and may not be written here",
        hint: "open it once where it may be written: sea status")
      : Failure(
        .incompatible, "the database was written by a sea of before the first release (format \(version))",
        hint: "that one can hand its records on: sea query --json | sea put")
  }
}

extension String {
  /// Of the name of a property what tells its kinds apart in SQL; of `owner->name` that of another record.
  fileprivate var kindCall: String {
    let arrow = firstRange(of: "->")
    let base = arrow.map { "\"\(self[..<$0.lowerBound])\"" } ?? "_id"
    let rest = arrow.map { String(self[$0.upperBound...]) } ?? self
    return "kind(\(base), '\((try? PropertyPath(rest))?.pointer ?? rest)')"
  }
}
