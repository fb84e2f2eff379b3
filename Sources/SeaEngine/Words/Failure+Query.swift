import SeaCore

import SeaStore

/// The rows for faults of queries.
extension Failure {
  package static func row(_ error: QueryFault) -> Failure {
    func similar(_ word: String?, _ kind: String) -> String {
      word.map { "did you mean '\($0)'?" } ?? "see the \(kind): sea query --types"
    }
    switch error {
    case .bad(let message): return Failure(.badQuery, message, hint: QueryWords.hint(message))
    case .unknownColumn(let name, let word):
      return Failure(
        .badQuery, "no record there has a property '\(name)'", hint: similar(word, "properties"),
        ["name": name, "similar": word])
    case .unknownType(let name, let word):
      return Failure(
        .badQuery, "there is no record of type '\(name)'", hint: similar(word, "types"),
        ["name": name, "similar": word])
    case .reservedType(let type):
      return Failure(
        .badQuery, "'\(type)' is no table: SQLite keeps that name for itself",
        hint: "ask the table of all: records, WHERE _type = \(QueryWords.literal(type))", ["name": type])
    case .noQuery(let word) where QueryWords.isStatement(word): return row(.refused(word))
    case .noQuery(let word):
      return Failure(
        .badQuery, "a query begins with SELECT, and not with '\(word.prefix(40))'",
        hint: QueryWords.insteadOf(unknown: word))
    case .ambiguousPath(let path):
      let (property, within) = (QueryWords.property(path), QueryWords.literal(path))
      return Failure(
        .badQuery, "'\(path)' is the name of a property, and a path that an index is of",
        hint: "name the property by prop(_id, \(property)), what lies at the path by prop(_id, \(within))")
    case .ambiguousCase(let names, let isType):
      let all = names.map { "'\($0)'" }.joined(separator: ", ")
      return isType
        ? Failure(
          .badQuery, "types differ in case alone, which SQL does not see: \(all)",
          hint: "ask the table of all: records, WHERE _type = \(QueryWords.literal(names[0]))")
        : Failure(
          .badQuery, "properties differ in case alone, which SQL does not see: \(all)",
          hint: "name one by: prop(_id, \(QueryWords.property(names[0])))")
    case .refused(let what):
      return Failure(.badQuery, "\(what) is not allowed in a query", hint: QueryWords.insteadOf(what))
    case .severalStatements: return Failure(.badQuery, "there are several statements", hint: "one is run at a time")
    case .noStatement:
      return Failure(.badQuery, "there is no statement", hint: "a query is: SELECT … FROM TYPE; see sea-query(7)")
    case .noCondition:
      return Failure(.badQuery, "the condition is empty", hint: "1 is one that holds for all records")
    case .noTextIndex(let known):
      return Failure(
        .badQuery, "MATCH searches an index of text, and there is none of that name for the table",
        hint: known.first.map { "there is: \($0.inSQL) MATCH 'words'" }
          ?? "make one: sea reindex --add-text=NAME=TYPE:PATH, then: _NAME MATCH 'words'; see: sea reindex --list")
    case .matchBesideOthers:
      return Failure(
        .badQuery, "MATCH stands beside OR or behind NOT, where the index cannot choose the records",
        hint: "it has a query of its own there: _id IN (SELECT _id FROM TYPE WHERE _NAME MATCH 'words') OR …")
    case .missingParameter("?", _):
      return Failure(
        .badQuery, "'?' stands for nothing", hint: "a parameter has a name: :NAME, given by -p NAME=VALUE")
    case .missingParameter(let name, let given):
      return Failure(
        .badQuery, "':\(name)' stands for nothing",
        hint: given.map { "-p \($0)=… is given, and nothing asks for it" } ?? "say what it is: -p \(name)=VALUE",
        ["name": name])
    case .unusedParameter(let name) where name.hasPrefix(QueryWords.interpolated):
      return Failure(
        .badQuery, "a value that is interpolated stands in quotes or in a comment: it is bound, and has no quotes")
    case .unusedParameter(let name):
      return Failure(
        .badQuery, "there is no ':\(name)' for which there is a value", hint: "leave out -p \(name)=…",
        ["name": name])
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
          : "say that they are meant as numbers: CAST(\(column.inSQL) AS REAL); see sea-query(7)", ["name": column])
    case .unlike(let column, let kind, let text):
      return Failure(
        .badQuery, "'\(column)' has \(kind.rawValue), and '\(text)' is like none of them; nothing was written",
        hint: kind.likeness, ["name": column])
    case .badPattern(let pattern, let fault):
      return Failure(.badQuery, "regexp: \(fault.words(pattern))", ["name": pattern])
    case .tooMuch(.seconds(let seconds)):
      return Failure(.badQuery, "gave up after \(seconds) s", hint: "give it longer with --time-limit, or ask for less")
    case .tooMuch(.memory):
      return Failure(.badQuery, "the query needs more than 1 GiB of memory", hint: "ask for less at a time")
    case .tooMuch(.systemMemory):
      return Failure(.badQuery, "the system gives the query no more memory", hint: "ask for less at a time")
    case .tooMuch(.length):
      return Failure(
        .badQuery, "a value or the statement is too long", hint: "a value has at most 64 MiB, a statement 1 MiB")
    case .failed(let message):
      return Failure(
        .badQuery, message,
        hint: message == "malformed JSON"
          ? "-> and ->> go into JSON, by a name in single quotes: os ->> 'name'; what a reference leads to has prop(owner, '/name')"
          : nil)
    }
  }
}

extension PatternFault {
  fileprivate func words(_ pattern: String) -> String {
    let name = "'\(pattern.prefix(60))\(pattern.count > 60 ? "…" : "")'"
    return switch self {
    case .tooLong: "\(name) has more than \(LinearPattern.mostSteps) steps, where x{9} counts as nine"
    case .tooDeep: "\(name) has more than \(LinearPattern.mostGroups) groups within each other"
    case .unreadable(let at) where at > pattern.unicodeScalars.count: "something is missing at the end of \(name)"
    case .unreadable(let at): "\(name) cannot be read at its character \(at)"
    }
  }
}

extension ValueClass {
  /// Returns how to write a value of this class in SQL.
  package var likeness: String {
    switch self {
    case .numbers: "a number is written without quotes, and given by -p NAME:=NUMBER"
    case .booleans: "it is 1 or 0, TRUE or FALSE without quotes; given by -p NAME:=true"
    case .dates:
      "a date is 2026-03-01T00:00:00.000Z for =, or its beginning for >= and <; see ago() and now() in sea-query(7)"
    case .json: "it is JSON: has() finds what a set or array has, ->> what a dictionary has; see sea-query(7)"
    case .data: "bytes are written as x'00ff'"
    case .text: "a text stands in single quotes"
    }
  }
}

extension String {
  /// The name quoted for SQL; in double quotes, even a keyword is a name.
  package var inSQL: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// For a column, which is a property or the pointer of an index path, the SQL call that returns the kind of its
  /// value.
  fileprivate var kindCall: String {
    "kind(_id, \(QueryWords.literal(hasPrefix("/") ? self : PropertyPath(names: [self]).pointer)))"
  }
}
