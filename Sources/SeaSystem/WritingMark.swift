import Glibc

/// Marks a location as being written until all data is on disk. If the writer is killed or a sync fails, the mark
/// remains. The next writer then knows that the content may not be durable.
///
/// The mark is an empty file. It is not synced, because after a power loss only durable content remains anyway. Each
/// concurrent writer takes a separate name as long as names are available.
package final class WritingMark {
  private let folder: Directory
  private var held: [(name: String, file: File)] = []
  package private(set) var wasInterrupted = false

  package convenience init(_ name: String, in folder: Directory) throws(SystemError) {
    try self.init([name], in: folder)
  }

  /// - Parameter names: the names to choose from. This writer takes one free name and all abandoned names.
  package init(_ names: [String], in folder: Directory) throws(SystemError) {
    self.folder = folder
    for name in names { try acquire(name) }
    // All names are in use, so this writer cannot tell whether an earlier writer was killed.
    if held.isEmpty { wasInterrupted = true }
  }

  package static func isAny(of names: [String], in folder: Directory) throws(SystemError) -> Bool {
    for name in names where try folder.status(name) != nil { return true }
    return false
  }

  private func acquire(_ name: String) throws(SystemError) {
    for _ in 0..<100 {
      let isThere = try folder.status(name) != nil
      if !isThere, !held.isEmpty { return }
      let file: File
      do throws(SystemError) {
        let access: File.Access = isThere ? [] : [.create, .exclusive]
        file = try folder.file(name, access.union([.read, .write, .nonBlocking]))
      } catch {
        if isThere ? error.isMissing : error.isExisting { continue }
        throw error
      }
      if try file.claim() == .others { return }
      // The file may have been removed before the lock was granted.
      guard try folder.status(name)?.inode == file.status().inode else { continue }
      held.append((name, file))
      if isThere { wasInterrupted = true }
      return
    }
  }

  package func end() {
    for one in held { _ = try? folder.remove(one.name) }
  }
}
