import SeaCore
import SeaStore

extension Database {
  package struct Rebuilt: Sendable {
    package var blocks = 0
    /// Blocks that only a newer program can apply.
    package var unread = 0
    /// Whether the projection was another one before.
    package var changed = false
  }

  /// Forgets the projection and builds it anew from the chains, which are verified first.
  /// - Parameter dryRun: tells what would come of it and changes nothing.
  /// - Throws: the first `Problem` of a chain: nothing is built on what does not verify.
  package func rebuildProjection(dryRun: Bool) throws -> Rebuilt {
    if dryRun {
      return try store.snapshot {
        try rebuilt {
          (0, 0)
        } after: {
          try store.projection.expectedDigest()
        }
      }
    }
    return try store.locked {
      try rebuilt {
        try store.projection.renew()
      } after: {
        try store.projection.digest()
      }
    }
  }

  private func rebuilt(
    _ rebuild: () throws -> (blocks: Int, unread: Int), after: () throws -> Digest
  ) throws -> Rebuilt {
    var result = Rebuilt()
    try verification.verifyStore(
      { report in
        result.blocks += report.blocks
        if let problem = report.problem { throw problem }
      }, { _ in }, projection: false)
    let before: Digest?
    do { before = try store.projection.digest() } catch StoreError.damaged { before = nil }
    result.unread = try rebuild().unread
    result.changed = try after() != before
    return result
  }
}
