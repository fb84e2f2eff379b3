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
  func missingBase(of manifest: BundleManifest) throws -> [MissingBase] {
    let names = try members.names()
    return try manifest.base.filter { base in
      if try store.blocks.block(base.block) != nil { return false }
      // What a branch leaves may come in the same bundle; whether it is that very block is seen when it is read.
      return !manifest.heads.contains { head in
        let start = manifest.base.first { $0.branch == head.branch }
        return head.branch.instance == base.branch.instance && head.branch != base.branch && head.index >= base.index
          && (start.map { $0.index < base.index } ?? true)
      }
    }.map { base in
      let instance = base.branch.instance
      return MissingBase(
        chain: base.branch.description, name: names[instance] ?? "", index: base.index,
        have: try store.blocks.chain(instance)?.head.index)
    }
  }

  /// Whether every block of a bundle is here.
  func hasAll(of manifest: BundleManifest) throws -> Bool {
    try manifest.heads.allSatisfy { try store.blocks.block($0.block) != nil }
  }
}
