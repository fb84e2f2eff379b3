import SeaCore
import SeaSystem

/// The server side of the helper protocol, which serves the files of a folder and writes files that the client is
/// allowed to write.
///
/// The server understands names but not content, changes nothing outside of the folder, and does not follow links.
package final class FolderServer {
  private static let largestBundle: Int64 = 1 << 50

  let path: String
  private let right: ServerWire.Right
  private let wire: ServerWire
  private let folders: ContainerFolders
  private var mark: WritingMark?

  package init(_ path: String, _ right: ServerWire.Right, _ wire: ServerWire) {
    (self.path, self.right, self.wire) = (path, right, wire)
    folders = ContainerFolders(path)
  }

  /// Answers requests until the client says goodbye or disconnects.
  /// - Throws: errors of the connection.
  package func run() throws {
    try wire.serve(greet: { (right, [Wire.await]) }, say: wire.answer, reply: reply)
    _ = try? flush()
    try wire.flush()
  }

  private func reply(_ request: Wire.Request) throws {
    let end = wire.used + request.size
    do {
      switch request {
      case .list(let folder): try list(folder)
      case .get(let path, let offset, let count): return try get(path, offset, count)
      case .put(let path, let size): try write(path, size, replaces: false)
      case .replace(let path, let size): try write(path, size, replaces: true)
      case .move(let path, let other): try move(path, to: other)
      case .delete(let path): try delete(path)
      case .flush:
        try adoptMark()
        try flush()
      case .await(let seconds):
        // The client may want to read the reported files immediately.
        try flush()
        guard try FolderNews(path: path, wire: wire).run(seconds: seconds) else {
          throw WireRefusal(.unsupported, "the file system does not support change notification")
        }
      case .greet, .bye: break
      }
    } catch let error as ServerWire.Broken {
      throw error.error
    } catch {
      // The remaining bytes of a failed request must not be parsed as the next request.
      try wire.skip(to: end)
      return try wire.answer(FolderServer.answer(error))
    }
    try wire.answer(.ok(nil))
  }

  private static func answer(_ error: any Error) -> Wire.Answer {
    switch error {
    case let refusal as WireRefusal: return refusal.answer
    case ContainerError.system(let error), let error as SystemError:
      let code: WireCode =
        error.isMissing
        ? .notFound
        : error.isExisting
          ? .exists
          : error.isDenied || error.isReadOnly
            ? .denied : error.isNoSpace ? .full : error.isFileTooLarge ? .tooLarge : .failed
      return .error(code.rawValue, error.reason)
    case ContainerError.missing: return .error(WireCode.notFound.rawValue, "")
    case ContainerError.nameTaken: return .error(WireCode.exists.rawValue, "")
    default: return .error(WireCode.failed.rawValue, "")
    }
  }

  // MARK: Existing files

  private func home(_ path: String) throws -> (folder: Directory, name: String) {
    guard let home = try folders.home(path) else { throw WireRefusal.notFound }
    return home
  }

  private func list(_ path: String?) throws {
    let path = path ?? ""
    guard try folders.folder(path.split(separator: "/").map(String.init)) != nil else {
      throw WireRefusal.notFound
    }
    try folders.walk(path, most: 16) { path, status in
      // The marks of this server are not files of the container.
      guard WirePath.isPath(path), !DirectoryContainer.isMark(Path.name(path)) else { return }
      // A link or a folder with the name of a block is listed and read as an empty file, because that block may be
      // missing.
      let isFile = status.kind == .file
      guard isFile || FilePlace(path).isBlock else { return }
      try wire.answer(.file(WireFile(path: path, size: isFile ? status.size : 0, time: max(0, status.modified))))
    }
  }

  private func get(_ path: String, _ offset: Int64, _ count: Int64) throws {
    let (folder, name) = try home(path)
    if FilePlace(path).isBlock, let kind = try folder.status(name)?.kind, kind != .file {
      return try wire.answer(.ok(0))
    }
    let file = try folder.file(name, [.read, .nonBlocking])
    let status = try file.status()
    guard status.kind == .file else { throw WireRefusal.notFound }
    let count = max(0, min(count, status.size - offset))
    try wire.answer(.ok(count))
    try wire.send(count) { buffer, at throws(SystemError) in try file.read(into: buffer, at: offset + at) }
  }

  // MARK: Writing

  private func write(_ path: String, _ size: Int64, replaces: Bool) throws {
    let place = FilePlace(path)
    try allow(place, size, replaces: replaces)
    if (try? folders.root()) == nil { try Path.createDirectories(self.path) }
    if mark == nil, !place.isOther, replaces || place != .info { mark = try DirectoryContainer(self.path).mark() }
    guard let file = try folders.draft(path, replaces: replaces) else { throw WireRefusal.exists }
    try wire.read(size) { piece throws(SystemError) in try file.file.write(piece) }
    guard try file.commit() else { throw WireRefusal.exists }
  }

  /// - Throws: `WireRefusal` if the file is not part of a container or exchange directory.
  private func allow(_ place: FilePlace, _ size: Int64, replaces: Bool) throws {
    let most: Int64 =
      switch place {
      case .info: Int64(ContainerInfo.largestFile)
      case .block: Int64(BlockHeader.size) + (64 << 20)
      case .folded: Int64(Layout.largestFile)
      case .asset: AssetFile.largest
      case .small: Int64(SmallFile.largest)
      case .other(let path) where ExchangeDirectoryNames.isOfBundle(path) && !replaces: FolderServer.largestBundle
      case .other(let path) where ExchangeDirectoryNames.isOfHeads(path): Int64(ExchangeDirectoryNames.largestHeads)
      case .other: throw WireRefusal(.denied, "invalid name for a file of a container")
      }
    guard size <= most else { throw WireRefusal(.tooLarge) }
  }

  private func move(_ path: String, to other: String) throws {
    guard Layout.asideName(other) == path else {
      throw WireRefusal(.denied, "invalid name for a quarantined file")
    }
    try folders.move(path, to: other)
  }

  private func delete(_ path: String) throws {
    do throws(ContainerError) { try folders.remove([path]) } catch {
      guard case .missing = error else { throw error }
    }
  }

  /// Takes over the mark of an interrupted writer, because that writer's files must still become durable.
  private func adoptMark() throws {
    guard mark == nil, right != .read, let root = try? folders.root(),
      try WritingMark.isAny(of: DirectoryContainer.marks, in: root)
    else { return }
    mark = try DirectoryContainer(path).mark()
  }

  private func flush() throws {
    try folders.flush()
    if mark?.wasInterrupted ?? false { try DirectoryContainer(path).makeDurable(deep: true) }
    mark?.end()
    mark = nil
  }
}

/// Reports the changes in a folder to the client as they happen.
struct FolderNews {
  static let longest: Int64 = 600
  /// The interval in nanoseconds at which the server reports that it is still watching. The interval is long so that
  /// idle processes rarely wake up.
  private static let patience: Int64 = 50_000_000_000
  /// The interval in nanoseconds at which a missing folder is checked.
  private static let pause: Int64 = 1_000_000_000

  let path: String
  let wire: ServerWire

  /// Reports changes until the time is up, the client sends a request, or the client disconnects.
  /// - Returns: false if the file system does not report changes.
  func run(seconds: Int64) throws -> Bool {
    let watch = try FileWatch(stops: false)
    guard FileSystem.reportsAllChanges(Path.parent(path)) else { return false }
    var isThere = watchFolders(watch)
    let ends = Clock.monotonic() + min(seconds, FolderNews.longest) * 1_000_000_000
    try say(.wait)
    var said = Clock.monotonic()
    while true {
      let now = Clock.monotonic()
      if now >= ends { return true }
      let due = min(ends, said + FolderNews.patience)
      let wake = try wire.wait(watch, nanoseconds: min(due - now, isThere ? .max : FolderNews.pause))
      if wake.isAddressed || wake.readerIsGone { return true }
      var folders = Set(wake.changes.filter(FolderNews.counts).map(\.folder))
      if wake.isOverfull { folders.insert(path) }
      let wasThere = isThere
      if !wake.isEmpty || !isThere { isThere = watchFolders(watch) }
      if isThere, !wasThere { folders.insert(path) }
      for folder in folders.sorted() {
        let below = folder.hasPrefix(path + "/") ? String(folder.dropFirst(path.utf8.count + 1)) : nil
        try wire.answer(.news(below.flatMap { WirePath.isPath($0) ? $0 : nil }))
        said = Clock.monotonic()
      }
      if Clock.monotonic() >= said + FolderNews.patience {
        try wire.answer(.wait)
        said = Clock.monotonic()
      }
      try wire.flush()
    }
  }

  private func say(_ answer: Wire.Answer) throws(SystemError) {
    try wire.answer(answer)
    try wire.flush()
  }

  private static func counts(_ change: (folder: String, name: String)) -> Bool {
    !Layout.isTemporary(change.name) && !DirectoryContainer.isMark(change.name)
  }

  /// Watches all relevant folders, including those created in the meantime.
  /// - Returns: whether there is a container.
  private func watchFolders(_ watch: FileWatch) -> Bool {
    var last: [String] = []
    for _ in 0..<8 {
      let found = ObservedFolders(of: path).folders
      if found == last { break }
      _ = watch.watch(only: found)
      last = found
    }
    return last.contains(path)
  }
}
