import SeaSystem
import Testing

/// The lines of the trace, and that nobody works for one that nobody reads.
@Suite struct TraceTests {
  private func line(_ fields: [Trace.Field], nanoseconds: Int64? = 1_234_567_890) -> TraceLine {
    TraceLine(
      program: "sea", process: 42, time: "2026-01-31T12:00:00.000001Z", event: "lock", nanoseconds: nanoseconds,
      fields: fields)
  }

  @Test func lineIsFormattedAsTextAndJSON() {
    let one = line([("path", .text("/a/b")), ("count", .number(-7)), ("none", .text(""))])
    #expect(one.text == "2026-01-31T12:00:00.000001Z sea[42] lock 1.234567 path=/a/b count=-7 none=\"\"\n")
    #expect(
      one.json == #"{"event":"lock","time":"2026-01-31T12:00:00.000001Z","program":"sea","pid":42,"#
        + #""seconds":1.234567,"path":"/a/b","count":-7,"none":""}"# + "\n")
    let moment = line([], nanoseconds: nil)
    #expect(moment.text.hasSuffix("] lock -\n") && !moment.json.contains("seconds"))
    #expect(line([], nanoseconds: 999).text.hasSuffix(" 0.000000\n"))
    #expect(line([], nanoseconds: -5).text.hasSuffix(" 0.000000\n"))
  }

  @Test func unprintableAndNonASCIICharactersAreEscaped() {
    for scalar in (0..<0x300).compactMap(Unicode.Scalar.init) + ["\u{202E}", "\u{2028}", "\u{1F600}"] {
      let one = line([("x", .text("a\(scalar)b"))])
      for text in [one.text, one.json] {
        #expect(text.utf8.dropLast().allSatisfy { (0x20..<0x7F).contains($0) } && text.utf8.last == 0x0A)
      }
    }
    let odd = line([("x", .text("\u{1b}[31m \"\\\u{1F600}"))])
    #expect(odd.json.contains(#""x":"\u001b[31m \"\\\ud83d\ude00""#))
    #expect(odd.text.contains(#" x="\u001b[31m \"\\\ud83d\ude00""#))
  }

  @Test(arguments: [
    ("s3://bucket/a", "s3://bucket/a"), ("ssh://me@host/a:b@c", "ssh://me@host/a:b@c"),
    ("dav://me:word@host/x", "dav://me:***@host/x"), ("dav://me:w@rd@host", "dav://me:***@host"),
    ("http://:word@host", "http://:***@host"), ("/a/b", "/a/b"), ("x://", "x://"),
  ])
  func passwordsInLocationsAreLeftOut(_ location: String, _ shown: String) {
    #expect(line([("place", .text(location))]).json.contains("\"place\":\"\(shown)\""))
  }

  @Test func disabledTraceEvaluatesNoFields() {
    #expect(!Trace.isOn && Trace.start() == 0)
    var isMade = false
    func fields() -> [Trace.Field] {
      isMade = true
      return []
    }
    Trace.record("lock", since: 0, fields())
    #expect(!isMade && Trace.drainFaults().isEmpty)
  }
}
