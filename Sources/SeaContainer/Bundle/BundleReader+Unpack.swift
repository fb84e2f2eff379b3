import SeaCore
import SeaSystem

extension BundleReader {
  /// Reads the whole bundle and puts the members that are wanted into an empty folder, as a container has them. Nothing
  /// is synchronized: the folder is one that goes when this fails.
  /// - Parameter isWhole: whether most of it is wanted, so that there has to be room for all of it.
  /// - Throws: `noSpace` before anything is written; else as `read`.
  package func unpack(
    into folder: Directory, isWhole: Bool = true, _ wants: @escaping (BundleMember) throws -> Bool
  ) throws -> (manifest: BundleManifest, digest: Digest) {
    let manifest = try manifest()
    // Every file takes up whole pages, and a folder takes up something too.
    if isWhole { try BundleFile.checkSpace(manifest.bytes + manifest.members * 4096, in: folder.path) }
    return try read(Unpacker(folder, wants))
  }
}

/// Makes files of members.
private final class Unpacker: BundleVisitor {
  private let top: Directory
  private let wants: (BundleMember) throws -> Bool
  /// The folder of the last file, and its path.
  private var folder: Directory
  private var folderPath = ""
  private var file: File?

  init(_ top: Directory, _ wants: @escaping (BundleMember) throws -> Bool) {
    self.top = top
    self.wants = wants
    folder = top
  }

  func begin(_ member: BundleMember) throws {
    guard try wants(member) else { return }
    // Only paths of the layout come here: no `..`, no link, nothing that begins with a slash.
    let path = member.path.text
    try bundleSystem { () throws(SystemError) in
      try enter(Path.parent(path))
      file = try folder.file(Path.name(path), [.write, .create, .exclusive], mode: 0o600)
    }
  }

  private func enter(_ path: String) throws(SystemError) {
    guard path != folderPath else { return }
    var next = top
    for name in path.split(separator: "/") where name != "." {
      try next.createDirectory(String(name), mode: 0o700)
      next = try next.directory(String(name))
    }
    (folder, folderPath) = (next, path)
  }

  func bytes(_ bytes: UnsafeRawBufferPointer) throws {
    guard let file else { return }
    try bundleSystem { () throws(SystemError) in try file.write(bytes) }
  }

  func end(_ member: BundleMember) throws {
    guard let file else { return }
    self.file = nil
    try bundleSystem { () throws(SystemError) in try file.close() }
  }
}
