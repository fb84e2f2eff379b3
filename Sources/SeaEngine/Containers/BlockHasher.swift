import SeaCore
import SeaSystem

/// Two digests cover every block: that of its payload, and that of all of it. Blocks follow from one another, but their digests do not: the
/// other threads work them out, for many blocks at once, while the owner holds those before them to their chain. On two cores the one
/// other thread works out the second digest only, and of a large block while the owner works out the first one. On one core there is none.
///
/// A chain of few blocks starts no thread, and what is held is bounded, however many there are.
package final class BlockHasher {
  private static let large = 1 << 16
  private static let batchSize = 1 << 18
  /// So many bytes wait for their digests, and one block.
  private static let mostBytes = 64 << 20
  private static let mostWorkers = 15

  /// Blocks one after another.
  private final class Batch {
    var bytes: [UInt8] = []
    var blocks: [(index: UInt32, end: Int, clear: [UInt8]?)] = []
    var digests: [WholeDigest?] = []

    func add(_ index: UInt32, _ block: UnsafeRawBufferPointer, _ clear: [UInt8]?) {
      if bytes.isEmpty { bytes.reserveCapacity(BlockHasher.batchSize + BlockHasher.large) }
      bytes.append(contentsOf: block)
      blocks.append((index, bytes.count, clear))
    }

    /// - Parameter digest: works out the second one alone; nil if nobody else works out the first one.
    func hash(_ digest: ((UnsafeRawBufferPointer) -> Digest)?) {
      var digests: [WholeDigest?] = []
      digests.reserveCapacity(blocks.count)
      forEach { _, block, _, _ in
        digests.append(digest.map { .known($0(block)) } ?? BlockDigests(block).map { .both($0) })
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

  /// Is given each block once, in order, with its digests if they are worked out elsewhere.
  package typealias Body = (UInt32, UnsafeRawBufferPointer, WholeDigest?, [UInt8]?) -> Bool

  private let mostAtOnce: Int
  private let digest: (UnsafeRawBufferPointer) -> Digest
  private var idle: [Worker] = []
  /// What the other threads are at, the first blocks first.
  private var hashing: [(batch: Batch, worker: Worker)] = []
  private var held = 0
  private var filling = Batch()
  private var spare: Batch?
  private var isStopped = false

  /// - Parameters:
  ///   - cores: how many threads run at once, with the owner's.
  ///   - digest: what another thread does with a block of which the owner works out the first digest.
  package init(cores: Int = ThisProcess.cores(), digest: @escaping (UnsafeRawBufferPointer) -> Digest = SHA256.hash) {
    self.digest = digest
    mostAtOnce = max(0, min(BlockHasher.mostWorkers, cores - 1))
  }

  /// Takes a block, and hands over those that are ready.
  /// - Parameter clear: goes with it.
  /// - Returns: false from the time on when `body` has returned false.
  package func add(
    _ index: UInt32, _ block: UnsafeRawBufferPointer, clear: [UInt8]?, _ body: Body
  ) -> Bool {
    guard !isStopped else { return false }
    if mostAtOnce == 0 {
      isStopped = !body(index, block, nil, clear)
      return !isStopped
    }
    if mostAtOnce == 1, block.count >= BlockHasher.large {
      guard drain(body) else { return false }
      isStopped = !addLarge(index, block, clear, body)
      return !isStopped
    }
    filling.add(index, block, clear)
    return filling.bytes.count < BlockHasher.batchSize || handOut(body)
  }

  /// Has another thread begin with what was taken. Where all are busy the first of them is waited for, and what it has done is handed over
  /// when it has the next.
  private func handOut(_ body: Body) -> Bool {
    while !hashing.isEmpty, held + filling.bytes.count > BlockHasher.mostBytes {
      guard finish(takeFirst(), body) else { return false }
    }
    let ready = hashing.count == mostAtOnce ? takeFirst() : nil
    guard let worker = idle.popLast() ?? (try? Worker()) else {
      guard ready.map({ finish($0, body) }) ?? true else { return false }
      return drain(body)
    }
    let (next, digest) = (takeFilling(), mostAtOnce > 1 ? nil : digest)
    held += next.bytes.count
    worker.start { next.hash(digest) }
    hashing.append((next, worker))
    return ready.map { finish($0, body) } ?? true
  }

  /// Each batch is in one place: being filled, being hashed, being handed over, or spare.
  private func takeFilling() -> Batch {
    defer {
      filling = spare ?? Batch()
      spare = nil
    }
    return filling
  }

  private func takeFirst() -> Batch {
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

  /// Hands over all that were taken.
  @discardableResult
  package func drain(_ body: Body) -> Bool {
    while !hashing.isEmpty { _ = finish(takeFirst(), body) }
    return finish(takeFilling(), body)
  }

  private func addLarge(
    _ index: UInt32, _ block: UnsafeRawBufferPointer, _ clear: [UInt8]?, _ body: Body
  ) -> Bool {
    guard let worker = idle.last ?? (try? Worker()) else { return body(index, block, nil, clear) }
    if idle.isEmpty { idle.append(worker) }
    let (slot, digest) = (Slot(), digest)
    worker.start { slot.value = digest(block) }
    // The block's bytes are in use until then.
    defer { worker.wait() }
    let later = WholeDigest.later {
      worker.wait()
      return slot.value
    }
    return body(index, block, later, clear)
  }

  private final class Slot { var value = Digest.zero }
}
