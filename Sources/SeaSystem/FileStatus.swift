import Glibc

package enum FileKind: Sendable, Equatable {
  case file, directory, link, pipe
  /// A socket or device: never opened.
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

/// Tells a file from all others that are there now, whatever names it has.
package struct FileIdentity: Sendable, Hashable {
  package let device: UInt64
  package let inode: UInt64
}

/// What the system says about a file.
package struct FileStatus: Sendable, Equatable {
  package let kind: FileKind
  package let size: Int64
  /// The permission bits, without the kind.
  package let mode: UInt32
  package let owner: UInt32
  package let device: UInt64
  package let inode: UInt64
  /// How many names the file has.
  package let links: Int
  /// Milliseconds since 1970. Never used for logic that matters: cloud clients rewrite it.
  package let modified: Int64
  /// When anything of it was last changed, its name in some systems too: nanoseconds, by the clock of the machine that keeps
  /// it. Nobody can set it. A hint: where it is not told it is as good as `modified`.
  package let changed: Int64

  package var identity: FileIdentity { FileIdentity(device: device, inode: inode) }

  /// Whether nobody has written to the file between two looks at it, as far as the system tells.
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
