import SeaEngine

/// Collects the transactions of a command, in order to write several of them with a single disk flush.
final class Chunks {
  private(set) var batch: WriteBatch
  private var full: [WriteBatch] = []
  private var bytes = 0
  private let size: Int
  private let make: () -> WriteBatch
  private let commit: ([WriteBatch]) throws -> Void
  private static let enough = 4 << 20
  /// The estimated size of an empty batch, in bytes.
  private static let overhead = 512

  init(size: Int, _ make: @escaping () -> WriteBatch, _ commit: @escaping ([WriteBatch]) throws -> Void) {
    self.size = size
    self.make = make
    batch = make()
    self.commit = commit
  }

  func added() throws {
    guard batch.count >= size else { return }
    full.append(batch)
    bytes += batch.size + Chunks.overhead
    batch = make()
    if bytes >= Chunks.enough { try write() }
  }

  func write() throws {
    guard !full.isEmpty else { return }
    let ready = full
    full = []
    bytes = 0
    try commit(ready)
  }

  func end() throws {
    if !batch.isEmpty { full.append(batch) }
    try write()
  }
}
