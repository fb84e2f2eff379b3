import SeaCore
import SeaSystem

/// An unfinished asset file, locked for this object. Unless the file is new, it is kept when this object is released,
/// so that a later writer can continue it. `discard` removes the file.
package final class AssetDraft {
  let name: String
  let folder: Directory
  private let file: File
  private var isThere = true
  private let isNew: Bool

  /// Returns nil if another process is using the file.
  init?(_ name: String, in folder: Directory, isNew: Bool) throws(ContainerError) {
    self.name = name
    self.folder = folder
    self.isNew = isNew
    do throws(SystemError) {
      let access: File.Access = [.read, .write, .create, .nonBlocking]
      let opened = try folder.file(name, isNew ? access.union(.exclusive) : access)
      let status = try opened.status()
      // A file with more than one link may belong to another program.
      guard status.kind == .file, status.links <= 1 else { return nil }
      switch try opened.claim() {
      case .ours:
        // The file may have been renamed or removed before it was claimed.
        guard try folder.status(name)?.inode == status.inode else { return nil }
      case .others: return nil
      case .unknown: guard isNew else { return nil }
      }
      file = opened
    } catch {
      if !isNew, error.isWrongKind { return nil }
      throw .system(error)
    }
  }

  deinit { if isNew { discard() } }

  package var path: String { file.path }

  package func size() throws(ContainerError) -> Int64 {
    try system { () throws(SystemError) in try file.status().size }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ContainerError) {
    try system { () throws(SystemError) in try file.write(bytes, at: offset) }
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ContainerError) -> Int {
    try system { () throws(SystemError) in try file.read(into: buffer, at: offset) }
  }

  /// Passes the bytes to `body` in order, as long as it returns true.
  package func read(_ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
    try file.forEachPiece(0..<(.max), body)
  }

  package func truncate(to size: Int64) throws(ContainerError) {
    try system { () throws(SystemError) in try file.truncate(to: size) }
  }

  package func finish() throws(SystemError) -> Int64 {
    try file.synchronize()
    return try file.status().size
  }

  func isGone() { isThere = false }

  /// Removes the file, unless it has already been moved to its final location.
  package func discard() {
    guard isThere else { return }
    isThere = false
    _ = try? folder.remove(name)
  }

  /// Extends the file to `size` bytes from the source. Existing bytes are compared with the source and kept up to the
  /// first difference.
  /// - Parameter source: fills the buffer with bytes from a given offset and returns their number, or 0 at the end.
  /// - Throws: errors of `source`; `badAsset(.ended)` if `source` ends prematurely.
  package func fill(_ size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int) throws {
    let buffers = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * AssetFile.pieceSize, alignment: 16)
    defer { buffers.deallocate() }
    let piece = UnsafeMutableRawBufferPointer(rebasing: buffers[..<AssetFile.pieceSize])
    let other = UnsafeMutableRawBufferPointer(rebasing: buffers[AssetFile.pieceSize...])
    func next(_ offset: Int64) throws -> UnsafeRawBufferPointer {
      let room = Int(min(Int64(AssetFile.pieceSize), size - offset))
      let count = try source(offset, UnsafeMutableRawBufferPointer(rebasing: piece[..<room]))
      guard count > 0 else { throw ContainerError.badAsset(.ended, path: path) }
      return UnsafeRawBufferPointer(rebasing: piece[..<count])
    }
    let there = try self.size()
    var offset: Int64 = 0
    var bytes: UnsafeRawBufferPointer?
    while offset < min(there, size) {
      let new = try next(offset)
      let old = UnsafeMutableRawBufferPointer(rebasing: other[..<new.count])
      let count = try read(into: old, at: offset)
      guard sameBytes(new, UnsafeRawBufferPointer(rebasing: old[..<count])) else {
        bytes = new
        break
      }
      offset += Int64(count)
    }
    if there > offset { try truncate(to: offset) }
    while offset < size {
      let new = try bytes ?? next(offset)
      bytes = nil
      try write(new, at: offset)
      offset += Int64(new.count)
    }
  }
}
