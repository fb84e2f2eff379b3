import SeaCore
import SeaContainer

/// Calls a closure after a reader has begun, but before the reader gets its first block.
package final class RacingContainer: PassingContainer {
  private var meanwhile: (() throws -> Void)?

  package init(_ inner: any Container, _ meanwhile: @escaping () throws -> Void) {
    self.meanwhile = meanwhile
    super.init(inner)
  }

  package override func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    if let now = meanwhile, index > 0 {
      meanwhile = nil
      try now()
    }
    return try super.readBlocks(of: chain, from: index, body)
  }
}
