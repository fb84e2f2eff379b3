import SeaKit

/// The transactions of one call: full ones wait for each other, and are written with one wait for the disk.
final class Chunks {
  private(set) var batch = WriteBatch(label: "put")
  private var full: [WriteBatch] = []
  private var bytes = 0
  private let size: Int
  private let commit: ([WriteBatch]) throws -> Void
  private static let enough = 4 << 20
  /// What a batch takes besides its records.
  private static let overhead = 512

  init(size: Int, _ commit: @escaping ([WriteBatch]) throws -> Void) {
    self.size = size
    self.commit = commit
  }

  func added() throws {
    guard batch.count >= size else { return }
    full.append(batch)
    bytes += batch.size + Chunks.overhead
    batch = WriteBatch(label: "put")
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
