import SeaCommands
import SeaEngine
import Testing

struct ProgressTests {
  private static let second: Int64 = 1_000_000_000

  /// A terminal, or a pipe, and a clock that stands still until it is moved.
  private final class Screen {
    var now: Int64 = 5
    var text = ""
    var guarded = false
    var cells: Int? = 80

    func progress(_ style: (Screen) -> Progress.Style, delay: Int64 = 1) -> Progress {
      Progress(
        style(self), delay: delay * ProgressTests.second, clock: { self.now }, guards: { self.guarded = $0 },
        write: { self.text += String(decoding: $0, as: UTF8.self) })
    }

    /// What was written since the last call.
    func newText() -> String {
      defer { text = "" }
      return text
    }

    func wait(_ seconds: Double) { now += Int64(seconds * Double(ProgressTests.second)) }
  }

  private func changing(_ screen: Screen) -> Progress.Style { .changing(cells: { screen.cells }) }

  private func work(_ done: Int64, of total: Int64? = 100 << 20) -> Work {
    Work(.fetching, "stick", done: done, of: total)
  }

  @Test func shortWorkShowsNoProgress() {
    let screen = Screen()
    let progress = screen.progress(changing)
    for done in 0..<9 {
      progress.show(work(Int64(done)))
      screen.wait(0.1)
    }
    progress.end()
    #expect(screen.text.isEmpty)
    #expect(!screen.guarded)
  }

  @Test func progressLineIsUpdatedAndErased() {
    let screen = Screen()
    let progress = screen.progress(changing)
    progress.show(work(0))
    screen.wait(2)
    progress.show(work(20 << 20))
    #expect(screen.newText() == "\rfetching from stick: 20.0 of 100.0 MiB  20%  10.0 MiB/s  0:08 left\u{1B}[K")
    #expect(screen.guarded)
    // At most five times a second.
    screen.wait(0.19)
    progress.show(work(22 << 20))
    #expect(screen.newText().isEmpty)
    screen.wait(0.01)
    progress.show(work(22 << 20))
    #expect(screen.newText().hasPrefix("\rfetching from stick: 22.0 of 100.0 MiB  22%"))
    progress.wipe()
    #expect(screen.newText() == "\r\u{1B}[K")
    #expect(!screen.guarded)
    progress.end()
    #expect(screen.text.isEmpty)
  }

  /// Whoever runs in the background leaves the terminal to others.
  @Test func backgroundProcessShowsNoProgress() {
    let screen = Screen()
    let progress = screen.progress(changing, delay: 0)
    screen.cells = nil
    progress.show(work(1))
    #expect(screen.text.isEmpty)
    screen.cells = 80
    screen.wait(1)
    progress.show(work(2))
    #expect(!screen.text.isEmpty)
  }

  @Test func pipeReceivesOneLinePerSecond() {
    let screen = Screen()
    let progress = screen.progress({ _ in .lines }, delay: 0)
    for done in 0..<25 {
      progress.show(Work(.handing, "hub", done: Int64(done), of: 100, unit: .items))
      screen.wait(0.1)
    }
    progress.end()
    #expect(
      screen.text == """
        sending to hub: 0 of 100  0%
        sending to hub: 10 of 100  10%  10/s  0:09 left
        sending to hub: 20 of 100  20%  10/s  0:08 left
        sending to hub: 24 of 100  24%  9/s  0:08 left

        """)
  }

  @Test func progressEventsAreJSON() {
    let screen = Screen()
    let progress = screen.progress({ _ in .events }, delay: 0)
    progress.show(work(7))
    progress.show(Work(.reading, "a\"b", done: 8, unit: .items))
    progress.end()
    #expect(
      screen.text == """
        {"event":"progress","kind":"fetching","what":"stick","done":7,"total":104857600,"unit":"bytes"}
        {"event":"progress","kind":"reading","what":"a\\"b","done":8,"unit":"items"}

        """)
  }

  /// The rate of one piece of work says nothing about the next.
  @Test func eachTaskHasItsOwnRate() {
    let screen = Screen()
    let progress = screen.progress(changing, delay: 0)
    progress.show(work(0))
    screen.wait(1)
    progress.show(work(50 << 20))
    #expect(screen.newText().contains("50.0 MiB/s"))
    screen.wait(1)
    progress.show(Work(.handing, "stick", done: 60 << 20))
    #expect(screen.newText() == "\rsending to stick: 60.0 MiB\u{1B}[K")
  }

  /// What was quick long ago is not quick now.
  @Test func rateCoversRecentSecondsOnly() {
    let screen = Screen()
    let progress = screen.progress(changing, delay: 0)
    progress.show(work(0))
    screen.wait(1)
    progress.show(work(50 << 20))
    for step in 1...20 {
      screen.wait(1)
      progress.show(work(50 << 20 + Int64(step) << 20))
    }
    #expect(screen.newText().hasSuffix("70.0 of 100.0 MiB  70%  1.0 MiB/s  0:30 left\u{1B}[K"))
  }

  @Test(arguments: [
    (79, "reading a-long-file-name.json: 1.0 of 4.0 MiB  25%  512.0 KiB/s  0:06 left"),
    (62, "reading a-long-f…: 1.0 of 4.0 MiB  25%  512.0 KiB/s  0:06 left"),
    (50, "reading a-long-…: 1.0 of 4.0 MiB  25%  512.0 KiB/s"),
    (30, "reading a-lon…: 1.0 of 4.0 MiB"),
    (10, "reading a…"),
  ])
  func progressLineFitsTerminalWidth(_ width: Int, _ line: String) {
    let text = ProgressText(work: Work(.reading, "a-long-file-name.json", done: 1 << 20, of: 4 << 20), rate: 524_288)
    #expect(text.line(width: width) == line)
    #expect(TextWidth.of(text.line(width: width)) <= width)
  }

  /// How long the first took says nothing of the others.
  @Test func firstItemGivesNoTimeEstimate() {
    func line(_ done: Int64) -> String {
      ProgressText(work: Work(.reading, "a", done: done, of: 60_000, unit: .items), rate: 0.8).line(width: 79)
    }
    #expect(line(1) == "reading a: 1 of 60000  0%")
    #expect(line(2) == "reading a: 2 of 60000  0%  20:49:58 left")
  }

  @Test func namesAreEscapedForTerminal() {
    let text = ProgressText(work: Work(.reading, "a\u{1B}[2J", done: 1))
    #expect(text.line(width: 80) == "reading a\\x1b[2J: 1 B")
  }

  @Test func progressToleratesWrongOrMissingTotal() {
    #expect(ProgressText(work: work(5, of: 4)).line(width: 80) == "fetching from stick: 5 of 5 B  100%")
    #expect(ProgressText(work: work(0, of: nil)).line(width: 80) == "fetching from stick")
    #expect(ProgressText(work: work(0, of: 0)).line(width: 80) == "fetching from stick: 0 of 0 B")
  }

  private static let sizeTexts: [(Int64, String)] = [
    (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1_048_575, "1023.9 KiB"), (1_048_576, "1.0 MiB"),
    (5_905_580_032, "5.5 GiB"), (.max, "8191.9 PiB"),
  ]

  @Test(arguments: sizeTexts) func sizesAreShownInBinaryUnits(_ bytes: Int64, _ text: String) {
    #expect(SizeText.of(bytes) == text)
  }

  @Test(arguments: [
    ("", true, true), ("", false, false), ("--no-progress", true, false), ("-q", true, false), ("--json", true, false),
    ("--progress", false, true), ("--progress -q", false, true), ("--progress --no-progress", true, false),
    ("--no-progress --progress", false, true), ("--progress --json", false, true),
  ])
  func progressFollowsOptionsAndTerminal(_ options: String, _ isTerminal: Bool, _ sees: Bool) throws {
    let words = options.split(separator: " ").map(String.init)
    var run = Run()
    run.terminals = isTerminal ? [2] : []
    let session = run.session()
    var parser = Parser(words + ["version"])
    _ = try parser.commandName()
    session.options = parser.globals
    #expect((session.terminal.workReport != nil) == sees)
  }

  @Test func dumbTerminalShowsNoProgress() {
    var run = Run()
    run.terminals = [2]
    run.variables = ["TERM": "dumb"]
    #expect(run.session().terminal.workReport == nil)
  }

  /// What is said, and what is printed at the same terminal, stands on lines of its own.
  @Test func progressLineIsErasedBeforeNotice() throws {
    var run = Run()
    run.terminals = [1, 2]
    run.variables = ["SEA_PROGRESS_DELAY": "0"]
    let box = Run.Box()
    let session = run.session(box)
    session.terminal.workReport?(work(1))
    #expect(box.value.err.hasSuffix("\u{1B}[K"))
    session.terminal.notice("hello")
    #expect(box.value.err.hasSuffix("\r\u{1B}[Knotice: hello\n"))
    session.terminal.workReport?(work(1))
    try session.terminal.line("a")
    try session.terminal.output.flush()
  }
}
