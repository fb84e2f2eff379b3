import SeaCommands
import SeaSystem
import SeaTestSupport
import Testing

/// Buffers between commands and files: nothing is lost or torn, however it is cut, and what fails says so.
@Suite struct StreamTests {
  let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Reads a file in pieces of at most so many bytes.
  private func input(_ name: String, _ capacity: Int) throws -> Input {
    let file = try File(folder.path(name))
    return Input { buffer throws(SystemError) in
      try file.readSome(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(capacity, buffer.count)]))
    }
  }

  @Test func linesAreReadUpToLimit() throws {
    try folder.write("lines", Array("a\n\nlonger line\nlast".utf8))
    for capacity in [1, 2, 3, 7, 100] {
      let lines = try input("lines", capacity)
      for want in ["a", "", "longer line", "last"] { #expect(try lines.line(limit: 11) == Array(want.utf8)) }
      #expect(try lines.line(limit: 11) == nil)
      let short = try input("lines", capacity)
      #expect(throws: LineTooLong(limit: 0)) { try short.line(limit: 0) }
      #expect(try input("lines", capacity).all(limit: 19).count == 19)
      #expect(throws: LineTooLong(limit: 18)) { try input("lines", capacity).all(limit: 18) }
    }
  }

  @Test func bufferedOutputIsWrittenInOrder() throws {
    let file = try File(folder.path("out"), [.write, .create])
    let output = Output { bytes throws(SystemError) in try file.write(bytes) }
    try output.write("abc")
    try output.byte(0x64)
    #expect(try folder.bytes("out") == [])
    let large = [UInt8](repeating: 0x65, count: 1 << 17)
    try output.write(large)
    try output.write([UInt8]("fg".utf8))
    #expect(try folder.bytes("out") == Array("abcd".utf8) + large)
    try output.flush()
    #expect(try folder.bytes("out") == Array("abcd".utf8) + large + Array("fg".utf8))
  }

  @Test func fullDiskIsReportedOnce() throws {
    let file = try File("/dev/full", .write)
    let full = Output { bytes throws(SystemError) in try file.write(bytes) }
    try full.write("text")
    #expect(throws: OutputFailure.self) { try full.flush() }
    // What could not be written is not tried again.
    #expect(throws: Never.self) { try full.flush() }
  }
}
