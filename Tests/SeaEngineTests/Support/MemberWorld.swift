import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport

/// A database with members, some of its instances, and shared folders.
final class MemberWorld {
  let scratch: ScratchFolder
  let isSealed: Bool
  let password = "correct horse"
  var rounds = Slot.roundBounds.lowerBound

  init(sealed: Bool, inMemory: Bool = false) throws {
    scratch = try ScratchFolder(inMemory: inMemory)
    isSealed = sealed
  }

  func settings(_ password: String? = nil, keepsKeys: Bool = true) -> Database.Settings {
    var settings = Database.Settings(access: .write)
    settings.password = { _ in password.map { Array($0.utf8) } }
    settings.rounds = rounds
    settings.keepsKeys = keepsKeys
    settings.patience = { 0 }
    return settings
  }

  /// Creates the founder and attaches the folders.
  func founder(_ name: String, _ folders: [String], members: Bool = true) throws -> Database {
    var creation = Database.Creation()
    creation.name = name
    creation.isSealed = isSealed
    creation.hasMembers = members
    let made = try Database.create(in: scratch.path(name), creation, settings(password))
    let database = try reopened(name, made.path)
    for folder in folders { try attach(folder, database) }
    return database
  }

  /// Clones a new instance from the first folder and attaches the others. In an encrypted database, it has requested
  /// access unless it knows the password.
  func newcomer(
    _ name: String, _ folders: [String], password: String? = nil, keepsKeys: Bool = true
  ) throws -> Database {
    let made = try Database.clone(
      scratch.path(folders[0]), to: scratch.path(name), name: name, settings(password, keepsKeys: keepsKeys))
    made.database.close()
    let database = try reopened(name)
    for folder in folders.dropFirst() { try attach(folder, database) }
    return database
  }

  /// Creates a founder and two authorized members that know of each other through one folder.
  func members(
    _ second: Role, _ third: Role, password: String? = nil
  ) throws -> (one: Database, two: Database, three: Database) {
    let one = try founder("one", ["team"])
    try one.exchange("team")
    let two = try newcomer("two", ["team"], password: password)
    let three = try newcomer("three", ["team"], password: password)
    _ = try converge([two, three, one])
    try one.authorize(two, as: second)
    try one.authorize(three, as: third)
    guard try converge([one, two, three]) == [] else { throw StoreError.defect("the members do not come to rest") }
    return (one, two, three)
  }

  func reopened(_ name: String, _ path: String? = nil, password: String? = nil) throws -> Database {
    try Database(path: path ?? Path.join(scratch.path(name), ".sea"), settings(password))
  }

  func attach(_ folder: String, _ database: Database) throws {
    _ = try database.containers.add(ContainerSetting(name: folder, location: scratch.path(folder)), create: true)
  }

  func container(_ folder: String) -> DirectoryContainer { DirectoryContainer(scratch.path(folder)) }

  /// Exchanges through all folders of the instances until nothing changes.
  /// - Returns: the problems of the last round, or nil if there is no end.
  func converge(_ all: [Database]) throws -> [Problem]? {
    for _ in 0..<12 {
      var moved = 0
      var problems: [Problem] = []
      for database in all {
        let before = try database.store.branches.branches().map(\.lamport).max()
        for setting in try database.containers.settings() {
          let exchange = try database.sync(setting, .both)
          moved += exchange.pulled + exchange.pushed
          problems += exchange.problems
        }
        if try database.store.branches.branches().map(\.lamport).max() != before { moved += 1 }
      }
      if moved == 0 { return problems }
    }
    return nil
  }
}

extension Database {
  /// The membership, on which all instances must agree.
  func memberText() throws -> [String] {
    try (members.membership()?.known ?? []).map {
      "\($0.instance) \($0.role.map { "\($0)" } ?? "-") \($0.cut) \($0.consideredBlocks) \($0.authority)"
    }
  }

  func authorize(_ other: Database, as role: Role) throws {
    _ = try access.authorize(other.access.ownCandidate(), as: role)
  }
}
