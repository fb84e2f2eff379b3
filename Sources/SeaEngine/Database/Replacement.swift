import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// A new instance that is made beside a database and then takes its place.
///
/// The new `.sea` folder is complete before it is exchanged with the old one, in a single step of the file system. Until
/// then, the old database is unchanged, and a crash leaves only a temporary folder, which the next replacement removes.
package final class Replacement {
  private static let prefix = ".sea-replaced-"

  package let databaseID: UUID
  /// The real path of the `.sea` folder to replace.
  private let path: String
  private let contentType: String
  private let temporary: TemporaryFolder
  /// The folder with the new `.sea`, in the temporary folder.
  private let folder: String
  private let branches: [BlockRun]

  /// The number of blocks and of asset files that would be lost.
  package struct Loss: Sendable {
    package var blocks = 0
    /// The number of asset files.
    package var files = 0

    package var isNothing: Bool { blocks == 0 && files == 0 }
  }

  /// Clones the database in a container. Nothing is left if this fails.
  /// - Parameter path: the path of the `.sea` folder to replace.
  /// - Throws: the errors of `Database.clone`, and `stillIncomplete` or the first `Problem` if the container lacks
  ///   blocks or is damaged.
  package init(of path: String, from location: String, name: String, _ settings: Settings) throws {
    self.path = try Path.real(path)
    let parent = Path.parent(self.path)
    TemporaryFolder.removeAbandoned(in: parent, prefix: Replacement.prefix)
    temporary = try TemporaryFolder(aloneIn: parent, prefix: Replacement.prefix)
    folder = temporary.path(of: "new")
    var settings = settings
    // A database that waits for access cannot take the place of one that has its content.
    settings.requestsAccess = false
    let cloned = try Database.clone(location, to: folder, name: name, settings)
    let database = cloned.database
    defer { database.close() }
    if cloned.exchange.isIncomplete { throw KitError.stillIncomplete(path: location, what: .blocks) }
    try cloned.exchange.throwUnreadable()
    if let problem = cloned.exchange.problems.first(where: \.isDamage) { throw problem }
    databaseID = database.databaseID
    contentType = try database.contentType()
    branches = try database.store.branches.runs()
  }

  /// Exchanges the old instance for the new one, and removes the old one. Other processes that write to the old one
  /// wait, and then fail without having written anything.
  /// - Parameter permits: throws if the loss is not acceptable. Called while no one can write to the old database.
  /// - Throws: `otherContentType`, `replaced` if another process was faster, and EINVAL if the file system cannot
  ///   exchange folders. Nothing has changed then.
  package func exchange(for old: Database, permits: (Loss) throws -> Void) throws {
    // The folder must be gone when the caller continues, even after an error.
    defer { temporary.remove() }
    let have = try old.contentType()
    guard UTF8Text.equal(have, contentType) else {
      throw KitError.otherContentType(path: old.path, have: contentType, want: have)
    }
    try old.store.locked {
      if old.hasMoved { throw StoreError.replaced(path: old.path) }
      try permits(loss(of: old))
      let (folder, beside) = (try Directory(Path.parent(path)), try Directory(self.folder))
      try beside.synchronize()
      try folder.exchange(Path.name(path), with: Location.folderName, in: beside)
      try folder.synchronize()
      try beside.synchronize()
    }
  }

  /// Counts the blocks and files that neither the new instance nor a known container of the old one has. The first block
  /// of a chain does not count, because it only introduces the instance.
  private func loss(of old: Database) throws -> Loss {
    let settings = try old.containers.settings()
    var known = try settings.map { try old.containers.frontier(of: $0.name) }
    known.append(VersionVector())
    for run in branches { known[known.count - 1].raise(run.branch, to: run.last) }
    var loss = Loss()
    for run in try old.store.branches.runs() {
      loss.blocks +=
        known.map { vector in
          vector.missing(of: [run]).reduce(0) { $0 + $1.count - ($1.first == 0 ? 1 : 0) }
        }.min() ?? 0
    }
    loss.files =
      try (settings.isEmpty ? [""] : settings.map(\.name)).map {
        try old.assets.count(toPushTo: $0, AssetRule(.all))
      }.min() ?? 0
    return loss
  }
}
