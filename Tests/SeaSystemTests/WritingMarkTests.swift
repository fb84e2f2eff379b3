import SeaSystem
import SeaTestSupport
import Testing

@Suite struct WritingMarkTests {
  let scratch: ScratchFolder
  let folder: Directory
  let names = ["a", "b", "c"]

  init() throws {
    scratch = try ScratchFolder()
    folder = try Directory(scratch.path(""))
  }

  /// Who writes beside others has nothing of theirs to bring to the disk.
  @Test func concurrentWritersReportNoInterruption() throws {
    let one = try WritingMark(names, in: folder)
    let other = try WritingMark(names, in: folder)
    #expect(!one.wasInterrupted && !other.wasInterrupted)
    one.end()
    #expect(try WritingMark.isAny(of: names, in: folder))
    let third = try WritingMark(names, in: folder)
    #expect(!third.wasInterrupted)
    third.end()
    other.end()
    #expect(try !WritingMark.isAny(of: names, in: folder))
  }

  /// What somebody has left behind who was stopped is found also beside those who write, whichever of them he was.
  @Test(arguments: [true, false]) func interruptedWriterIsDetectedBesideOthers(wasFirst: Bool) throws {
    var one: WritingMark? = try WritingMark(names, in: folder)
    var other: WritingMark? = try WritingMark(names, in: folder)
    if wasFirst { one = nil } else { other = nil }
    let next = try WritingMark(names, in: folder)
    #expect(next.wasInterrupted)
    next.end()
    let last = try WritingMark(names, in: folder)
    #expect(!last.wasInterrupted)
    last.end()
    one?.end()
    other?.end()
    #expect(try !WritingMark.isAny(of: names, in: folder))
  }

  /// Where there are more than names, everything counts as left behind.
  @Test func writerBeyondNamesReportsInterruption() throws {
    let marks = try names.map { _ in try WritingMark(names, in: folder) }
    #expect(marks.allSatisfy { !$0.wasInterrupted })
    let next = try WritingMark(names, in: folder)
    #expect(next.wasInterrupted)
    next.end()
    for mark in marks { mark.end() }
  }
}
