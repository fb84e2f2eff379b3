import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// A bundle that is to be taken in.
package final class BundleImport {
  /// What came of it.
  package struct Result: Sendable {
    /// Which bundle it is: SHA-256 of its manifest.
    package var digest: Digest
    package var exchange = SyncResult()
    /// Files of assets that were not here before, and their bytes.
    package var assets = 0
    package var assetBytes: Int64 = 0
    package var restored = Restored()
  }

  /// What it is called in messages.
  package let name: String
  package let manifest: BundleManifest
  private let bundles: Bundles
  private let source: BundleSource
  private let promise: BundlePromise
  /// The heads of branches of which it has blocks.
  package let brought: [BundleHead]
  /// What was begun: it goes on behind the manifest, and cannot be begun again if it is a stream.
  private var begun: BundleReader?

  /// Reads what the bundle says about itself.
  /// - Throws: `TransferError.bundle`; `mismatch` if it is of another database.
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

  /// The blocks that have to be here before.
  package func missing() throws -> [MissingBase] { try bundles.missingBase(of: manifest, bringing: brought) }

  /// Whether its blocks are here, as it says itself. Its assets may not be, if somebody left them out on purpose; but of a bundle with
  /// nothing but assets they have to be.
  package func isKnown(_ filter: AssetFilter = .all) throws -> Bool {
    // Who is in no chain yet may ask to be let in.
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

  /// The bundle behind its manifest, read once; a file can be begun anew.
  private func reader() throws -> BundleReader {
    defer { begun = nil }
    return try begun ?? BundleReader(source, temporary: bundles.folder.path)
  }

  /// Reads all of it and takes in nothing: whether it is as its manifest says, and that is one.
  /// - Throws: `TransferError.bundle`.
  package func check() throws {
    try BundleFault.named(name) { _ = try reader().read(NoVisitor()) }
  }

  /// The same for a file of which nothing is known.
  package static func check(_ source: BundleSource, named name: String, temporary: String) throws {
    try BundleFault.named(name) { _ = try BundleReader(source, temporary: temporary).read(NoVisitor()) }
  }

  /// What is to be unpacked is held against the limit and the free space before anything of it is written. It can be no
  /// larger: each member ends where its line of the manifest says.
  private func checkSize(_ filter: AssetFilter, restores: Bool) throws {
    let needed = promise.rest + (filter.isNone ? 0 : promise.assets) + (restores ? promise.backup : 0)
    try BundleFault.named(name) {
      let most = try bundles.folder.settings.mostBundle()
      guard needed <= most else { throw TransferError.tooLarge(name: name, size: needed, most: most) }
      // A file takes a block of the file system at least, and some room is left for the database.
      try BundleFile.checkSpace(needed.addingReportingOverflow(16 << 20).partialValue, in: bundles.folder.path)
    }
  }

  /// The blocks of each chain end with its head, as the manifest says.
  private func checkEnds(_ place: ContainerPlace) throws {
    let heads = Dictionary(manifest.heads.map { ($0.branch, $0.block) }) { first, _ in first }
    for branch in try place.chains().chains {
      guard let last = try place.container.lastIndex(of: branch) else { continue }
      // What is no whole block is told when it is taken in.
      let digest = try place.link(branch, last)?.digest
      if heads[branch]?.index == last, digest == nil || digest == heads[branch]?.digest { continue }
      throw TransferError.problem(name: name, Problem(.gap, place: name, branch: branch, index: last &+ 1))
    }
  }

  /// Takes in everything, or nothing if anything of it is not as it should be.
  /// - Parameters:
  ///   - filter: which assets are taken in.
  ///   - restores: whether settings and hooks of a backup are.
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
    result.exchange = try bundles.takeIn(bundle: container, named: name) { problems in
      try bundles.checkHeads(brought, named: name, problems)
      let taken = try bundles.adopt(files, filter, from: folder.path, named: name)
      (result.assets, result.assetBytes) = taken
    }
    if restores { result.restored = try bundles.restore(from: folder.path) }
    return result
  }
}

extension Bundles {
  /// Under this name a bundle is a container as long as it is being taken in. No container can be called so.
  private static let importName = "/import"

  /// Takes in an unpacked bundle in one transaction.
  /// - Parameter last: what else belongs into it.
  func takeIn(bundle container: Container, named name: String, _ last: ([Problem]) throws -> Void) throws -> SyncResult
  {
    try exchange.unlockForSync()
    var result = SyncResult()
    try store.write {
      try exchange.takeIn(from: container, named: Bundles.importName, into: &result)
      try result.throwUnreadable()
      for at in result.problems.indices where result.problems[at].place == Bundles.importName {
        result.problems[at].place = name
      }
      // What was here before is no fault of the bundle.
      if let problem = result.problems.first(where: { $0.isDamage && $0.place == name }) {
        throw TransferError.problem(name: name, problem)
      }
      try store.peers.forget(Bundles.importName)
      try last(result.problems)
    }
    return result
  }

  /// What a manifest says to bring has come, but for what waits for a key.
  fileprivate func checkHeads(_ heads: [BundleHead], named name: String, _ problems: [Problem]) throws {
    let waiting = Set(problems.filter { $0.code == .noKey }.compactMap { $0.branch?.instance })
    for head in heads where !waiting.contains(head.branch.instance) {
      guard try store.blocks.block(head.block) == nil else { continue }
      let problem = Problem(.gap, place: name, branch: head.branch, index: head.index, detail: "the manifest names it")
      throw TransferError.problem(name: name, problem)
    }
  }

  /// What follows for this instance when bundles were taken in.
  /// - Parameter giveUp: told of records whose merge takes too much work, as `Conflicts.merge` says.
  /// - Returns: the conflicts that ended by themselves.
  package func followUp(merges: Bool, giveUp: (String?) -> Void = { _ in }) throws -> [Merged] {
    try exchange.followUp()
    try exchange.renewIfForked()
    return merges ? try exchange.conflicts.merge(giveUp: giveUp) : []
  }
}
