import Glibc
import SeaContainer
import SeaCore
import SeaSystem

/// A container with injectable faults. Calls without a fault are forwarded.
package final class FaultyContainer: PassingContainer {
  package static let failure = ContainerError.system(SystemError(call: "fault", errno: 5, path: "faulty"))

  /// The number of calls that succeed before one call fails. Later calls succeed again. If nil, all calls succeed.
  package var callsBeforeFailure: Int?
  /// The number of blocks after which a write fails. The blocks are stored, but the writer cannot rely on them.
  package var blocksBeforeFailure: Int?
  /// A block that is incomplete. Only `have` bytes can be read.
  package var incomplete: (index: UInt32, have: Int)?
  /// The number of asset bytes after which reading or writing fails.
  package var assetBytesBeforeFailure: Int?
  /// The maximum size of the pieces in which assets are transferred.
  package var assetPiece: Int?
  /// The index of the first block that is not yet visible to readers. Later blocks are not visible, either.
  package var visible: UInt32?

  /// A block that cannot be read until it is quarantined.
  package var unreadable: (chain: BranchID, index: UInt32)?

  /// A block whose file cannot be moved.
  package var heldFast: (chain: BranchID, index: UInt32)?

  override func enter(_ call: String) throws(ContainerError) {
    guard let left = callsBeforeFailure else { return }
    callsBeforeFailure = left == 0 ? nil : left - 1
    if left == 0 { throw FaultyContainer.failure }
  }

  package override func lastIndex(of chain: BranchID) throws(ContainerError) -> UInt32? {
    let last = try super.lastIndex(of: chain)
    guard let visible, let last, last >= visible else { return last }
    return visible == 0 ? nil : visible - 1
  }

  package override func has(_ chain: BranchID, _ index: UInt32) throws(ContainerError) -> Bool {
    let there = try super.has(chain, index)
    return there && index < visible ?? .max
  }

  package override func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    var end: ReadEnd?
    let innerEnd = try super.readBlocks(of: chain, from: index) { index, bytes in
      if let unreadable, unreadable == (chain, index) { throw FaultyContainer.failure }
      if index >= visible ?? .max {
        end = .end(next: index)
        return false
      }
      if let incomplete, incomplete.index == index {
        let want = incomplete.have < BlockHeader.size ? BlockHeader.size : bytes.count
        end = .incomplete(index: index, have: incomplete.have, want: want)
        return false
      }
      return try body(index, bytes)
    }
    return end ?? innerEnd
  }

  package override func quarantine(_ chain: BranchID, _ index: UInt32, folded: Bool) throws(ContainerError) {
    if let there = heldFast, there == (chain, index) {
      throw .system(SystemError(call: "renameat2", errno: EPERM, path: "faulty"))
    }
    try super.quarantine(chain, index, folded: folded)
    if let there = unreadable, there == (chain, index) { unreadable = nil }
  }

  package override func writeBlocks(
    of chain: BranchID, from index: UInt32, _ next: () throws -> [UInt8]?
  ) throws -> Int {
    guard var left = blocksBeforeFailure else { return try super.writeBlocks(of: chain, from: index, next) }
    blocksBeforeFailure = nil
    _ = try super.writeBlocks(of: chain, from: index) {
      left -= 1
      return left < 0 ? nil : try next()
    }
    throw FaultyContainer.failure
  }

  package override func readAsset(
    _ place: AssetPlace, from offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    try super.readAsset(place, from: offset) { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = try rest.prefix(min(assetPiece ?? rest.count, room()))
        guard try body(UnsafeRawBufferPointer(rebasing: part)) else { return false }
        use(part.count)
        rest = rest.dropFirst(part.count)
      }
      return true
    }
  }

  package override func writeAsset(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    try super.writeAsset(place, size: size) { offset, buffer in
      let part = try buffer.prefix(min(assetPiece ?? buffer.count, room()))
      let count = try source(offset, UnsafeMutableRawBufferPointer(rebasing: part))
      use(count)
      return count
    }
  }

  private func room() throws -> Int {
    guard let left = assetBytesBeforeFailure else { return .max }
    guard left > 0 else {
      assetBytesBeforeFailure = nil
      throw FaultyContainer.failure
    }
    return left
  }

  private func use(_ count: Int) { assetBytesBeforeFailure = assetBytesBeforeFailure.map { $0 - count } }
}
