import SeaCommands
import SeaEngine
import Testing

/// Colors: where there are some, and that nobody but the program makes them.
@Suite struct TerminalTextTests {
  private func shown(_ options: [String], _ run: Run = Run(), _ body: (Session) throws -> Void) throws -> String {
    let outcome = Run.Box()
    let session = run.session(outcome)
    var parser = Parser(options)
    _ = try parser.commandName()
    session.options = parser.globals
    try body(session)
    try session.terminal.output.flush()
    return outcome.value.out
  }

  @Test func spansAreSplitByColor() {
    let line: Painted = "a\("b", .new)c\("", .old)\(Painted("d", .new))"
    #expect(line.text == "abcd")
    #expect(line.spans.map(\.text) == ["a", "b", "c", "d"])
    #expect(line.spans.map(\.slot) == [nil, .new, nil, .new])
    #expect((Painted("x", .old) + Painted("y", .old)).spans.count == 1)
  }

  @Test(arguments: [Set<Int32>(), [1]]) func foreignColorCodesAreEscaped(terminals: Set<Int32>) throws {
    var run = Run()
    run.terminals = terminals
    let text = try shown(["--color=always"], run) {
      try $0.terminal.painter.line("\("\u{1B}[31mred\u{9B}1m\n", .new) \u{1B}[0m")
      var table = Table([.init("A"), .init("B")], $0.terminal)
      try table.row(["\u{1B}[31m", "\u{1B}[m"], [.problem, nil])
      try table.end()
    }
    #expect(
      text == "\u{1B}[32m\\x1b[31mred\\x9b1m\\x0a\u{1B}[m \\x1b[0m\n"
        + "\u{1B}[1mA\u{1B}[m         \u{1B}[1mB\u{1B}[m\n\u{1B}[1;31m\\x1b[31m\u{1B}[m  \\x1b[m\n")
  }

  @Test func colorFollowsOptionsEnvironmentAndTerminal() throws {
    func has(_ options: [String], _ terminals: Set<Int32> = [1], _ variables: [String: String] = [:]) throws -> Bool {
      var run = Run()
      run.terminals = terminals
      run.variables = ["TERM": "xterm"].merging(variables) { $1 }
      return try shown(options, run) { try $0.terminal.painter.line(Painted("x", .new)) } != "x\n"
    }
    #expect(try has([]))
    #expect(try !has([], []))
    #expect(try !has([], [1], ["TERM": "dumb"]))
    #expect(try !has([], [1], ["TERM": ""]))
    #expect(try !has([], [1], ["NO_COLOR": "1"]))
    #expect(try has([], [1], ["NO_COLOR": ""]))
    #expect(try has([], [], ["FORCE_COLOR": "1"]))
    #expect(try !has([], [1], ["FORCE_COLOR": "0"]))
    #expect(try !has([], [1], ["FORCE_COLOR": "1", "NO_COLOR": "1"]))
    #expect(try has(["--color=always"], [], ["NO_COLOR": "1", "TERM": "dumb"]))
    #expect(try !has(["--color=never"], [1], ["FORCE_COLOR": "1"]))
    #expect(try !has(["--color=auto"], [], ["FORCE_COLOR": "1"]))
    #expect(try has(["-c", "color.ui=always"], []))
    #expect(try !has(["-c", "color.ui=never"]))
    #expect(try !has(["-c", "color.ui=always"], [1], ["NO_COLOR": "1"]))
    #expect(try !has(["-c", "color.ui=always", "--color=auto"], []))
    #expect(try !has(["--color=always", "-z"]))
    #expect(try !has(["--color=always", "--porcelain"]))
    #expect(try !has(["-c", "color.new=normal"]))
  }

  @Test func colorSettingsApplyAndInvalidOnesWarn() throws {
    func line(_ setting: String) throws -> String {
      try shown(["--color=always", "-c", setting]) { try $0.terminal.painter.line(Painted("x", .new)) }
    }
    #expect(try line("color.new=#ff8000 bold") == "\u{1B}[38;2;255;128;0;1mx\u{1B}[m\n")
    // What is no color is told, and the standard one holds.
    #expect(try line("color.new=\u{1B}[5m") == "\u{1B}[32mx\u{1B}[m\n")
    let box = Run.Box()
    let status = Sea.run(program: "sea", ["-c", "color.new=gren", "--color=always", "-h"], Run().session(box))
    #expect(status == .success && box.value.err.contains("color.new"))
  }

  @Test func jsonOutputHasNoColors() {
    for words in [["--json", "help"], ["--json", "version"], ["--json", "log", "-h"]] {
      let outcome = Run().run(["--color=always"] + words)
      #expect(outcome.status == 0 && !outcome.output.contains(0x1B), "\(words)")
    }
    #expect(Run()("--color=always", "log", "-h").output.contains(0x1B))
  }

  @Test func colorWordsAreParsed() {
    let all: [(String, String?)] = [
      ("", ""), ("normal", ""), ("red", "31"), ("bold red", "1;31"), ("red bold", "31;1"), ("normal blue", "44"),
      ("brightcyan", "96"), ("black brightwhite", "30;107"), ("208", "38;5;208"), ("1 2", "38;5;1;48;5;2"),
      ("default", "39"), ("#f80", "38;2;255;136;0"), ("nobold no-ul", "22;24"), ("RED", "31"), ("256", nil),
      ("red green blue", nil), ("#12", nil), ("#12345g", nil), ("31m", nil), ("\u{1B}[31m", nil), ("noo", nil),
    ]
    for (words, codes) in all { #expect(ColorWords(words)?.codes == codes, "\(words)") }
    for slot in ColorSlot.allCases { #expect(ColorWords(slot.standard) != nil) }
  }

  // MARK: Width

  private func table(_ rows: [[String]], width: Int?) throws -> [String] {
    var text: [UInt8] = []
    let output = Output { text += $0 }
    var table = Table(rows[0].map { .init($0) }, width: width, output: output)
    for row in rows.dropFirst() { try table.row(row) }
    try table.end()
    try output.flush()
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func narrowTableMarksHiddenColumns() throws {
    func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
    let long = String(repeating: "word ", count: 20)
    let rows = [["ID", "NAME", "KIND"], ["bird/1", long, "edit"], ["bird/1000", "short", "delete"]]
    #expect(
      try table(rows, width: 40) == [
        "ID         NAME\(spaces(17))  KIND", "bird/1     word word word word …  edit",
        "bird/1000  short\(spaces(16))  delete",
      ])
    // In a pipe everything is whole.
    #expect(try table(rows, width: nil)[1].contains(long + "  edit"))
    let wide = try table([(0..<20).map { "COLUMN\($0)" }, (0..<20).map { "value\($0)" }], width: 40)
    for line in wide { #expect(TextWidth.of(line) == 40 && line.hasSuffix("…")) }
  }

  @Test func widestColumnsAreNarrowedFirst() {
    #expect(Table.narrowed([3, 10, 40], to: 60) == [3, 10, 40])
    #expect(Table.narrowed([3, 10, 40], to: 37) == [3, 10, 20])
    #expect(Table.narrowed([30, 30, 3], to: 38) == [16, 15, 3])
    #expect(Table.narrowed([30, 30, 30], to: 10) == [6, 6, 6])
    // A moment stays whole; where there is no room at all the line ends where the terminal does.
    #expect(Table.narrowed([19, 30, 30], to: 60, keeping: [true, false, false]) == [19, 19, 18])
    #expect(Table.narrowed([30, 19, 30], to: 40, keeping: [false, true, false]) == [9, 19, 8])
    #expect(Table.narrowed([30, 19, 30], to: 10, keeping: [false, true, false]) == [6, 19, 6])
    for width in 20...90 {
      let all = Table.narrowed([5, 40, 12, 25], to: width)
      #expect(all.contains(6) || all.reduce(6, +) <= width)
    }
  }

  @Test func textWidthCountsTerminalCells() {
    let all: [(String, Int)] = [
      ("abc", 3), ("äöü", 3), ("a\u{308}", 1), ("中文", 4), ("🚀", 2), ("⚡", 2), ("✅x", 3), ("\u{200D}", 0), ("한", 2),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("→", 1), ("🫠", 2), ("ｆ", 2), ("◌", 1), ("№", 1),
    ]
    for (text, cells) in all { #expect(TextWidth.of(text) == cells, "\(text)") }
    #expect(TextWidth.cut("中文中文", to: 6) == "中文…")
    #expect(TextWidth.cut("a\u{308}o\u{308}u\u{308}", to: 2) == "a\u{308}…")
  }

  @Test(arguments: [40, 60, 80, 200]) func helpFitsTheTerminal(columns: Int) {
    var run = Run()
    run.terminals = [1]
    run.columns = columns
    run.variables = ["NO_COLOR": "1"]
    for words in Commands.names.map({ [$0, "-h"] }) + [["-h"]] {
      let outcome = run.run(words)
      #expect(outcome.status == 0)
      for line in outcome.outLines where TextWidth.of(line) > min(columns, 79) {
        // Nothing breaks within a word.
        #expect(line.split(separator: " ").contains { $0.count + 20 > columns }, "\(words): \(line)")
      }
    }
  }

  @Test func linesBreakBetweenWordsAndKeepTheirColors() {
    let line: Painted = "container stick  \("away", .problem), never synced"
    #expect(line.wrapped(to: 80, indent: 2) == [line])
    let lines = line.wrapped(to: 24, indent: 2)
    #expect(lines.map(\.text) == ["container stick  away,", "  never synced"])
    #expect(lines[0].spans.map(\.slot) == [nil, .problem, nil])
    #expect(Painted("a 0123456789").wrapped(to: 10, indent: 4).map(\.text) == ["a", "0123456789"])
    #expect(Painted("by  x").wrapped(to: 5, indent: 2).map(\.text) == ["by  x"])
  }

  @Test func timestampColumnIsNotNarrowed() {
    #expect(Table.narrowed([19, 30, 30], to: 60, keeping: [true, false, false]) == [19, 19, 18])
    #expect(Table.narrowed([30, 19, 30], to: 40, keeping: [false, true, false]) == [9, 19, 8])
    // There is no room at all: others are as narrow as they may be, and the line ends where the terminal does.
    #expect(Table.narrowed([30, 19, 30], to: 10, keeping: [false, true, false]) == [6, 19, 6])
  }
}
