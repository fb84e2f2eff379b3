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
  private let database: Database
  private let source: BundleSource
  /// What was begun and cannot be begun again.
  private var stream: BundleReader?

  /// Reads what the bundle says about itself.
  /// - Throws: `TransferError.bundle`; `mismatch` if it is of another database.
  package init(_ source: BundleSource, named name: String, in database: Database) throws {
    self.name = name
    self.source = source
    self.database = database
    let reader = try BundleFault.named(name) { try BundleReader(source, temporary: database.path) }
    manifest = try BundleFault.named(name) { try reader.manifest() }
    if case .stream = source { stream = reader }
    try database.check(manifest, named: name)
  }

  /// The blocks that have to be here before.
  package func missing() throws -> [MissingBase] { try database.missingBase(of: manifest) }

  /// Whether its blocks are here, as it says itself. Its assets may not be: who left them out did so on purpose.
  package func isKnown() throws -> Bool {
    // Who is in no chain yet may ask to be let in.
    try database.store.blocks.chain(manifest.from) != nil && database.hasAll(of: manifest)
  }

  /// Reads all of it and takes in nothing: whether it is as its manifest says, and that is one.
  /// - Throws: `TransferError.bundle`.
  package func check() throws {
    try BundleFault.named(name) {
      let reader = try stream ?? BundleReader(source, temporary: database.path)
      stream = nil
      _ = try reader.read(NoVisitor())
    }
  }

  /// The same for a file of which nothing is known.
  package static func check(_ source: BundleSource, named name: String, temporary: String) throws {
    try BundleFault.named(name) { _ = try BundleReader(source, temporary: temporary).read(NoVisitor()) }
  }

  /// Takes in everything, or nothing if anything of it is not as it should be.
  /// - Parameters:
  ///   - filter: which assets are taken in.
  ///   - restores: whether settings and hooks of a backup are.
  /// - Throws: `TransferError.bundle`, `baseMissing`, and `problem` for a chain that does not verify.
  package func run(assets filter: AssetFilter = .all, restores: Bool = false) throws -> Result {
    let lacking = try missing()
    guard lacking.isEmpty else { throw TransferError.baseMissing(name: name, lacking) }
    let folder = try database.temporaryFolder()
    defer { folder.remove() }
    var files: [BundleMember] = []
    let meter = WorkMeter(database.settings.report, .unpacking, name, of: manifest.bytes)
    var result = try BundleFault.named(name) {
      let reader = try stream ?? BundleReader(source, temporary: database.path)
      stream = nil
      let read = try reader.unpack(into: try Directory(folder.path), isWhole: filter.isAll) { member in
        meter?.add(Int(member.size))
        switch member.path {
        case .asset(let place):
          let isWanted = try !filter.isNone && !self.database.isNoted(place)
          if isWanted { files.append(member) }
          return isWanted
        case .backup: return restores
        default: return true
        }
      }
      return Result(digest: read.digest)
    }
    let container = DirectoryContainer(folder.path)
    result.exchange = try database.takeIn(bundle: container, named: name) {
      let taken = try database.adopt(files, filter, from: folder.path, named: name)
      (result.assets, result.assetBytes) = taken
    }
    if restores { result.restored = try database.restore(from: folder.path) }
    return result
  }
}

extension Database {
  /// Under this name a bundle is a container as long as it is being taken in. No container can be called so.
  private static let importName = "/import"

  /// Takes in an unpacked bundle in one transaction.
  /// - Parameter last: what else belongs into it.
  func takeIn(bundle container: Container, named name: String, _ last: () throws -> Void) throws -> SyncResult {
    try unlockForSync()
    var exchange = SyncResult()
    try store.write {
      try takeIn(from: container, named: Database.importName, into: &exchange)
      for at in exchange.problems.indices where exchange.problems[at].place == Database.importName {
        exchange.problems[at].place = name
      }
      if let problem = exchange.problems.first(where: { $0.isDamage }) {
        throw TransferError.problem(name: name, problem)
      }
      try store.peers.removeContainer(Database.importName)
      try last()
    }
    return exchange
  }

  /// What follows for this instance when bundles were taken in.
  /// - Returns: the conflicts that ended by themselves.
  package func settleImport(merges: Bool) throws -> [Merged] {
    try settleOwn()
    if try store.blocks.isForked(instance) {
      try beSole()
      store.unlock()
    }
    return merges ? try conflicts.merge() : []
  }
}
