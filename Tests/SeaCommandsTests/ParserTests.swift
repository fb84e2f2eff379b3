import SeaEngine
import SeaCommands
import Testing

/// A command for the parser: nothing of it is in the program.
private enum Sample: Command {
  static var title: Title { Title("sample", .plumbing, .porcelain, "") }
  static var synopsis: [String] { [] }
  static let size = Option("size", nil, .size, "SIZE", "")
  static let pick = Option("pick", nil, .text, "X", "", repeatable: true)
  static let tool = Option("tool", nil, .text, "NAME", "", valueIsOptional: true)
  static let limit = Option("limit", nil, .integer, "N", "", digits: true)
  static let all = Option("all", "a", help: "")
  static var options: [Option] { [.type, .dryRun, size, pick, tool, limit, all] }
  static var operands: [Operand] { [.one("RECORD", .record), .any("PATH", .path)] }
  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus { .success }
}

@Suite struct ParserTests {
  private func parse(_ words: String...) throws(UsageFault) -> (Arguments, GlobalOptions) {
    var parser = Parser(["sample"] + words)
    _ = try parser.commandName()
    let arguments = try parser.arguments(of: Sample.self)
    return (arguments, parser.globals)
  }

  @Test func optionsAndOperandsMix() throws {
    let (arguments, globals) = try parse("r", "--size=2K", "-q", "p", "--json", "--pick", "a", "--pick=b=c")
    #expect(arguments.operands == ["r", "p"])
    #expect(arguments.size(Sample.size) == 2048)
    #expect(arguments.texts(Sample.pick) == ["a", "b=c"])
    #expect(globals.quiet && globals.json && !globals.verbose)
  }

  @Test func shortOptionsCluster() throws {
    let (arguments, globals) = try parse("-nqathost", "r")
    #expect(arguments.has(.dryRun) && arguments.has(Sample.all) && globals.quiet)
    #expect(arguments.text(.type) == "host")
    #expect(try parse("-t", "host", "r").0.text(.type) == "host")
  }

  @Test func twoDashesEndOptions() throws {
    let (arguments, _) = try parse("--", "-n", "--json", "--")
    #expect(arguments.operands == ["-n", "--json", "--"])
    #expect(!arguments.has(.dryRun))
    #expect(try parse("-", "r").0.operands == ["-", "r"])
  }

  @Test func digitOptionSetsLimit() throws {
    #expect(try parse("-15", "r").0.integer(Sample.limit) == 15)
  }

  @Test func optionalValuesMustBeAttached() throws {
    let (arguments, _) = try parse("--tool", "r")
    #expect(arguments.has(Sample.tool) && arguments.text(Sample.tool) == nil && arguments.operands == ["r"])
    #expect(try parse("--tool=x", "r").0.text(Sample.tool) == "x")
  }

  @Test func repeatedOptionIsRefusedAndLastGlobalOptionWins() throws {
    #expect(throws: UsageFault.repeated(option: "--type")) { try parse("r", "-t", "a", "--type=b") }
    #expect(try parse("r", "--lock-wait=1", "--lock-wait=2").1.lockWait == "2")
  }

  @Test func optionNamesMustBeExact() {
    #expect(throws: UsageFault.unknownOption("--dry", command: "sample", similar: "--dry-run")) {
      try parse("r", "--dry")
    }
    #expect(throws: UsageFault.unknownOption("-x", command: "sample", similar: nil)) { try parse("r", "-x") }
    #expect(throws: UsageFault.unknownOption("--zzzzzzzz", command: "sample", similar: nil)) {
      try parse("r", "--zzzzzzzz")
    }
  }

  @Test func invalidOptionValuesAreRefused() {
    #expect(throws: UsageFault.missingValue(option: "--size", metavar: "SIZE")) { try parse("r", "--size") }
    #expect(throws: UsageFault.unexpectedValue(option: "--all")) { try parse("r", "--all=1") }
    #expect(throws: UsageFault.badValue(option: "--size", value: "2X", expected: .size)) { try parse("r", "--size=2X") }
    #expect(throws: UsageFault.badValue(option: "--limit", value: "-1", expected: .integer)) {
      try parse("r", "--limit=-1")
    }
  }

  @Test func wrongNumberOfOperandsIsRefused() {
    #expect(throws: UsageFault.missingOperand("RECORD")) { try parse() }
    #expect(Run()("version", "x").status == 2)
  }

  @Test func porcelainOptionNeedsPorcelainFormat() {
    #expect(throws: UsageFault.noFormat("--porcelain", command: "sample")) { try parse("--porcelain", "r") }
  }

  @Test func sizeOverflowIsRefused() throws {
    #expect(try parse("r", "--size=18014398509481984").0.size(Sample.size) == 1 << 54)
    #expect(throws: UsageFault.self) { try parse("r", "--size=99999999999T") }
  }
}
