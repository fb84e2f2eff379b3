import SeaCore
import SeaSystem

/// The files of a place behind a helper, by their paths: where they are bundles and no files of a container.
package final class HelperFiles {
  private let line: HelperContainer

  package var location: String { line.location }

  /// Nobody is talked to yet.
  package init(_ place: HelperPlace, _ helpers: Helpers) { line = helpers.container(at: place) }

  /// All that lie there, in no order; none if there is nothing.
  package func list() throws(ContainerError) -> [WireFile] {
    let ticket = try line.line().ask(.list(nil))
    return try line.found(ticket) ? ticket.files : []
  }

  /// The bytes of a file from an offset on, in pieces, up to its end or until `body` wants no more.
  package func read(
    _ file: WireFile, from offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    let pieces = FarPieces(line, file.path, size: file.size, from: offset)
    while let piece = try pieces.next(), try body(piece) {}
  }

  /// So many bytes of a file, fewer at its end; none if it is not there.
  package func bytes(of path: String, from offset: Int64, count: Int64) throws(ContainerError) -> [UInt8] {
    try line.call(.get(path, offset: offset, count: count)) ?? []
  }

  /// Writes a file that is not there yet.
  /// - Parameter source: fills a part of the buffer, and says how much of it.
  /// - Throws: `inTheWay` if it is.
  package func put(
    _ path: String, size: Int64, _ source: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    guard try line.put(path, size: size, { try source($1) }) else {
      throw ContainerError.inTheWay(path: line.path(of: path))
    }
  }

  /// Writes a file in the place of what it was before.
  package func replace(_ path: String, _ bytes: [UInt8]) throws(ContainerError) {
    try line.call(.replace(path, size: Int64(bytes.count)), bytes)
  }

  package func delete(_ path: String) throws(ContainerError) { try line.call(.delete(path)) }

  /// What was written survives a loss of power when this returns.
  package func flush() throws(ContainerError) { try line.flush() }
}
