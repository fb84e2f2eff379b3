import SeaCore

import SeaStore

extension Failure {
  package static func row(_ error: QueryFault) -> Failure {
    func similar(_ word: String?, _ kind: String) -> String {
      word.map { "did you mean '\($0)'?" } ?? "to list \(kind), run: sea query --types"
    }
    switch error {
    case .bad(let message): return Failure(.badQuery, message, hint: QueryWords.hint(message))
    case .unknownColumn(let name, let word):
      return Failure(
        .badQuery, "no record has a property '\(name)'", hint: similar(word, "properties"),
        ["name": name, "similar": word])
    case .unknownType(let name, let word):
      return Failure(
        .badQuery, "no record has the type '\(name)'", hint: similar(word, "types"),
        ["name": name, "similar": word])
    case .reservedType(let type):
      return Failure(
        .badQuery, "cannot use type '\(type)' as a table: SQLite reserves the name",
        hint: "use FROM records WHERE _type = \(QueryWords.literal(type))", ["name": type])
    case .noQuery(let word) where QueryWords.isStatement(word): return row(.refused(word))
    case .noQuery(let word):
      return Failure(
        .badQuery, "a query begins with SELECT, not with '\(word.prefix(40))'",
        hint: QueryWords.insteadOf(unknown: word))
    case .ambiguousPath(let path):
      let (property, within) = (QueryWords.property(path), QueryWords.literal(path))
      return Failure(
        .badQuery, "'\(path)' is ambiguous: a property and an indexed path",
        hint: "for the property, use prop(_id, \(property)); for the path, use prop(_id, \(within))")
    case .ambiguousCase(let names, let isType):
      let all = names.map { "'\($0)'" }.joined(separator: ", ")
      return Failure(
        .badQuery, "\(isType ? "types" : "properties") differ only in case, which SQL ignores: \(all)",
        hint: isType
          ? "use FROM records WHERE _type = \(QueryWords.literal(names[0]))"
          : "use prop(_id, \(QueryWords.property(names[0])))")
    case .refused(let what):
      return Failure(.badQuery, "\(what) is not allowed in a query", hint: QueryWords.insteadOf(what))
    case .severalStatements: return Failure(.badQuery, "too many statements", hint: "run one statement at a time")
    case .noStatement:
      return Failure(.badQuery, "the statement is empty", hint: "use SELECT … FROM TYPE; see sea-query(7)")
    case .noCondition: return Failure(.badQuery, "the condition is empty", hint: "to match all records, use 1")
    case .noTextIndex(let known):
      return Failure(
        .badQuery, "MATCH needs a text index: the table has none with that name",
        hint: known.first.map { "use \($0.inSQL) MATCH 'words'" }
          ?? "to add one, run: sea reindex --add-text=NAME=TYPE:PATH; then use _NAME MATCH 'words'; to list indexes, run: sea reindex --list"
      )
    case .matchBesideOthers:
      return Failure(
        .badQuery, "MATCH cannot be combined with OR or NOT",
        hint: "use a subquery: _id IN (SELECT _id FROM TYPE WHERE _NAME MATCH 'words') OR …")
    case .missingParameter("?", _):
      return Failure(.badQuery, "parameter '?' has no name", hint: "use :NAME, and give its value with -p NAME=VALUE")
    case .missingParameter(let name, let given):
      return Failure(
        .badQuery, "parameter ':\(name)' has no value",
        hint: given.map { "-p \($0)=… is not used" } ?? "to set it, use -p \(name)=VALUE",
        ["name": name])
    case .unusedParameter(let name) where name.hasPrefix(QueryWords.interpolated):
      return Failure(.badQuery, "an interpolated value is inside quotes or a comment; write it without quotes")
    case .unusedParameter(let name):
      return Failure(.badQuery, "parameter ':\(name)' is not used", hint: "omit -p \(name)=…", ["name": name])
    case .notExact(let name):
      return Failure(
        .badQuery, "'\(name)': exact() and the decimal_ functions need the name of a property, or digits",
        hint: "results of + - * / are not exact; see decimal_mul in sea-query(7)")
    case .tooManyDigits(let number):
      return Failure(
        .badQuery, "SQL does not compare all digits of \(number)",
        hint: "compare them as text: exact(NAME) = '\(number)'; see sea-query(7)")
    case .mixedKinds(let column, let kinds):
      let all = kinds.map(\.rawValue).joined(separator: " and ")
      return Failure(
        .badQuery, "'\(column)' has \(all), which SQL does not compare with each other; nothing was written",
        hint: "to select one kind, add \(column.kindCall) = '\(kinds[0].word)' AND …; see sea-query(7)",
        ["name": column])
    case .notNumbers(let column, let kind):
      return Failure(
        .badQuery, "'\(column)' has \(kind.rawValue), which SQL does not compare as numbers; nothing was written",
        hint: [.dates, .days].contains(kind)
          ? "quote the \(kind.word): \(column) > '2026-03-01'"
          : "to compare them as numbers, use CAST(\(column.inSQL) AS REAL); see sea-query(7)", ["name": column])
    case .unlike(let column, let kind, let text):
      return Failure(
        .badQuery, "'\(column)' (\(kind.rawValue)) never matches '\(text)'; nothing was written",
        hint: kind.likeness, ["name": column])
    case .badPattern(let pattern, let fault):
      return Failure(.badQuery, "regexp: \(fault.words(pattern))", ["name": pattern])
    case .tooMuch(.seconds(let seconds)):
      return Failure(
        .badQuery, "the query timed out after \(seconds) s",
        hint: "select fewer records; to allow more time, use --time-limit")
    case .tooMuch(.memory), .tooMuch(.systemMemory):
      return Failure(.badQuery, "the query needs too much memory (limit: 1 GiB)", hint: "select fewer records")
    case .tooMuch(.length):
      return Failure(
        .badQuery, "a value or the statement is too long", hint: "limits: 64 MiB for a value, 1 MiB for a statement")
    case .failed(let message):
      return Failure(
        .badQuery, message,
        hint: message == "malformed JSON"
          ? "quote the name after -> or ->>: os ->> 'name'; to follow a reference, use prop(owner, '/name')"
          : nil)
    }
  }
}

extension PatternFault {
  fileprivate func words(_ pattern: String) -> String {
    let name = "'\(pattern.prefix(60))\(pattern.count > 60 ? "…" : "")'"
    return switch self {
    case .tooLong: "\(name) has more than \(LinearPattern.mostSteps) steps (x{9} counts as nine)"
    case .tooDeep: "\(name) has more than \(LinearPattern.mostGroups) nested groups"
    case .unreadable(let at) where at > pattern.unicodeScalars.count: "unexpected end of \(name)"
    case .unreadable(let at): "\(name) has a syntax error at character \(at)"
    }
  }
}

extension ValueClass {
  /// Describes how to write a value of this class in SQL.
  package var likeness: String {
    switch self {
    case .numbers: "write numbers without quotes; as a parameter, use -p NAME:=NUMBER"
    case .booleans: "use 1 or 0, TRUE or FALSE without quotes; as a parameter, use -p NAME:=true"
    case .dates:
      "for all of a day in UTC, use date(x) = '2026-03-01'; with >= and <, the beginning of a date; see sea-query(7)"
    case .days: "with =, use a day such as 2026-03-01; with >= and <, a day or its beginning; see sea-query(7)"
    case .json: "for an element of a set or array, use has(); for a value of a dictionary, use ->>; see sea-query(7)"
    case .data: "write bytes as x'00ff'"
    case .text: "write text in single quotes"
    }
  }
}

extension String {
  /// The name, quoted for SQL. In double quotes, even a keyword is a name.
  package var inSQL: String {
    "\"" + split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// The SQL call that returns the kind of a column's value. The column is a property or a JSON pointer.
  fileprivate var kindCall: String {
    "kind(_id, \(QueryWords.literal(hasPrefix("/") ? self : PropertyPath(names: [self]).pointer)))"
  }
}
