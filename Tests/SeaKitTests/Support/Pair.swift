import SeaEngine
import SeaKit
import SeaTestSupport

/// Two instances of one database that exchange changes through a folder.
struct Pair {
  let scratch: ScratchFolder
  let one: SeaKit.Database
  let two: SeaKit.Database

  /// - Parameter password: of a sealed database; `two` is not told it.
  init(
    _ new: SeaKit.Database.NewDatabase = SeaKit.Database.NewDatabase(contentType: "org.example.test", name: "one"),
    password: String? = nil, filling fill: (SeaKit.Database) async throws -> Void = { _ in }
  ) async throws {
    scratch = try ScratchFolder(inMemory: true)
    var options = SeaKit.Database.Options()
    if let password { options.password = { password } }
    one = try await .create(in: scratch.path("one"), new, options)
    try await fill(one)
    let team = scratch.path("team")
    try Pair.withEngine(one) {
      _ = try $0.containers.add(ContainerSetting(name: "origin", location: team), create: true)
    }
    try Pair.sync(one)
    two = try await .clone(team, to: scratch.path("two"), name: "two")
  }

  /// What `one` has goes to `two`, and the other way.
  func sync(assets: Contents = .all) throws {
    for database in [one, two, one] { try Pair.sync(database, assets: assets) }
  }

  enum Contents { case all, none }

  static func sync(_ database: SeaKit.Database, assets: Contents = .all) throws {
    try withEngine(database) {
      let filter: AssetFilter = assets == .all ? .all : .none
      _ = try $0.exchange.sync($0.containers.setting("origin"), SyncOptions(.both, assets: filter))
    }
  }

  static func withEngine<Result>(
    _ database: SeaKit.Database, _ body: (SeaEngine.Database) throws -> Result
  ) throws -> Result {
    let engine = try SeaEngine.Database(path: database.path, .forWriting(lockWait: 10, command: "tests"))
    defer { engine.close() }
    return try body(engine)
  }
}
