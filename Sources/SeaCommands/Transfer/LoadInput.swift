import SeaCore
import SeaKit
import SeaSystem

/// What `sea load` reads: a file in one of the forms of `sea dump`.
struct LoadInput {
  let name: String
  private let session: Session
  private let operand: String
  private let form: String
  /// Whether nobody has said what form it has.
  let guessesForm: Bool
  private var wishes = TableColumns.Wishes()
  private let detects: Bool
  /// Whether records that are wrong are left out.
  private let mayPass: Bool

  init(_ session: Session, _ arguments: Arguments) throws {
    self.session = session
    operand = arguments.operand(0) ?? "-"
    name = operand == "-" ? "standard input" : operand
    form = arguments.text(DumpCommand.format) ?? LoadInput.form(of: operand)
    guessesForm = !arguments.has(DumpCommand.format) && form == "jsonl" && !operand.hasSuffix(".jsonl")
    detects = arguments.has(LoadCommand.detect)
    mayPass = arguments.has(LoadCommand.rejects)
    if let rejects = arguments.text(LoadCommand.rejects),
      let there = try Path.statusFollowing(session.path(rejects)), there.kind == .file
    {
      let input =
        try operand == "-" ? File.standardInput().status() : Path.statusFollowing(session.path(operand))
      if input?.identity == there.identity { throw CommandError.rejectsIntoInput(rejects) }
    }
    if form == "jsonl" || form == "json" {
      let useless = [LoadCommand.types, LoadCommand.detect, LoadCommand.map, LoadCommand.relaxed].first(
        where: arguments.has)
      if let useless { throw UsageFault.excluded([useless.dashed, "--format=\(form)"]) }
    }
    wishes.isRelaxed = arguments.has(LoadCommand.relaxed)
    for (old, new) in try LoadInput.pairs(LoadCommand.map, arguments) { wishes.names[old] = new }
    for (column, type) in try LoadInput.pairs(LoadCommand.types, arguments) {
      guard let type = CellType(rawValue: type) else {
        throw UsageFault.badValue(option: LoadCommand.types.dashed, value: type, expected: .choice(CellType.names))
      }
      wishes.types[column] = type
    }
  }

  /// The form that the name of a file says.
  private static func form(of name: String) -> String {
    let name = name.lowercased()
    for form in ["csv", "tsv", "json"] where name.hasSuffix("." + form) { return form }
    return "jsonl"
  }

  private static func pairs(_ option: Option, _ arguments: Arguments) throws -> [(String, String)] {
    try arguments.texts(option).flatMap { $0.split(separator: ",") }.map { pair in
      guard let colon = pair.lastIndex(of: ":"), colon != pair.startIndex else {
        throw UsageFault.badValue(
          option: option.dashed, value: String(pair), expected: .choice(["of the form \(option.metavar)"]))
      }
      return (String(pair[..<colon]), String(pair[pair.index(after: colon)...]))
    }
  }

  func source(_ limits: RecordLimits) throws -> any LoadSource {
    guard form == "csv" || form == "tsv" else {
      return DocumentSource(DocumentReader(name, try session.reader(operand), mayPass: mayPass))
    }
    guard detects else { return try TableSource(reader(session.reader(operand)), wishes, limits, kinds: []) }
    let again = try again()
    let kinds = try TableColumns.kinds(reader(again()))
    return try TableSource(reader(again()), wishes, limits, kinds: kinds)
  }

  private func reader(_ input: Input) -> TableReader {
    TableReader(name, input, form == "csv" ? .csv : .tsv, isRelaxed: wishes.isRelaxed)
  }

  /// What has no second beginning is kept.
  private static let mostKept = 1 << 28

  /// The input from its beginning, as often as it is asked for.
  private func again() throws -> () throws -> Input {
    if operand != "-", try File(session.path(operand)).status().kind == .file { return { try session.reader(operand) } }
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
