import Glibc

/// Says that somebody writes to a place, until all of it is on the disk. Who is stopped in between, by a kill or by a sync
/// that fails, leaves it behind, and the next one sees that what is there may not be durable.
///
/// It is an empty file, which is not synced: after a loss of power nothing is there that was not on the disk. Each of those that write
/// at the same time has one of its own, as far as there are names: who is at work brings to the disk what it has written itself.
package final class WritingMark {
  private let folder: Directory
  private var held: [(name: String, file: File)] = []
  /// Whether somebody was stopped before.
  package private(set) var wasThere = false

  package convenience init(_ name: String, in folder: Directory) throws(SystemError) {
    try self.init([name], in: folder)
  }

  /// - Parameter names: one is taken that nobody has, and all that were left behind.
  package init(_ names: [String], in folder: Directory) throws(SystemError) {
    self.folder = folder
    for name in names { try take(name) }
    // There are more than names: nobody knows then who was stopped.
    if held.isEmpty { wasThere = true }
  }

  /// Whether there is any.
  package static func isAny(of names: [String], in folder: Directory) throws(SystemError) -> Bool {
    for name in names where try folder.status(name) != nil { return true }
    return false
  }

  private func take(_ name: String) throws(SystemError) {
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
      // It may have been taken away before the claim was granted.
      guard try folder.status(name)?.inode == file.status().inode else { continue }
      held.append((name, file))
      if isThere { wasThere = true }
      return
    }
  }

  /// Everything is on the disk.
  package func end() {
    for one in held { _ = try? folder.remove(one.name) }
  }
}
