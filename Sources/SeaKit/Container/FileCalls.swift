internal import SeaSystem

internal import class SeaContainer.FolderServer
internal import enum SeaContainer.SmallFolder
internal import enum SeaContainer.Wire
internal import struct SeaContainer.WireFile
internal import enum SeaContainer.WirePath

/// What is asked of a container over the line, as calls; what it says is held against what it was asked before anything of it is passed on.
struct FileCalls: Sendable {
  private let container: any Container
  private let access: ContainerAccess

  init(_ container: any Container) { (self.container, access) = (container, container.access) }

  var patience: Duration { container.patience }

  /// What it says of itself.
  var words: [String] {
    switch access {
    case .everything: []
    case .appendOnly: [FolderServer.appendOnly]
    case .readOnly: [FolderServer.readOnly]
    }
  }

  // MARK: Reading

  func list(_ folder: String?) async throws -> ContainerReply {
    let found = Guarded((files: [WireFile](), bytes: 0))
    try await container.list(in: folder) { file in
      // Names that are none of a container are nobody's.
      guard WirePath.isPath(file.name) else { return }
      guard file.size >= 0 else { throw ContainerRefusal(.failed, "'\(file.name)' has a size of \(file.size)") }
      try found.with { found in
        found.bytes += file.name.utf8.count
        guard found.files.count < Wire.mostFiles, found.bytes <= Wire.mostPathBytes else {
          throw ContainerRefusal(.failed, "it names more files than a container has")
        }
        let time = min(max(0, file.changed?.milliseconds ?? 0), FileCalls.mostTime)
        found.files.append(
          WireFile(path: file.name, size: min(file.size, FileCalls.mostTime), time: time))
      }
    }
    let files = found.with { $0.files }
    // Folders come and go with their files, and so does the container.
    return files.isEmpty && folder == nil ? .refused(.notFound, "") : .files(files)
  }

  /// Eighteen digits, as numbers on the line have.
  private static let mostTime: Int64 = 999_999_999_999_999_999

  func read(_ path: String, _ offset: Int64, _ count: Int) async throws -> ContainerReply {
    guard let bytes = try await container.read(path, from: offset, count: count) else { return .refused(.notFound, "") }
    guard bytes.count <= count else {
      return .refused(.failed, "it has given \(bytes.count) bytes of '\(path)' where \(count) were asked for")
    }
    return .bytes(bytes)
  }

  // MARK: Writing

  func write(_ path: String, _ content: FileContent, replaces: Bool) async throws -> ContainerReply {
    try allow(replaces && !path.hasPrefix(FileCalls.hints) ? .everything : .appendOnly)
    if replaces {
      try await container.replace(path, content)
      return .done
    }
    return try await container.write(path, content) ? .done : .refused(.exists, "")
  }

  private static let hints = SmallFolder.heads.rawValue + "/"

  /// - Parameter least: the access that it takes.
  private func allow(_ least: ContainerAccess) throws {
    switch (access, least) {
    case (.everything, _), (.appendOnly, .appendOnly): return
    default: throw ContainerRefusal(.denied, "it is not to be changed")
    }
  }

  func remove(_ path: String) async throws -> ContainerReply {
    try allow(.everything)
    try await container.remove(path)
    return .done
  }

  func flush() async throws -> ContainerReply {
    try await container.flush()
    return .done
  }

  /// A copy first: who is stopped between the two leaves both.
  func move(_ path: String, to other: String) async throws -> ContainerReply {
    try allow(.everything)
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) }
    let size = Guarded<Int64?>(nil)
    try await container.list(in: folder) { file in if file.name == path { size.with { $0 = file.size } } }
    guard let size = size.with({ $0 }) else { return .refused(.notFound, "") }
    let done = Guarded<Int64>(0)
    let content = FileContent(size: size) { [container] in
      let at = done.with { $0 }
      if at >= size { return nil }
      guard let piece = try await container.read(path, from: at, count: Int(min(size - at, FileCalls.piece))),
        !piece.isEmpty
      else { throw ContainerRefusal(.failed, "'\(path)' has not the \(size) bytes that it is said to have") }
      done.with { $0 += Int64(piece.count) }
      return piece
    }
    guard try await container.write(other, content) else { return .refused(.exists, "") }
    try await container.remove(path)
    return .done
  }

  private static let piece: Int64 = 1 << 20
}
