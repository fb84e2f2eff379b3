import Glibc

/// A buffer that is written sequentially and then read at any offset. Small content is kept in memory, large content in
/// an unnamed file that disappears when the process ends.
package final class Spool {
  private static let memory = 8 << 20
  private static let piece = 1 << 20

  package private(set) var size: Int64 = 0
  private let folder: String
  private var bytes: [UInt8] = []
  private var file: File?

  package init(in folder: String) { self.folder = folder }

  package func append(_ more: UnsafeRawBufferPointer) throws(SystemError) {
    bytes.append(contentsOf: more)
    size += Int64(more.count)
    if bytes.count >= (file == nil ? Spool.memory : Spool.piece) { try flush() }
  }

  package func append(_ text: String) throws(SystemError) {
    try Array(text.utf8).withBytes { (bytes) throws(SystemError) in try append(bytes) }
  }

  /// Reads from `offset` until the buffer is full or the spool ends.
  package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
    if file != nil {
      try flush()
      return try file?.read(into: buffer, at: offset) ?? 0
    }
    guard offset < Int64(bytes.count) else { return 0 }
    let count = min(buffer.count, bytes.count - Int(offset))
    bytes.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)..<Int(offset) + count]))
    }
    return count
  }

  private func flush() throws(SystemError) {
    guard !bytes.isEmpty else { return }
    if file == nil { file = try File.nameless(in: folder) }
    try file?.write(bytes)
    bytes.removeAll(keepingCapacity: false)
  }
}

extension File {
  /// Creates a file without a name, which is deleted when it is closed.
  package static func nameless(in folder: String) throws(SystemError) -> File {
    let flags = linuxTemporary | O_RDWR | O_CLOEXEC
    do throws(SystemError) {
      return File(descriptor: try openAt(AT_FDCWD, folder, flags, 0o600, folder), path: folder)
    } catch {
      // File systems that do not support unnamed files report various errors.
      guard [EOPNOTSUPP, EISDIR, EINVAL, ENOENT].contains(error.errno) else { throw error }
    }
    let parent = try Directory(folder)
    let name = try AtomicFile.temporaryName()
    let file = try parent.file(name, [.read, .write, .create, .exclusive], mode: 0o600)
    _ = try parent.remove(name)
    return file
  }
}
