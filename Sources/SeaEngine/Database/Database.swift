import SeaCore
import SeaStore
import SeaSystem

/// A database of records on this device: the place where store, keys and containers meet.
///
/// It opens a folder `.sea` and builds the rooms, each upon those below it. An object belongs to one thread. Several
/// processes may use one database at once: writers queue, readers never wait.
package final class Database {
  package let folder: SeaFolder
  package let members: Roster
  package let keychain: Keychain
  package let author: Author
  package let access: Access
  package let sharedSettings: SharedSettings
  package let records: Records
  package let queries: Queries
  package let indexes: Indexes
  package let history: History
  package let feed: Feed
  package let conflicts: Conflicts
  package let assets: Assets
  package let containers: Containers
  package let purge: Purge
  package let exchange: Exchange
  package let bundles: Bundles
  package let verification: Verification
  /// Whether a clone could leave its request to be let in where it came from.
  package internal(set) var leftRequest = false

  /// Opens the database in the folder `.sea` at `path`.
  package init(path: String, _ settings: Settings = Settings()) throws {
    folder = try SeaFolder(path: path, settings)
    members = Roster(folder)
    keychain = Keychain(folder, members)
    author = Author(folder, keychain, members)
    access = Access(author)
    sharedSettings = SharedSettings(author)
    records = Records(author)
    queries = Queries(records)
    indexes = Indexes(records, sharedSettings)
    conflicts = Conflicts(records, sharedSettings)
    history = History(conflicts)
    feed = Feed(history, queries)
    assets = Assets(records)
    containers = Containers(folder)
    purge = Purge(records, Emptying(assets))
    exchange = Exchange(access, conflicts, indexes, assets, containers, purge.emptying)
    bundles = Bundles(exchange)
    verification = Verification(exchange)
  }

  /// Ends the use of the database. Nothing that was acknowledged depends on it.
  package func close() { store.close() }

  /// Whether it was not closed yet.
  package var isOpen: Bool { store.isOpen }

  /// Whether another database, or none, lies where this one was opened.
  package var hasMoved: Bool { store.hasMoved }

  /// Runs `body` while nobody else writes: what is looked up is what is written upon. A database that is only read is not
  /// locked.
  package func locked<Result>(_ body: () throws -> Result) throws -> Result {
    try settings.access == .write ? store.locked(body) : body()
  }

  /// Runs `body` on one state of the database, whatever others write meanwhile.
  /// - Parameter moment: the state is what was known then; nil for now.
  package func atOneState<Result>(at moment: Moment? = nil, _ body: () throws -> Result) throws -> Result {
    try store.snapshot(at: moment, body)
  }
}
