import SeaCore
import SeaSystem

/// Two digests cover every block: that of its payload, and that of all of it. A second thread works out the latter: of a large block
/// while its owner works out the former, of small ones for many at once, while the owner looks at those before them.
///
/// A chain of few blocks starts no thread.
final class BlockHasher {
  private static let large = 1 << 16
  private static let batchSize = 1 << 18

  /// Blocks one after another.
  private final class Batch {
    var bytes: [UInt8] = []
    var blocks: [(index: UInt32, end: Int, clear: [UInt8]?)] = []
    var digests: [Digest] = []

    func add(_ index: UInt32, _ block: UnsafeRawBufferPointer, _ clear: [UInt8]?) {
      if bytes.isEmpty { bytes.reserveCapacity(BlockHasher.batchSize + BlockHasher.large) }
      bytes.append(contentsOf: block)
      blocks.append((index, bytes.count, clear))
    }

    func hash() {
      digests.reserveCapacity(blocks.count)
      forEach { _, block, _, _ in
        digests.append(SHA256.hash(block))
        return true
      }
    }

    @discardableResult
    func forEach(_ body: (UInt32, UnsafeRawBufferPointer, WholeDigest?, [UInt8]?) -> Bool) -> Bool {
      bytes.withUnsafeBytes { bytes in
        var start = 0
        for (at, block) in blocks.enumerated() {
          defer { start = block.end }
          let digest = at < digests.count ? WholeDigest.known(digests[at]) : nil
          guard body(block.index, UnsafeRawBufferPointer(rebasing: bytes[start..<block.end]), digest, block.clear)
          else { return false }
        }
        return true
      }
    }

    func removeAll() {
      bytes.removeAll(keepingCapacity: true)
      blocks.removeAll(keepingCapacity: true)
      digests.removeAll(keepingCapacity: true)
    }
  }

  /// Is given each block once, in order, with its digest if that is worked out elsewhere.
  typealias Body = (UInt32, UnsafeRawBufferPointer, WholeDigest?, [UInt8]?) -> Bool

  private var worker: Worker?
  private var filling = Batch()
  /// What the other thread is at.
  private var hashing: Batch?
  private var isStopped = false

  private func startedWorker() -> Worker? {
    if worker == nil { worker = try? Worker() }
    return worker
  }

  /// Takes a block, and hands over those that are ready.
  /// - Parameter clear: goes with it.
  /// - Returns: false from the time on when `body` has returned false.
  func add(
    _ index: UInt32, _ block: UnsafeRawBufferPointer, clear: [UInt8]?, _ body: Body
  ) -> Bool {
    guard !isStopped else { return false }
    if block.count >= BlockHasher.large {
      guard drain(body) else { return false }
      isStopped = !addLarge(index, block, clear, body)
      return !isStopped
    }
    filling.add(index, block, clear)
    guard filling.bytes.count >= BlockHasher.batchSize, let worker = startedWorker() else { return true }
    worker.wait()
    let (ready, next) = (hashing, filling)
    hashing = next
    worker.start { next.hash() }
    filling = ready ?? Batch()
    if let ready {
      isStopped = !ready.forEach(body)
      ready.removeAll()
    }
    return !isStopped
  }

  /// Hands over all that were taken.
  @discardableResult
  func drain(_ body: Body) -> Bool {
    worker?.wait()
    for batch in [hashing, filling] {
      if !isStopped, let batch { isStopped = !batch.forEach(body) }
    }
    hashing = nil
    filling.removeAll()
    return !isStopped
  }

  private func addLarge(
    _ index: UInt32, _ block: UnsafeRawBufferPointer, _ clear: [UInt8]?, _ body: Body
  ) -> Bool {
    guard let worker = startedWorker() else { return body(index, block, nil, clear) }
    let digest = Slot()
    worker.start { digest.value = SHA256.hash(block) }
    // The block's bytes are in use until then.
    defer { worker.wait() }
    let later = WholeDigest.later {
      worker.wait()
      return digest.value
    }
    return body(index, block, later, clear)
  }

  private final class Slot { var value = Digest.zero }
}
