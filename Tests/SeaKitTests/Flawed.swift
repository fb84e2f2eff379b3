import SeaKit

/// A container in memory that does not keep one of its promises.
struct Flawed: Container {
  enum Flaw: String, CaseIterable {
    case givesMissing, losesTail, ignoresOffset, overwrites, namesBeside, tellsOtherSizes, keepsOld, keepsRemoved,
      cannotRemoveTwice
    case takesFirstPiece, writesHalf, mixesUp, hangs, throwsAlways
  }

  struct Failure: Error, CustomStringConvertible {
    let description = "the disk is\non fire"
  }

  let memory: MemoryContainer
  let flaw: Flaw
  /// How long is waited in vain for what hangs.
  var hanging = Duration.milliseconds(300)
  var patience: Duration { flaw == .hangs ? hanging : .seconds(60) }

  func list(in folder: String?, _ found: @Sendable (ContainerFile) throws -> Void) async throws {
    if flaw == .namesBeside, let folder {
      let last = folder.split(separator: "/").last.map(String.init) ?? ""
      return try await memory.list(in: nil) { if $0.name.contains(last) { try found($0) } }
    }
    try await memory.list(in: folder) { file in
      try found(flaw == .tellsOtherSizes ? ContainerFile(file.name, size: file.size + 1) : file)
    }
  }

  func read(_ name: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
    switch flaw {
    case .throwsAlways: throw Failure()
    // Longer than any test, also if nobody wants it any more.
    case .hangs: await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    case .ignoresOffset: return try await memory.read(name, from: 0, count: count)
    default: break
    }
    let bytes = try await memory.read(name, from: offset, count: count)
    return flaw == .givesMissing ? bytes ?? [] : bytes
  }

  func write(_ name: String, _ content: FileContent) async throws -> Bool {
    switch flaw {
    case .overwrites:
      try await memory.replace(name, content)
      return true
    case .losesTail:
      return try await memory.write(name, FileContent(Array(content.bytes().prefix(50_000))))
    case .takesFirstPiece:
      for try await piece in content { return try await memory.write(name, FileContent(piece)) }
      return try await memory.write(name, FileContent([]))
    case .writesHalf:
      var bytes: [UInt8] = []
      do { for try await piece in content { bytes += piece } } catch {}
      guard memory[name] == nil else { return false }
      memory[name] = bytes
      return true
    case .mixesUp:
      let bytes = try await content.bytes()
      memory["last"] = bytes
      try await Task.sleep(for: .milliseconds(5))
      defer { memory["last"] = nil }
      return try await memory.write(name, FileContent(memory["last"] ?? []))
    default: return try await memory.write(name, content)
    }
  }

  func replace(_ name: String, _ content: FileContent) async throws {
    if flaw == .keepsOld, memory[name] != nil { return }
    try await memory.replace(name, content)
  }

  func remove(_ name: String) async throws {
    if flaw == .keepsRemoved { return }
    if flaw == .cannotRemoveTwice, memory[name] == nil { throw Failure() }
    try await memory.remove(name)
  }
}
