import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

package final class BundleImport {
  package struct Result: Sendable {
    package var digest: Digest
    package var exchange = SyncResult()
    /// The number of new asset files, and their total size in bytes.
    package var assets = 0
    package var assetBytes: Int64 = 0
    package var restored = Restored()
  }

  package let name: String
  package let manifest: BundleManifest
  private let bundles: Bundles
  private let source: BundleSource
  private let promise: ManifestSummary
  /// The heads of the branches that have blocks in the bundle.
  package let brought: [BundleHead]
  /// The reader, positioned after the manifest. It is kept because a stream cannot be opened a second time.
  private var begun: BundleReader?

  /// - Throws: `TransferError.bundle`; `mismatch` for a bundle of another database.
  package init(_ source: BundleSource, named name: String, in bundles: Bundles) throws {
    self.name = name
    self.source = source
    self.bundles = bundles
    let reader = try BundleFault.named(name) { try BundleReader(source, temporary: bundles.folder.path) }
    (manifest, brought) = try BundleFault.named(name) {
      let manifest = try reader.manifest()
      let branches = reader.promise.branches
      return (manifest, manifest.heads.filter { branches.contains($0.branch) })
    }
    begun = reader
    promise = reader.promise
    try bundles.check(manifest, named: name)
  }

  package func missing() throws -> [MissingBase] { try bundles.missingBase(of: manifest, bringing: brought) }

  /// Returns whether the bundle contains nothing new. Assets that are missing locally count as new only if the bundle
  /// has no blocks.
  package func isKnown(_ filter: AssetFilter = .all) throws -> Bool {
    // If there is no local chain of the sender, the sender may be requesting access.
    guard try bundles.store.branches.chain(manifest.from) != nil, try bundles.lacking(brought).isEmpty else {
      return false
    }
    guard brought.isEmpty, !filter.isNone else { return true }
    var isKnown = true
    try begun?.forEachPromised { member in
      if case .asset(let place) = member.path, try !bundles.isNoted(place) { isKnown = false }
    }
    return isKnown
  }

  /// The first call returns the reader that is already open. Later calls open the file again.
  private func reader() throws -> BundleReader {
    defer { begun = nil }
    return try begun ?? BundleReader(source, temporary: bundles.folder.path)
  }

  /// Verifies the whole bundle against its manifest without importing anything.
  /// - Throws: `TransferError.bundle`.
  package func check() throws {
    try BundleFault.named(name) { _ = try reader().read(NoVisitor()) }
  }

  package static func check(_ source: BundleSource, named name: String, temporary: String) throws {
    try BundleFault.named(name) { _ = try BundleReader(source, temporary: temporary).read(NoVisitor()) }
  }

  /// Checks the unpacked size before anything is written. A bundle cannot turn out larger than its manifest says.
  private func checkSize(_ filter: AssetFilter, restores: Bool) throws {
    let needed = promise.rest + (filter.isNone ? 0 : promise.assets) + (restores ? promise.backup : 0)
    try BundleFault.named(name) {
      let most = try bundles.folder.settings.mostBundle()
      guard needed <= most else { throw TransferError.tooLarge(name: name, size: needed, most: most) }
      // The extra space is for partly filled file system blocks and for the database.
      try BundleFile.checkSpace(needed.addingReportingOverflow(16 << 20).partialValue, in: bundles.folder.path)
    }
  }

  private func checkEnds(_ place: ContainerPlace) throws {
    let heads = Dictionary(manifest.heads.map { ($0.branch, $0.block) }) { first, _ in first }
    for branch in try place.chains().chains {
      guard let last = try place.container.lastIndex(of: branch) else { continue }
      // The import itself reports incomplete blocks.
      let digest = try place.link(branch, last)?.digest
      if heads[branch]?.index == last, digest == nil || digest == heads[branch]?.digest { continue }
      throw TransferError.problem(name: name, Problem(.gap, place: name, branch: branch, index: last &+ 1))
    }
  }

  /// Imports the whole bundle, or nothing if any part of it is invalid.
  /// - Parameter restores: whether to restore settings and hooks if the bundle is a backup.
  /// - Throws: `TransferError.bundle`, `baseMissing`, and `problem` for a chain that does not verify.
  package func run(assets filter: AssetFilter = .all, restores: Bool = false) throws -> Result {
    let lacking = try missing()
    guard lacking.isEmpty else { throw TransferError.baseMissing(name: name, lacking) }
    try checkSize(filter, restores: restores)
    let folder = try bundles.folder.temporaryFolder()
    defer { folder.remove() }
    var files: [BundleMember] = []
    let meter = WorkMeter(bundles.folder.settings.report, .unpacking, name, of: manifest.bytes)
    var result = try BundleFault.named(name) {
      let reader = try reader()
      let read = try reader.unpack(into: try Directory(folder.path), isWhole: filter.isAll) { member in
        meter?.add(Int(member.size))
        try self.bundles.folder.settings.checkStop()
        switch member.path {
        case .asset(let place):
          let isWanted = try !filter.isNone && !self.bundles.isNoted(place)
          if isWanted { files.append(member) }
          return isWanted
        case .backup: return restores
        default: return true
        }
      }
      return Result(digest: read.digest)
    }
    let container = DirectoryContainer(folder.path)
    try checkEnds(ContainerPlace(container, named: name))
    result.exchange = try bundles.importBundle(in: container, named: name) { problems in
      try bundles.checkHeads(brought, named: name, problems)
      let adopted = try bundles.adopt(files, filter, from: folder.path, named: name)
      (result.assets, result.assetBytes) = adopted
    }
    if restores { result.restored = try bundles.restore(from: folder.path) }
    return result
  }
}

extension Bundles {
  /// The name of the container during an import. A real container cannot have this name.
  private static let importName = "/import"

  /// Imports an unpacked bundle in one transaction.
  /// - Parameter last: runs at the end of the transaction.
  func importBundle(in container: Container, named name: String, _ last: ([Problem]) throws -> Void) throws
    -> SyncResult
  {
    try exchange.unlockForSync()
    var result = SyncResult()
    try store.write {
      try exchange.importBlocks(from: container, named: Bundles.importName, into: &result)
      try result.throwUnreadable()
      for at in result.problems.indices where result.problems[at].place == Bundles.importName {
        result.problems[at].place = name
      }
      // Problems that existed before the import are not the bundle's fault.
      if let problem = result.problems.first(where: { $0.isDamage && $0.place == name }) {
        throw TransferError.problem(name: name, problem)
      }
      try store.peers.forget(Bundles.importName)
      try last(result.problems)
    }
    return result
  }

  fileprivate func checkHeads(_ heads: [BundleHead], named name: String, _ problems: [Problem]) throws {
    let waiting = Set(problems.filter { $0.code == .noKey }.compactMap { $0.branch?.instance })
    for head in heads where !waiting.contains(head.branch.instance) {
      guard try store.blocks.block(head.block) == nil else { continue }
      let problem = Problem(.gap, place: name, branch: head.branch, index: head.index, detail: "the manifest lists it")
      throw TransferError.problem(name: name, problem)
    }
  }

  /// - Parameter giveUp: called for records that take too much work to merge, as in `Conflicts.merge`.
  /// - Returns: the records that were merged automatically.
  package func followUp(merges: Bool, giveUp: (String?) -> Void = { _ in }) throws -> [Merged] {
    try exchange.followUp()
    try exchange.renewIfForked()
    return merges ? try exchange.conflicts.merge(giveUp: giveUp) : []
  }
}
