import SeaCore
import SeaSystem

/// A bundle that is being written to a medium, as a single file or as volumes. The files get their names only when all
/// of them are safely on disk.
///
/// The temporary files are locked while this process runs. When the next bundle is written to the folder, temporary
/// files of killed processes are removed. The order of calls is `write`, `finish`, optionally `verify`, and `commit`.
/// After any failure, all files are removed.
package final class BundleFile {
  /// The fixed beginning of the random part of a temporary name, so that other files are not mistaken for bundles.
  private static let mark = "b5ea5ea0"

  package let path: String
  private let name: String
  private let folder: Directory
  /// The size of each volume except the last; nil for a single file, if the file system supports its size.
  package private(set) var volumeSize: Int64?
  private var parts: [Part] = []
  private var partSize: Int64 = 0
  package private(set) var size: Int64 = 0
  private var isOver = false

  private struct Part {
    let name: String
    let file: File
  }

  /// - Parameters:
  ///   - path: the path of the file, which need not exist.
  /// - volumeSize: the size of each volume, at least 1. On FAT, volumes never exceed the file size limit of 4 GiB.
  /// - followsLinks: whether to write to the target if the path is an existing link.
  package init(_ path: String, volumeSize: Int64? = nil, followsLinks: Bool = true) throws(BundleError) {
    var path = path
    let (folder, largest) = try bundleSystem { () throws(SystemError) -> (Directory, Int64?) in
      if followsLinks, try Path.status(path)?.kind == .link, let target = try? Path.real(path) { path = target }
      if let kind = try Path.status(path)?.kind, kind != .file, kind != .link {
        throw SystemError.wrongKind(path, kind)
      }
      let parent = Path.parent(path)
      return (try Directory(parent), try FileSystem.largestFile(parent))
    }
    self.path = path
    self.folder = folder
    name = Path.name(path)
    self.volumeSize = volumeSize.map { min($0, largest ?? $0) } ?? largest
    BundleFile.sweep(folder)
    try begin()
  }

  deinit { discard() }

  private static func isOurs(_ name: String) -> Bool {
    AtomicFile.isTemporary(name) && name.hasPrefix(beginning)
  }

  /// Removes old temporary files. Files that cannot be removed now are removed when a later bundle is written.
  private static func sweep(_ folder: Directory) {
    let names = ((try? folder.list().entries) ?? []).filter { $0.kind == .file }.map(\.name)
    for name in names where isOurs(name) {
      guard let file = try? folder.file(name, [.read, .nonBlocking]), (try? file.claim()) == .ours else { continue }
      if name.dropFirst(beginning.utf8.count).prefix(4) == "0001" {
        // The first volume gets its name last, so the writer was killed while renaming the other volumes.
        for other in names {
          guard let volume = BundleVolumes.parts(other), name.hasSuffix(tag(of: volume.base)),
            !names.contains(BundleVolumes.name(volume.base, 1))
          else { continue }
          _ = try? folder.remove(other)
        }
      }
      _ = try? folder.remove(name)
    }
  }

  private static let beginning = AtomicFile.temporaryPrefix + mark

  private static func tag(of name: String) -> String { String(SHA256.hash(Array(name.utf8)).description.prefix(8)) }

  private func begin() throws(BundleError) {
    try bundleSystem { () throws(SystemError) in
      while true {
        let random = try AtomicFile.temporaryName().suffix(12)
        let number = String(parts.count + 1, radix: 16)
        let digits = String(repeating: "0", count: max(0, 4 - number.utf8.count)) + number.suffix(4)
        let name = BundleFile.beginning + digits + random + BundleFile.tag(of: self.name)
        let file = try folder.file(name, [.read, .write, .create, .exclusive])
        let claim = try file.claim()
        // Another process can remove the file between its creation and its claim.
        let isThere = try folder.status(name) != nil
        if claim != .others, isThere {
          parts.append(Part(name: name, file: file))
          partSize = 0
          return
        }
        _ = try folder.remove(name)
      }
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(BundleError) {
    var rest = bytes
    while rest.count > 0 {
      if let volumeSize, partSize == volumeSize {
        try finishPart()
        try begin()
      }
      let count = Int(min(Int64(rest.count), (volumeSize ?? .max) - partSize))
      let piece = UnsafeRawBufferPointer(rebasing: rest[..<count])
      let file = parts[parts.count - 1].file
      do throws(SystemError) { try file.write(piece) } catch {
        guard error.isFileTooLarge, parts.count == 1, partSize > 0 else { throw .system(error) }
        // The file system does not support larger files and did not report this limit. The bytes written so far become
        // the first volume.
        let size = partSize
        try bundleSystem { () throws(SystemError) in
          try file.truncate(to: size)
          try file.seek(to: size)
        }
        volumeSize = size
        continue
      }
      partSize += Int64(count)
      size += Int64(count)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  private func finishPart() throws(BundleError) {
    let file = parts[parts.count - 1].file
    try bundleSystem { () throws(SystemError) in try file.synchronize() }
  }

  package func finish() throws(BundleError) { try finishPart() }

  /// The names of the files that `commit` creates, in the folder of `path`.
  package var names: [String] {
    parts.count == 1 ? [name] : parts.indices.map { BundleVolumes.name(name, $0 + 1) }
  }

  /// After `finish`, reads everything back, from the medium if the system supports that, and checks the digest that
  /// `BundleWriter` returned.
  /// - Throws: `differsFromWritten`, or `system` for read errors.
  package func verify(_ digest: Digest, temporary: String) throws {
    for part in parts { part.file.dropCache() }
    let paths = parts.map { folder.path(of: $0.name) }
    let found: Digest
    do {
      found = try BundleReader(.files(paths: paths), temporary: temporary, direct: true).read(NoVisitor()).digest
    } catch let error as BundleError {
      if case .system = error { throw error }
      throw BundleError.differsFromWritten(path: path)
    }
    guard found == digest else { throw BundleError.differsFromWritten(path: path) }
  }

  /// After `finish`, durably gives the bundle its name. Volumes are renamed from the last to the first.
  /// - Parameter replace: whether to replace an existing bundle with that name, including its volumes. Otherwise, an
  ///   existing bundle causes an error (EEXIST). Other files whose names look like those of volumes are never replaced;
  ///   if they could be mistaken for volumes, the call fails.
  package func commit(replace: Bool) throws(BundleError) {
    var named: [String] = []
    do throws(SystemError) {
      let numbers = try BundleVolumes.numbers(of: name, in: folder)
      let old = replace ? volumes(numbers) : []
      if !replace || parts.count > 1, let other = numbers.first(where: { !old.contains($0) }) {
        throw SystemError.existing(folder.path(of: BundleVolumes.name(name, other)))
      }
      if parts.count == 1 {
        try rename(parts[0].name, to: name, replace)
        try remove(old)
      } else {
        if !replace, try folder.status(name) != nil { throw SystemError.existing(path) }
        // Without the first volume, the other volumes are not recognized as a bundle.
        try remove(old)
        for k in parts.indices.reversed() {
          try rename(parts[k].name, to: names[k], replace)
          named.append(names[k])
        }
        if replace { _ = try folder.remove(name) }
      }
      isOver = true
      try folder.synchronize()
      for part in parts { try part.file.close() }
    } catch {
      if !isOver { for name in named { _ = try? folder.remove(name) } }
      discard()
      throw .system(error)
    }
  }

  /// Returns the numbers of the files that are volumes of the same bundle, provided that its manifest is readable.
  private func volumes(_ numbers: [Int]) -> [Int] {
    let run = numbers.enumerated().prefix { $0.offset + 1 == $0.element }.map(\.element)
    let paths = run.map { folder.path(of: BundleVolumes.name(name, $0)) }
    guard !run.isEmpty, let reader = try? BundleReader(.files(paths: paths), temporary: folder.path),
      (try? reader.manifest()) != nil
    else { return [] }
    return run
  }

  private func rename(_ temporary: String, to name: String, _ replace: Bool) throws(SystemError) {
    if replace {
      try folder.rename(temporary, to: name)
    } else {
      try folder.renameNoReplace(temporary, to: name)
    }
  }

  private func remove(_ numbers: [Int]) throws(SystemError) {
    for number in numbers { _ = try folder.remove(BundleVolumes.name(name, number)) }
    if !numbers.isEmpty { try folder.synchronize() }
  }

  /// Removes all files that do not have their final names yet. After `commit`, this method does nothing.
  package func discard() {
    guard !isOver else { return }
    isOver = true
    for part in parts {
      _ = try? folder.remove(part.name)
      try? part.file.close()
    }
  }

  package static func checkSpace(_ needed: Int64, in folder: String) throws(BundleError) {
    let free = try bundleSystem { () throws(SystemError) in try FileSystem.free(folder) }
    if needed > free { throw .noSpace(needed: needed, free: free, path: folder) }
  }
}

/// Ignores the content, for use when reading the bundle is itself the check.
package final class NoVisitor: BundleVisitor {
  package init() {}
  package func begin(_ member: BundleMember) {}
  package func bytes(_ bytes: UnsafeRawBufferPointer) {}
  package func end(_ member: BundleMember) {}
}
