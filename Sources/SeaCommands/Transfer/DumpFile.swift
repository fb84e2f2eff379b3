import SeaEngine
import SeaSystem

/// A file of records that appears under its name only once it is complete. Devices, pipes and open files cannot be
/// replaced, so they are written directly.
final class DumpFile {
  let output: Output
  private let file: AtomicFile?

  init(_ path: String) throws {
    try Location.checkWritable(path)
    if let there = try Path.statusFollowing(path), there.kind != .file || Path.meansOpenFile(path) {
      let other = try File(path, [.write])
      file = nil
      output = Output { bytes throws(SystemError) in try other.write(bytes) }
      return
    }
    // If the path is a symbolic link, keep the link and replace its target.
    let file = try AtomicFile(Path.status(path)?.kind == .link ? (try? Path.real(path)) ?? path : path)
    self.file = file
    output = Output { bytes throws(SystemError) in try file.write(bytes) }
  }

  /// Writes a file and reports it. If the name is nil, writes to standard output.
  /// - Parameters:
  ///   - unit: the noun for the items that are counted.
  ///   - body: writes the items and returns their number.
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

  /// Runs `body`, which writes to a file. If a write fails, throws the underlying system error.
  static func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let failure as OutputFailure { throw failure.reason }
  }
}
