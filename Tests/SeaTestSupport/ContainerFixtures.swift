import SeaContainer
import SeaCore
import SeaSystem

/// Blocks that hang together only by their index: all that a container looks at.
package enum TestBlock {
  package static func make(_ index: UInt32, payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: BlockHeader.size + payload.count)
    BlockHeader(
      mode: [], payloadSize: UInt32(payload.count), index: index, lamport: index, previous: .zero,
      data: SHA256.hash(payload)
    ).write(into: &writer)
    writer.append(payload)
    return writer.array()
  }

  /// A small block whose length and bytes depend on its index.
  package static func make(_ index: UInt32) -> [UInt8] {
    make(index, payload: Array("block \(index) ".utf8) + [UInt8](repeating: UInt8(index % 251), count: Int(index % 37)))
  }

  /// What `writeBlocks` takes: the blocks of a range in turn.
  package static func source(_ range: Range<UInt32>) -> () -> [UInt8]? {
    var next = range.lowerBound
    return {
      guard next < range.upperBound else { return nil }
      defer { next += 1 }
      return make(next)
    }
  }
}

/// A folder of its own for a test, removed with everything in it.
package final class ScratchFolder {
  package let path: String

  /// - Parameter inMemory: where waiting for the disk takes no time, if the machine has such a place.
  package init(inMemory: Bool = false) throws {
    let memory = inMemory && Path.isWritable("/dev/shm") ? "/dev/shm" : nil
    let base = memory ?? Host.environment("TMPDIR") ?? "/tmp"
    path = Path.join(base, "sea-test" + (try AtomicFile.temporaryName()))
    try Path.createDirectories(path)
  }

  deinit { try? ScratchFolder.removeAll(path) }

  package func path(_ name: String) -> String { Path.join(path, name) }

  package static func removeAll(_ path: String) throws {
    guard try Path.status(path)?.kind == .directory else {
      try Path.remove(path)
      return
    }
    for entry in try Directory(path).list().entries { try removeAll(Path.join(path, entry.name)) }
    try Path.removeDirectory(path)
  }

  /// Every file below, with the path from here.
  package func files(_ below: String = "") throws -> [String] {
    var result: [String] = []
    for entry in try Directory(Path.join(path, below)).list().entries {
      let name = Path.join(below, entry.name)
      if entry.kind == .directory { result += try files(name) } else { result.append(name) }
    }
    return result.sorted()
  }

  package func write(_ name: String, _ bytes: [UInt8]) throws {
    try Path.createDirectories(Path.parent(path(name)))
    let file = try File(path(name), [.write, .create, .truncate])
    try file.write(bytes)
    try file.close()
  }

  package func bytes(_ name: String) throws -> [UInt8] { try File(path(name)).readAll(limit: 1 << 30) ?? [] }
}
