import SeaContainer
import SeaCore
import SeaStore

extension Bundles {
  /// Whether a bundle is of this database.
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

  /// The blocks that a bundle starts behind and that are neither here nor in it.
  /// - Parameter brought: its heads in branches of which it has blocks.
  func missingBase(of manifest: BundleManifest, bringing brought: [BundleHead]) throws -> [MissingBase] {
    try manifest.base.filter { base in
      if try store.blocks.block(base.block) != nil { return false }
      // What a branch leaves may come in the same bundle; whether it is that very block is seen when it is read.
      return !brought.contains { head in
        let start = manifest.base.first { $0.branch == head.branch }
        return head.branch.instance == base.branch.instance && head.branch != base.branch && head.index >= base.index
          && (start.map { $0.index < base.index } ?? true)
      }
    }.map(missing)
  }

  /// The heads among some that are not here.
  func lacking(_ heads: [BundleHead]) throws -> [MissingBase] {
    try heads.filter { try store.blocks.block($0.block) == nil }.map(missing)
  }

  /// What bundles that were taken in name and that is not here: of each branch the last block that one of them knows of.
  package func withheld(_ taken: [BundleImport]) throws -> [Problem] {
    // Who waits to be let in has nothing yet.
    guard try !folder.isPending() else { return [] }
    var last: [BranchID: (missing: MissingBase, name: String)] = [:]
    for bundle in taken {
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
