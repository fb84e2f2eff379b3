import Glibc

package enum FileKind: Sendable, Equatable {
  case file, directory, link, pipe
  /// A socket or device, which is never opened.
  case other

  init(mode: UInt32) {
    switch mode & S_IFMT {
    case S_IFREG: self = .file
    case S_IFDIR: self = .directory
    case S_IFLNK: self = .link
    case S_IFIFO: self = .pipe
    default: self = .other
    }
  }
}

package struct FileIdentity: Sendable, Hashable {
  package let device: UInt64
  package let inode: UInt64
}

package struct FileStatus: Sendable, Equatable {
  package let kind: FileKind
  package let size: Int64
  package let mode: UInt32
  package let owner: UInt32
  package let device: UInt64
  package let inode: UInt64
  package let links: Int
  /// The modification time in milliseconds since 1970. Do not rely on this time, because cloud storage clients change
  /// it.
  package let modified: Int64
  /// The time of the last change to the file in nanoseconds, by the clock of the machine that stores the file. On some
  /// systems, renaming counts as a change. Programs cannot set this time. Use it only as a hint, because some systems
  /// report `modified` instead.
  package let changed: Int64

  package var identity: FileIdentity { FileIdentity(device: device, inode: inode) }

  package func isUnchanged(since earlier: FileStatus) -> Bool {
    size == earlier.size && modified == earlier.modified && changed == earlier.changed
  }

  init(_ status: stat) {
    kind = FileKind(mode: status.st_mode)
    size = Int64(status.st_size)
    mode = status.st_mode & 0o7777
    owner = status.st_uid
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    links = Int(status.st_nlink)
    modified = Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
    changed = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
  }
}
