import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// A bundle that is to be taken in.
package final class BundleImport {
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
    let reader = try BundleFault.named(name) {
      try BundleReader(source, temporary: database.path)
    }
    manifest = try BundleFault.named(name) { try reader.manifest() }
    if case .stream = source { stream = reader }
    try database.check(manifest, named: name)
  }

  /// The blocks that have to be here before.
  package func missing() throws -> [MissingBase] { try database.missingBase(of: manifest) }

  /// Whether its blocks are here already, as it says.
  package func isKnown() throws -> Bool { try database.hasAll(of: manifest) }

  /// Takes in everything, or nothing if anything of it is not as it should be.
  /// - Throws: `TransferError.bundle`, `baseMissing`, and `problem` for a chain that does not verify.
  package func run() throws -> Exchange {
    let lacking = try missing()
    guard lacking.isEmpty else { throw TransferError.baseMissing(name: name, lacking) }
    let folder = try database.temporaryFolder()
    defer { folder.remove() }
    try BundleFault.named(name) {
      let reader = try stream ?? BundleReader(source, temporary: database.path)
      stream = nil
      try unpack(reader, into: folder)
    }
    return try database.takeIn(bundle: DirectoryContainer(folder.path), named: name)
  }

  private func unpack(_ reader: BundleReader, into folder: TemporaryFolder) throws {
  }
}

extension Database {
  /// Under this name a bundle is a container as long as it is being taken in. No container can be called so.
  private static let importName = "/import"

  /// Takes in an unpacked bundle in one transaction.
  func takeIn(bundle container: Container, named name: String) throws -> Exchange {
    try unlockForSync()
    var exchange = Exchange()
    defer { store.unlock() }
    try store.transaction {
      try takeIn(from: container, named: Database.importName, into: &exchange)
      for at in exchange.problems.indices where exchange.problems[at].place == Database.importName {
        exchange.problems[at].place = name
      }
      if let problem = exchange.problems.first(where: { $0.isDamage }) {
        throw TransferError.problem(name: name, problem)
      }
      try store.removeContainer(Database.importName)
    }
    return exchange
  }

  /// What follows for this instance when bundles were taken in.
  /// - Returns: the conflicts that ended by themselves.
  package func settleImport(merges: Bool) throws -> [Merged] {
    try settleOwn()
    if try !store.branches(of: instance).isEmpty {
      try beSole()
      store.unlock()
    }
    return merges ? try mergeConflicts() + mergeWithPrograms() : []
  }
}
