import SeaEngine
import SeaSystem

/// A file of records in the making: it has its name once all of it is there. A device, a pipe or a file that is open is written into, as
/// nothing may take its place.
final class DumpFile {
  let output: Output
  /// Nil of what is no file.
  private let file: AtomicFile?

  init(_ path: String) throws {
    try Location.checkWritable(path)
    if let there = try Path.statusFollowing(path), there.kind != .file || Path.meansOpenFile(path) {
      let other = try File(path, [.write])
      file = nil
      output = Output { bytes throws(SystemError) in try other.write(bytes) }
      return
    }
    // A link stays, and leads to what is new.
    let file = try AtomicFile(Path.status(path)?.kind == .link ? (try? Path.real(path)) ?? path : path)
    self.file = file
    output = Output { bytes throws(SystemError) in try file.write(bytes) }
  }

  /// Writes to a file, of which it is told then, or without a name to standard output.
  /// - Parameters:
  ///   - unit: what is counted.
  ///   - body: writes, and says how many there were.
  static func write(_ name: String?, _ session: Session, counting unit: String, _ body: (Output) throws -> Int) throws {
    guard let name else {
      do { _ = try body(session.terminal.output) } catch is Stopped { throw Stopped() }
      return
    }
    let file = try DumpFile(session.path(name))
    let found: Int
    do { found = try naming { try body(file.output) } } catch is Stopped { throw Stopped(.nothing) }
    try file.commit()
    try session.terminal.report("dumped", ["file": .text(name), unit + "s": .integer(found)]) {
      "\(name): \(Count(found, unit))"
    }
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
