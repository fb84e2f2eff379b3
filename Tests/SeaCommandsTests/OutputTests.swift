import SeaEngine
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

import SeaCommands

@Suite struct OutputTests {
  @Test func specialCharactersAreEscaped() {
    #expect(Escape.shown("a\nb\u{9B}\u{2066}é中") == #"a\x0ab\x9b\u2066é中"#)
    #expect(Escape.quoted("plain é") == "plain é")
    #expect(Escape.quoted("a\tb\"\\\u{1}\u{7F}") == #""a\tb\"\\\001\177""#)
    #expect(Escape.shell("it's") == #"'it'\''s'"#)
    #expect(Escape.csv(["a,b\"c", "plain", nil, "", "a\rb"]) == "\"a,b\"\"c\",plain,,\"\",\"a\rb\"")
  }

  @Test func terminalOutputEscapesControlCodes() throws {
    let text = "plain \u{1B}[31m\r\u{7}\u{7F}\u{9B}2J\u{202E}\u{2066}\u{200F}\u{2028}é中🏳️‍🌈\ttab\nnew"
    let want = #"plain \x1b[31m\x0d\x07\x7f\x9b2J\u202e\u2066\u200f\u2028é中🏳️‍🌈"# + "\ttab\nnew" + #"\x9b\xe2\x82"#
    // 8-bit controls, and a character that does not come to its end.
    let bytes = Array(text.utf8) + [0x9B, 0xE2, 0x82]
    for size in 1...bytes.count {
      var shown: [UInt8] = []
      let output = Output { (bytes) throws(SystemError) in shown += bytes }
      output.guardsTerminal = TerminalGuard()
      for start in stride(from: 0, to: bytes.count, by: size) {
        try output.write(Array(bytes[start..<min(start + size, bytes.count)]))
      }
      try output.flush()
      #expect(String(decoding: shown, as: UTF8.self) == want, "in pieces of \(size)")
    }
  }

  @Test func terminalEscapingLosesNoByte() throws {
    var random = SeededRandom(7)
    // Without backslashes, and without U+0080 to U+00BF, of which some are shown as single bytes are.
    let some = (0...255).filter { $0 != 0x5C && $0 != 0xC2 }.map { UInt8($0) }
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in some.randomElement(using: &random)! }
      var guardian = TerminalGuard()
      let shown = bytes.withUnsafeBytes { guardian.shown($0) } + guardian.end()
      let text = String(validating: shown, as: UTF8.self)
      let scalars: [Unicode.Scalar] = text.map { Array($0.unicodeScalars) } ?? [Unicode.Scalar(7)]
      let unsafe = scalars.filter { one in one != "\n" && one != "\t" && Escape.escaped(one) != nil }
      #expect(unsafe.isEmpty)
      let back = text.map { TerminalGuardReader.bytes($0) }
      #expect(back == bytes)
    }
  }

  @Test func itemsAreEncodedAsJSONLines() {
    var item: Item = [
      "a\"": .text("x\u{1B}\u{202E}\n\u{7F}é"), "none": .text(nil as String?), "n": .integer(-5),
      "l": .texts(["p", "q"]),
      "o": .object(["f": .flag(true)]), "os": .items([1, 2]) { ["i": .integer($0)] }, "z": .integer(nil as Int?).orNull,
      "aside": .aside("for people"), "t": .time(1_787_370_060_000), "m": .mark(false),
    ]
    item.add(["j": .json("[1]")])
    item["n"] = .integer(UInt32.max)
    #expect(
      String(decoding: item.line, as: UTF8.self)
        == #"{"a\"":"x\u001b\u202e\n\u007fé","n":4294967295,"l":["p","q"],"o":{"f":true},"os":[{"i":1},{"i":2}],"z":null,"#
        + #""t":"2026-08-22T03:41:00Z","j":[1]}"# + "\n")
    #expect(item["l"].plain == "p q" && item["none"].plain == "" && item["aside"].plain == "for people")
  }

  /// One value in every form.
  @Test func valuesAreShownInEveryOutputFormat() throws {
    func shown(_ words: [String], _ body: (Session) throws -> Void) throws -> [String] {
      let outcome = Run.Box()
      let session = Run().session(outcome)
      var parser = Parser(words)
      _ = try parser.commandName()
      session.options = parser.globals
      try body(session)
      try session.terminal.conclude(.success)
      try session.terminal.output.flush()
      return outcome.value.outLines
    }
    func list(_ session: Session) throws {
      let list = try Listing(
        session.terminal, [Column("ID", "id"), Column("AT", "at", none: "never"), Column("OK", "ok")],
        frozen: ["id", "at", "ok"])
      try list.add(["id": .id("12-" + String(repeating: "ab", count: 32)), "at": .time(0), "ok": .flag(true)])
      try list.add(["id": .id("short"), "at": .time(nil), "ok": .flag(false)])
      try list.end()
    }
    let id = "12-" + String(repeating: "ab", count: 32)
    #expect(
      try shown([], list) == [
        "ID           AT                   OK", "12-abababab  1970-01-01 00:00:00  yes",
        "short        never                no",
      ])
    #expect(
      try shown(["--json"], list) == [
        #"{"id":"\#(id)","at":"1970-01-01T00:00:00Z","ok":true}"#, #"{"id":"short","ok":false}"#,
      ])
    #expect(try shown(["--porcelain"], list) == ["\(id)\t1970-01-01T00:00:00Z\ttrue", "short\t-\tfalse"])
    func act(_ session: Session) throws {
      try session.terminal.report("done", ["n": .integer(1)], frozen: ["n"]) { "did it" }
      session.terminal.summarize(["n": .integer(1)])
    }
    #expect(try shown([], act) == ["did it"])
    #expect(try shown(["--porcelain"], act) == ["1"])
    #expect(
      try shown(["--json"], act) == [
        #"{"event":"done","n":1}"#, #"{"event":"summary","ok":true,"n":1,"exit":0}"#,
      ])
    #expect(try shown(["-q", "--json"], act) == [])
    #expect(
      try shown(["--json"]) { session in
        session.terminal.isDryRun = true
        try act(session)
      } == [
        #"{"event":"done","n":1,"dry_run":true}"#, #"{"event":"summary","ok":true,"n":1,"dry_run":true,"exit":0}"#,
      ])
  }

  private func table(_ rows: [[String]], width: Int?) throws -> String {
    var text: [UInt8] = []
    let output = Output { text += $0 }
    var table = Table([.init("NAME"), .init("SIZE", right: true)], width: width, output: output)
    for row in rows { try table.row(row) }
    try table.end()
    try output.flush()
    return String(decoding: text, as: UTF8.self)
  }

  @Test func tableAlignsAndTruncatesColumns() throws {
    #expect(try table([["a", "10"], ["中文x", "5"]], width: nil) == "NAME   SIZE\na        10\n中文x     5\n")
    #expect(try table([["a\n", "1"]], width: 8) == "NAME   …\na\\x0a  …\n")
    #expect(try table([], width: nil) == "")
    let many = try table((0..<1500).map { [$0 == 1400 ? "wider than before" : "r\($0)", "1"] }, width: nil)
    #expect(many.split(separator: "\n").count == 1501)
  }

  /// Of rows that are large only some megabytes are held back.
  @Test func tableBuffersOnlySomeMegabytes() throws {
    var count = 0
    let output = Output { count += $0.count }
    var table = Table([.init("NAME")], width: nil, output: output)
    let cell = String(repeating: "x", count: 3 << 20)
    for _ in 0..<3 { try table.row([cell]) }
    #expect(count > 2 * cell.utf8.count)
    try table.end()
  }

  @Test func timesAreFormattedInEveryDateStyle() {
    let offset = { (_: Int64) in 7200 }
    let time: Int64 = 1_787_370_060_123
    func shown(_ style: String) -> String { DateStyle(style)!.text(time, now: time + 7_300_000, offset: offset) }
    #expect(shown("iso") == "2026-08-22T03:41:00.123Z")
    #expect(shown("iso-local") == "2026-08-22 05:41:00")
    #expect(shown("unix") == "1787370060")
    #expect(shown("relative") == "2 hours ago")
    #expect(shown("format:%d.%m.%Y %H:%M %z %%") == "22.08.2026 05:41 +0200 %")
    for pattern in ["%q", "%A", "%d.%b", "100%"] { #expect(DateStyle("format:" + pattern) == nil) }
    #expect(DateStyle("format") == nil)
    #expect(DateStyle.unix.text(-1, now: 0, offset: offset) == "-1")
  }

  @Test func extremeTimesCanBeFormatted() {
    for time in [Int64.min, .min + 1, -62_135_596_800_001, 253_402_300_800_000, .max] {
      for style in ["iso", "iso-local", "relative", "unix", "format:%F %T %z %s"] {
        for offset in [0, 50_400, -43_200] {
          #expect(!DateStyle(style)!.text(time, now: 1_787_370_060_000, offset: { _ in offset }).isEmpty)
          #expect(!DateStyle(style)!.text(0, now: time, offset: { _ in offset }).isEmpty)
        }
      }
    }
    #expect(DateStyle.unix.text(.min, now: 0, offset: { _ in 0 }) == "-9223372036854776")
    #expect(DateStyle.unix.text(-1, now: 0, offset: { _ in 0 }) == "-1")
    #expect(DateStyle.iso.text(.min, now: 0, offset: { _ in 0 }) == "0001-01-01T00:00:00Z")
  }

  @Test func timeExpressionsAreParsed() {
    let now: Int64 = 1_000_000_000
    #expect(TimeText.parse("2026-08-22T05:41:00+02:00", now: now) == 1_787_370_060_000)
    #expect(TimeText.parse("2026-08-22", now: now) == 1_787_356_800_000)
    #expect(TimeText.parse("@1787370060", now: now) == 1_787_370_060_000)
    #expect(TimeText.parse("90m", now: now) == now - 5_400_000)
    #expect(TimeText.parse("2 hours ago", now: now) == now - 7_200_000)
    #expect(TimeText.parse("1 week ago", now: now) == now - 604_800_000)
    #expect(TimeText.parse("yesterday", now: now) == now - 86_400_000)
    for text in ["", "5", "2026-13-01", "2026-02-30", "@x", "@99999999999999999", "2 hours", "tomorrow"] {
      #expect(TimeText.parse(text, now: now) == nil, "\(text)")
    }
  }

  private struct Source: FieldSource {
    func field(_ name: String) -> Field {
      switch name {
      case "id": .text("it's")
      case "rev": .id("12-" + String(repeating: "ab", count: 32))
      case "time": .time(1_787_370_060_000)
      case "n": .integer(7)
      default: .absent
      }
    }
    func pointer(_ pointer: String) -> Field { pointer == "/a:b" ? .json("[1]") : .absent }
  }

  private func fill(_ format: String, shell: Bool = false, zero: Bool = false) throws(UsageFault) -> String {
    let session = Run().session()
    let template = try Template(
      format, fields: ["id", "rev", "time", "n", "none"], pointers: true, shell: shell, zero: zero)
    return String(decoding: template.bytes(Source(), session.terminal), as: UTF8.self)
  }

  @Test func templateSubstitutesFieldsAndRefusesUnknownOnes() throws {
    #expect(try fill("%(id) %(n)%%%09%(none)|") == "it's 7%\t|\n")
    #expect(try fill("%(rev:short) %(rev:short=4)") == "12-abababab 12-abab\n")
    #expect(
      try fill("%(time) %(time:unix)%0a%(id:json)%(id:b64)") == "2026-08-22T03:41:00Z 1787370060\n\"it's\"aXQncw==\n")
    #expect(try fill("%(/a:b)%(/x)%00") == "[1]\0")
    #expect(try fill("i=%(id) n=%(n)", shell: true) == "i='it'\\''s' n='7'\n")
    #expect(try fill("%(id:shell)", zero: true) == "'it'\\''s'\0")
    #expect(throws: UsageFault.badFormat("%(id")) { try fill("%(id") }
    #expect(throws: UsageFault.badFormat("%(id:loud)")) { try fill("%(id:loud)") }
    #expect(throws: UsageFault.self) { try fill("%(size)") }
  }

  @Test func inputLinesAreReadUpToLimit() throws {
    var left = Array("a\n\nlong line\nend".utf8)[...]
    func reader() -> Input {
      Input { buffer in
        let piece = left.prefix(3)
        buffer.copyBytes(from: piece)
        left = left.dropFirst(piece.count)
        return piece.count
      }
    }
    let input = reader()
    var found: [String] = []
    while let line = try input.line() { found.append(String(decoding: line, as: UTF8.self)) }
    #expect(found == ["a", "", "long line", "end"])
    left = Array("abcdefgh\n".utf8)[...]
    #expect(throws: LineTooLong(limit: 4)) { try reader().line(limit: 4) }
  }
}

/// Reads back what a terminal was shown, of bytes without a backslash of their own before an x or u.
private enum TerminalGuardReader {
  static func bytes(_ text: String) -> [UInt8] {
    let from = Array(text.utf8)
    var out: [UInt8] = []
    var k = 0
    while k < from.count {
      let isEscape = from[k] == 0x5C && k + 3 < from.count
      let digits = isEscape ? from[k + 1] == 0x78 ? 2 : from[k + 1] == 0x75 ? 4 : 0 : 0
      guard digits > 0, let value = UInt32(String(decoding: from[(k + 2)..<(k + 2 + digits)], as: UTF8.self), radix: 16)
      else {
        out.append(from[k])
        k += 1
        continue
      }
      if digits == 4 { out += String(Unicode.Scalar(value)!).utf8 } else { out.append(UInt8(value)) }
      k += 2 + digits
    }
    return out
  }
}
