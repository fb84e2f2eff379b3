import SeaContainer
import SeaCore
import SeaStore

extension Bundles {
  /// Throws `mismatch` for a bundle of another database or content type.
  func check(_ manifest: BundleManifest, named name: String) throws {
    guard manifest.database == folder.databaseID else {
      throw TransferError.mismatch(
        name: name, .database, have: manifest.database.description, want: folder.databaseID.description)
    }
    let type = try folder.contentType()
    guard UTF8Text.equal(manifest.contentType, type) else {
      throw TransferError.mismatch(name: name, .contentType, have: manifest.contentType, want: type)
    }
  }

  /// Returns the blocks that an import needs but that neither the store nor the bundle contains.
  /// - Parameter brought: the heads of the branches that have blocks in the bundle.
  func missingBase(of manifest: BundleManifest, bringing brought: [BundleHead]) throws -> [MissingBase] {
    try manifest.base.filter { base in
      if try store.blocks.block(base.block) != nil { return false }
      // The bundle itself may contain the base of a fork. Whether it is the right block turns out when the bundle is
      // read.
      return !brought.contains { head in
        let start = manifest.base.first { $0.branch == head.branch }
        return head.branch.instance == base.branch.instance && head.branch != base.branch && head.index >= base.index
          && (start.map { $0.index < base.index } ?? true)
      }
    }.map(missing)
  }

  func lacking(_ heads: [BundleHead]) throws -> [MissingBase] {
    try heads.filter { try store.blocks.block($0.block) == nil }.map(missing)
  }

  /// Returns a problem for each branch whose head the imported bundles list although the block is still missing.
  package func withheld(_ imported: [BundleImport]) throws -> [Problem] {
    // A pending instance has no blocks yet.
    guard try !folder.isPending() else { return [] }
    var last: [BranchID: (missing: MissingBase, name: String)] = [:]
    for bundle in imported {
      for one in try lacking(bundle.manifest.heads) where one.index >= last[one.branch]?.missing.index ?? 0 {
        last[one.branch] = (one, bundle.name)
      }
    }
    return last.values.sorted { $0.missing.branch < $1.missing.branch }.map {
      Problem(
        .withheld, place: $0.name, branch: $0.missing.branch, index: $0.missing.index,
        detail: $0.missing.have.map { String($0) } ?? "")
    }
  }

  private func missing(_ head: BundleHead) throws -> MissingBase {
    let instance = head.branch.instance
    return MissingBase(
      branch: head.branch, name: try members.names()[instance] ?? "", index: head.index,
      have: try store.branches.chain(instance)?.head.index)
  }
}
