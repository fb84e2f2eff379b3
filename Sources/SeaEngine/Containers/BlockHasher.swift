import SeaCore
import SeaSystem

/// Computes the digests of payloads in other threads while the caller keeps reading. On a single core, uses no other
/// threads.
///
/// A short chain does not start any threads, and memory use is limited no matter how many blocks there are.
package final class BlockHasher {
  private static let batchSize = 1 << 18
  /// The maximum number of bytes waiting to be hashed. One block may exceed this limit.
  private static let mostBytes = 64 << 20
  private static let mostWorkers = 15

  private final class Batch {
    var bytes: [UInt8] = []
    var blocks: [(index: UInt32, end: Int, clear: [UInt8]?)] = []
    var digests: [BlockDigests?] = []

    func add(_ index: UInt32, _ block: UnsafeRawBufferPointer, _ clear: [UInt8]?) {
      if bytes.isEmpty { bytes.reserveCapacity(BlockHasher.batchSize + 1 << 16) }
      bytes.append(contentsOf: block)
      blocks.append((index, bytes.count, clear))
    }

    func hash() {
      var digests: [BlockDigests?] = []
      digests.reserveCapacity(blocks.count)
      forEach { _, block, _, _ in
        digests.append(BlockDigests(block))
        return true
      }
      self.digests = digests
    }

    @discardableResult
    func forEach(_ body: Body) -> Bool {
      bytes.withUnsafeBytes { bytes in
        var start = 0
        for (at, block) in blocks.enumerated() {
          defer { start = block.end }
          let digest = at < digests.count ? digests[at] : nil
          guard body(block.index, UnsafeRawBufferPointer(rebasing: bytes[start..<block.end]), digest, block.clear)
          else { return false }
        }
        return true
      }
    }

    func removeAll() {
      if bytes.capacity > 1 << 20 { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
      blocks.removeAll(keepingCapacity: true)
      digests.removeAll(keepingCapacity: true)
    }
  }

  /// Receives each block once, in order. The digests are nil if no other thread has computed them.
  package typealias Body = (UInt32, UnsafeRawBufferPointer, BlockDigests?, [UInt8]?) -> Bool

  private let mostAtOnce: Int
  private var idle: [Worker] = []
  private var hashing: [(batch: Batch, worker: Worker)] = []
  private var held = 0
  private var filling = Batch()
  private var spare: Batch?
  private var isStopped = false

  package init(cores: Int = ThisProcess.cores()) { mostAtOnce = max(0, min(BlockHasher.mostWorkers, cores - 1)) }

  /// Adds a block and passes finished blocks to `body`.
  /// - Returns: false once `body` has returned false.
  package func add(
    _ index: UInt32, _ block: UnsafeRawBufferPointer, clear: [UInt8]?, _ body: Body
  ) -> Bool {
    guard !isStopped else { return false }
    if mostAtOnce == 0 {
      isStopped = !body(index, block, nil, clear)
      return !isStopped
    }
    filling.add(index, block, clear)
    return filling.bytes.count < BlockHasher.batchSize || handOut(body)
  }

  /// Hands the collected blocks to a thread. If all threads are busy, first waits for the oldest batch and passes its
  /// blocks on.
  private func handOut(_ body: Body) -> Bool {
    while !hashing.isEmpty, held + filling.bytes.count > BlockHasher.mostBytes {
      guard finish(waitForFirst(), body) else { return false }
    }
    let ready = hashing.count == mostAtOnce ? waitForFirst() : nil
    guard let worker = idle.popLast() ?? (try? Worker()) else {
      guard ready.map({ finish($0, body) }) ?? true else { return false }
      return drain(body)
    }
    let next = replaceFilling()
    held += next.bytes.count
    worker.start { next.hash() }
    hashing.append((next, worker))
    return ready.map { finish($0, body) } ?? true
  }

  private func replaceFilling() -> Batch {
    defer {
      filling = spare ?? Batch()
      spare = nil
    }
    return filling
  }

  private func waitForFirst() -> Batch {
    let first = hashing.removeFirst()
    first.worker.wait()
    idle.append(first.worker)
    held -= first.batch.bytes.count
    return first.batch
  }

  private func finish(_ batch: Batch, _ body: Body) -> Bool {
    if !isStopped { isStopped = !batch.forEach(body) }
    batch.removeAll()
    spare = batch
    return !isStopped
  }

  @discardableResult
  package func drain(_ body: Body) -> Bool {
    while !hashing.isEmpty { _ = finish(waitForFirst(), body) }
    return finish(replaceFilling(), body)
  }
}
