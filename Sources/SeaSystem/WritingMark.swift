import Glibc

/// Says that somebody writes to a place, until all of it is on the disk. Who is stopped in between, by a kill or by a sync
/// that fails, leaves it behind, and the next one sees that what is there may not be durable.
///
/// It is an empty file, which is not synced: after a loss of power nothing is there that was not on the disk.
package final class WritingMark {
  private let folder: Directory
  private let name: String
  private let file: File?
  /// Whether somebody was stopped before, or is writing now.
  package let wasThere: Bool

  package init(_ name: String, in folder: Directory) throws(SystemError) {
    self.folder = folder
    self.name = name
    var known = false
    for _ in 0..<100 {
      if try folder.status(name) != nil { known = true }
      let file = try folder.file(name, [.read, .write, .create, .nonBlocking], mode: 0o600)
      if try file.claim() == .others {
        (self.file, wasThere) = (nil, true)
        return
      }
      // It may have been taken away before the claim was granted.
      guard try folder.status(name)?.inode == file.status().inode else { continue }
      (self.file, wasThere) = (file, known)
      return
    }
    (file, wasThere) = (nil, true)
  }

  /// Everything is on the disk.
  package func end() {
    if file != nil { _ = try? folder.remove(name) }
  }
}
