import SeaKit
import SeaSystem

/// A file of records in the making: it has its name once all of it is there. A device or a pipe is written into, as nothing may take its
/// place.
final class DumpFile {
  let output: Output
  /// Nil of what is no file.
  private let file: AtomicFile?

  init(_ path: String) throws {
    try Location.checkWritable(path)
    if let there = try Path.statusFollowing(path), there.kind != .file {
      let other = try File(path, [.write])
      file = nil
      output = Output { bytes throws(SystemError) in try other.write(bytes) }
      return
    }
    let file = try AtomicFile(path)
    self.file = file
    output = Output { bytes throws(SystemError) in try file.write(bytes) }
  }

  func commit() throws {
    try DumpFile.naming { try output.flush() }
    try file?.commit(replace: true)
  }

  /// Runs what writes into a file, of which it is said if it cannot be written.
  static func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as OutputFailure { throw failure.reason }
  }
}
