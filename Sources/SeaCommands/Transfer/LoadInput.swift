import SeaCore
import SeaEngine
import SeaSystem

struct LoadInput {
  let name: String
  private let session: Session
  private let operand: String
  private let form: String
  /// Whether neither an option nor the file name sets the format.
  let guessesForm: Bool
  private let encoding: TextEncoding
  private var choice = SQLiteSource.Choice()
  private let mayPass: Bool
  private let sheet: String?

  init(_ session: Session, _ arguments: Arguments) throws {
    self.session = session
    operand = arguments.operand(0) ?? "-"
    name = operand == "-" ? "standard input" : operand
    let path = session.path(operand)
    let found = try LoadInput.form(of: operand) ?? (operand != "-" && ForeignFiles.isSQLite(path) ? "sqlite" : "jsonl")
    form = arguments.text(LoadCommand.format) ?? found
    guessesForm = !arguments.has(LoadCommand.format) && form == "jsonl" && !operand.hasSuffix(".jsonl")
    encoding = arguments.text(LoadCommand.encoding).flatMap(TextEncoding.init) ?? .utf8
    choice.wishes.isForeign = arguments.has(LoadCommand.foreign)
    choice.wishes.skipsUnnamed = arguments.has(LoadCommand.skipUnnamed)
    choice.detects = arguments.has(LoadCommand.detect)
    choice.hasKey = arguments.has(LoadCommand.key)
    choice.tables = arguments.texts(LoadCommand.table)
    sheet = arguments.text(LoadCommand.sheet)
    mayPass = arguments.has(LoadCommand.rejects)
    if let rejects = arguments.text(LoadCommand.rejects),
      let there = try Path.statusFollowing(session.path(rejects)), there.kind == .file
    {
      let input = try operand == "-" ? File.standardInput().status() : Path.statusFollowing(path)
      if input?.identity == there.identity { throw CommandError.rejectsIntoInput(rejects, option: LoadCommand.rejects) }
    }
    if let useless = LoadInput.useless(form).first(where: arguments.has) {
      throw UsageFault.excluded([useless.dashed, "--format=\(form)"])
    }
    if form == "sqlite" || form == "xlsx", operand == "-" { throw CommandError.tables(file: name, .noFile(form: form)) }
    choice.wishes.isRelaxed = arguments.has(LoadCommand.relaxed)
    if let text = arguments.text(LoadCommand.delimiter) {
      guard let byte = text.utf8.first, text.utf8.count == 1, ColumnSigns.isSign(byte) else {
        throw UsageFault.badValue(
          option: LoadCommand.delimiter.dashed, value: text,
          expected: .choice(["one ASCII character other than a quote"]))
      }
      choice.wishes.separator = byte
    }
    if choice.wishes.isForeign {
      for name in ["_id", "_type", "_rev", "_deleted"] { choice.wishes.names.add(name, name, mustExist: false) }
    }
    for (old, new) in try LoadInput.pairs(LoadCommand.map, arguments) { choice.wishes.names.add(old, new) }
    if choice.wishes.isForeign { choice.wishes.names.add("_*", "meta/*") }
    for value in arguments.texts(LoadCommand.types) { try add(types: value) }
  }

  private mutating func add(types value: String) throws(UsageFault) {
    let option = LoadCommand.types
    guard let all = ColumnType.split(value) else {
      let form = "in the form COLUMN:TYPE,... or COLUMN:TYPE[FORM],..."
      throw .badValue(option: option.dashed, value: value, expected: .choice([form]))
    }
    for (column, type, form) in all {
      guard let kind = CellType(rawValue: type) else {
        throw .badValue(option: option.dashed, value: type, expected: .choice(CellType.names))
      }
      do throws(ColumnTypeFault) {
        choice.wishes.types[column] =
          try form.map { form throws(ColumnTypeFault) in try ColumnType(type, form) } ?? ColumnType(kind)
      } catch {
        throw .badColumnType("\(column):\(type)[\(form ?? "")]", error)
      }
    }
  }

  static func form(of name: String) -> String? {
    let name = name.lowercased()
    for form in ["csv", "tsv", "json", "jsonl", "sqlite"] where name.hasSuffix("." + form) { return form }
    if name.hasSuffix(".xlsx") || name.hasSuffix(".xlsm") { return "xlsx" }
    return name.hasSuffix(".db") || name.hasSuffix(".sqlite3") ? "sqlite" : nil
  }

  private static func useless(_ form: String) -> [Option] {
    switch form {
    case "csv": [LoadCommand.table, LoadCommand.sheet]
    case "tsv": [LoadCommand.table, LoadCommand.sheet, LoadCommand.delimiter]
    case "xlsx": [LoadCommand.table, LoadCommand.relaxed, LoadCommand.delimiter, LoadCommand.encoding]
    case "sqlite":
      [LoadCommand.sheet, LoadCommand.relaxed, LoadCommand.rejects, LoadCommand.delimiter, LoadCommand.encoding]
    case "datastore": noTable + [LoadCommand.map, LoadCommand.foreign]
    default: noTable
    }
  }

  private static let noTable = [
    LoadCommand.delimiter, LoadCommand.types, LoadCommand.detect, LoadCommand.relaxed, LoadCommand.table,
    LoadCommand.sheet, LoadCommand.skipUnnamed,
  ]

  private static func pairs(_ option: Option, _ arguments: Arguments) throws -> [(String, String)] {
    try arguments.texts(option).flatMap { $0.split(separator: ",") }.map { pair in
      guard let colon = pair.lastIndex(of: ":"), colon != pair.startIndex else {
        throw UsageFault.badValue(
          option: option.dashed, value: String(pair), expected: .choice(["in the form \(option.metavar)"]))
      }
      return (String(pair[..<colon]), String(pair[pair.index(after: colon)...]))
    }
  }

  /// The bytes before the rejected records. Records in another encoding are rejected in UTF-8, which this mark tells
  /// the next load.
  var rejectsMark: [UInt8] { encoding == .utf8 ? [] : TextEncoding.mark }

  /// Sets the options that concern the keys of JSON.
  func prepare(_ options: inout WriteBatch.Options) {
    options.limits.isForeign = choice.wishes.isForeign
    if !choice.wishes.names.isEmpty { options.limits.names = choice.wishes.names }
  }

  func source(_ options: WriteBatch.Options) throws -> any LoadSource {
    let limits = options.limits
    if form == "datastore" { return EntitySource(name, try session.reader(operand), encoding) }
    if form == "sqlite" { return try SQLiteSource(name, file, choice, options, session.terminal) }
    guard form == "csv" || form == "tsv" || form == "xlsx" else {
      return DocumentSource(
        DocumentReader(
          name, try session.reader(operand), encoding, skipsInvalid: mayPass, unwraps: choice.wishes.isForeign))
    }
    guard choice.detects else {
      return try TableSource(reader(table()), choice.wishes, limits, type: options.type, kinds: [])
    }
    let again = try again()
    let kinds = try TableColumns.kinds(reader(again()))
    return try TableSource(reader(again()), choice.wishes, limits, type: options.type, kinds: kinds)
  }

  /// Refuses to open this instance's database a second time, because closing the file would release all locks that this
  /// process has on it.
  private func file() throws -> any ForeignFile {
    let path = session.path(operand)
    let own = try Path.statusFollowing(Path.join(session.seaDirectory(), "db"))
    if let own, try Path.statusFollowing(path)?.identity == own.identity { throw ForeignFault.ownDatabase }
    return try ForeignFiles.open(path)
  }

  private func table() throws -> Input {
    try form == "xlsx" ? session.sheet(sheet, of: operand) : session.reader(operand)
  }

  private func reader(_ input: Input) -> TableReader {
    TableReader(
      name, input, form == "xlsx" ? .sheet : form == "csv" ? .csv : .tsv, encoding, isRelaxed: choice.wishes.isRelaxed,
      separator: choice.wishes.separator, findsSeparator: choice.wishes.separator == nil)
  }

  /// How many bytes of input to keep in memory if the input cannot be read twice.
  private static let mostKept = 1 << 28

  /// Returns a function that reads the input from the beginning each time it is called.
  private func again() throws -> () throws -> Input {
    if form == "xlsx" {
      var isFirst = true
      return {
        defer { isFirst = false }
        return try session.sheet(sheet, of: operand, printing: isFirst)
      }
    }
    if operand != "-", try Path.statusFollowing(session.path(operand))?.kind == .file {
      return { try session.reader(operand) }
    }
    let bytes = try session.reader(operand).all(limit: LoadInput.mostKept)
    return {
      var rest = bytes[...]
      return Input { buffer in
        let piece = rest.prefix(buffer.count)
        buffer.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
      }
    }
  }
}
