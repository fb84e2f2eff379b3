import SeaCore
import SeaStore

/// A block of a run that verifies, and what it says if that can be read.
struct ReadBlock {
  let block: VerifiedRun.Block
  let content: BlockContent

  init(_ block: VerifiedRun.Block, _ keys: KeyRing?) {
    self.block = block
    content = block.bytes.withUnsafeBytes { BlockReader.content(of: $0, of: block.ref.instance, keys: keys) }
  }

  func withBlock(_ body: (inout VerifiedBlock) throws -> ApplyResult) throws -> ApplyResult {
    try VerifiedBlock.with(block.bytes, block.header, block.ref, content, body)
  }
}
