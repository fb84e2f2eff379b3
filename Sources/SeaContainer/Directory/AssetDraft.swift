import SeaCore
import SeaSystem

/// A file of assets in the making, which this object alone may write. One that is made for a place stays when it is let
/// go, for whoever goes on with it, unless it is discarded.
package final class AssetDraft {
  let name: String
  let folder: Directory
  private let file: File
  private var isThere = true
  private let isNew: Bool

  /// Nil if another one has it.
  init?(_ name: String, in folder: Directory, isNew: Bool) throws(ContainerError) {
    self.name = name
    self.folder = folder
    self.isNew = isNew
    do throws(SystemError) {
      let access: File.Access = [.read, .write, .create, .nonBlocking]
      let opened = try folder.file(name, isNew ? access.union(.exclusive) : access)
      let status = try opened.status()
      // What has another name is somebody else's file.
      guard status.kind == .file, status.links <= 1 else { return nil }
      switch try opened.claim() {
      case .ours:
        // It may have got its name, or been removed, before the claim was granted.
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

  /// For reading what is there so far.
  package var path: String { file.path }

  package func size() throws(ContainerError) -> Int64 {
    try system { () throws(SystemError) in try file.status().size }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(ContainerError) {
    try system { () throws(SystemError) in try file.write(bytes, at: offset) }
  }

  /// Fills the buffer from `offset` as far as the file goes.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ContainerError) -> Int {
    try system { () throws(SystemError) in try file.read(into: buffer, at: offset) }
  }

  package func truncate(to size: Int64) throws(ContainerError) {
    try system { () throws(SystemError) in try file.truncate(to: size) }
  }

  /// Makes the content durable, and says how much it is.
  package func finish() throws(SystemError) -> Int64 {
    try file.synchronize()
    return try file.status().size
  }

  func isGone() { isThere = false }

  /// Takes the file away. Nothing happens once it has a place.
  package func discard() {
    guard isThere else { return }
    isThere = false
    _ = try? folder.remove(name)
  }

  /// Brings the file to `size` bytes of the source. What is there of it already is read from the source again and
  /// compared, and kept as far as it agrees.
  /// - Parameter source: fills the buffer from an offset and says with how many bytes; 0 if there are no more.
  /// - Throws: what `source` throws; `badAsset(.ended)` if it has fewer bytes.
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
