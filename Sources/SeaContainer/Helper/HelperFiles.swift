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
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AssetFile.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    let line = try self.line.line()
    var left = size
    let ticket: HelperTicket
    do {
      ticket = try line.ask(.put(path, size: size)) { send in
        while left > 0, line.fault == nil {
          let room = Int(min(Int64(buffer.count), left))
          let count = try source(UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
          guard count > 0 else { throw ContainerError.system(.short(path)) }
          send(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
          left -= Int64(count)
        }
      }
    } catch {
      self.line.drop()
      throw error
    }
    do throws(HelperFault) { try line.finish(ticket) } catch {
      if case .refused(.exists, _) = error { throw ContainerError.inTheWay(path: self.line.path(of: path)) }
      throw ContainerError.helper(error, place: location)
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
