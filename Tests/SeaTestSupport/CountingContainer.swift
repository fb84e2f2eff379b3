import SeaContainer
import SeaCore
import SeaSystem

package final class CountingContainer: PassingContainer {
  package private(set) var calls: [String: Int] = [:]
  package private(set) var blocksRead = 0
  package private(set) var blocksWritten = 0
  package private(set) var bytesRead = 0
  package private(set) var bytesWritten = 0
  package private(set) var assetBytesRead: Int64 = 0
  package private(set) var assetBytesWritten: Int64 = 0

  override func enter(_ call: String) { calls[call, default: 0] += 1 }

  package override func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    try super.readBlocks(of: chain, from: index) { index, bytes in
      blocksRead += 1
      bytesRead += bytes.count
      return try body(index, bytes)
    }
  }

  package override func writeBlocks(
    of chain: BranchID, from index: UInt32, _ next: () throws -> [UInt8]?
  ) throws -> Int {
    try super.writeBlocks(of: chain, from: index) {
      guard let block = try next() else { return nil }
      blocksWritten += 1
      bytesWritten += block.count
      return block
    }
  }

  package override func readAsset(
    _ place: AssetPlace, from offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    try super.readAsset(place, from: offset) { bytes in
      assetBytesRead += Int64(bytes.count)
      return try body(bytes)
    }
  }

  package override func writeAsset(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    try super.writeAsset(place, size: size) { offset, buffer in
      let count = try source(offset, buffer)
      assetBytesWritten += Int64(count)
      return count
    }
  }
}
