import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport

/// Instances of one database and shared folders, for a test.
final class SyncWorld {
  let scratch: ScratchFolder
  let databaseID: UUID
  /// The proof of an encrypted database; no instance of the test is its founder.
  let proof: DatabaseProof?
  /// The key of the first epoch, if the database is encrypted.
  let key: EpochKey?
  /// Settings for opening databases. Without the copy guard's notes, a copy is only detected when it syncs.
  var settings: Database.Settings = {
    var settings = Database.Settings(access: .write)
    settings.patience = { 0 }
    return settings
  }()

  /// Whether databases are encrypted by default; tests with `.plainAndSealed` run with both values.
  @TaskLocal static var isSealed = false

  init(sealed: Bool = SyncWorld.isSealed, inMemory: Bool = false) throws {
    scratch = try ScratchFolder(inMemory: inMemory)
    let founder = try Ed25519.publicKey(seed: Random.bytes(32))
    key = try sealed ? EpochKey(number: 1, bytes: Random.bytes(EpochKey.size)) : nil
    proof = key.flatMap {
      DatabaseProof(founder: founder, contentType: "org.example.test", first: $0.digest, hasMembers: false)
    }
    databaseID = try proof?.database ?? UUID.random()
  }

  /// The sealing for a block of this world; nil if it is plain.
  func sealing() throws -> Sealing? {
    try key.map {
      Sealing(keys: KeyRing(proof!, keys: [$0]), key: $0, random: try Random.bytes(32))
    }
  }

  /// Creates an instance in a folder of its name. `of` selects another database, and `seed` makes it the same in every
  /// run.
  func instance(
    _ name: String, of id: UUID? = nil, contentType: String = "org.example.test", seed: UInt64? = nil,
    in folder: String? = nil
  ) throws -> Database {
    var creation = Database.Creation()
    creation.database = id ?? databaseID
    creation.proof = proof
    if id != nil, let key {
      let founder = try Ed25519.publicKey(seed: Random.bytes(32))
      creation.proof = DatabaseProof(founder: founder, contentType: contentType, first: key.digest, hasMembers: false)
    }
    creation.contentType = contentType
    creation.name = name
    if let seed {
      var random = SeededRandom(seed)
      creation.identity = try Identity(signingSeed: random.bytes(32), exchangeSeed: random.bytes(32))
    }
    creation.keys = key.map { [$0] }
    let made = try Database.create(in: scratch.path(folder ?? name), creation, settings)
    return try Database(path: made.path, settings)
  }

  func reopened(_ name: String) throws -> Database {
    try Database(path: Path.join(scratch.path(name), ".sea"), settings)
  }

  /// Attaches a folder to the instance, and creates the container if necessary.
  func attach(_ folder: String, to database: Database, readOnly: Bool = false) throws {
    var setting = ContainerSetting(name: folder, location: scratch.path(folder))
    setting.isReadOnly = readOnly
    _ = try database.containers.add(setting, create: true)
  }

  func container(_ folder: String) -> DirectoryContainer { DirectoryContainer(scratch.path(folder)) }

  /// The path of a block in a container.
  func blockPath(_ folder: String, _ instance: UUID, _ index: UInt32) -> String {
    "\(folder)/transactions/\(instance)/\(Layout.path(of: index))"
  }

  /// Creates an instance that has pushed a record to these folders, and a copy of it; neither knows of the other.
  func twins(_ folders: String...) throws -> (one: Database, copy: Database) {
    let first = try instance("one")
    for folder in folders { try attach(folder, to: first) }
    try first.put("a", [("n", .integer(1))])
    for folder in folders { try first.exchange(folder) }
    first.close()
    try copy("one", to: "copy")
    return try (reopened("one"), reopened("copy"))
  }

  /// Creates two instances that have synced a record `a` through the folder `team`; its text `SECRET text` is for
  /// purging.
  func holdersOfASecret() throws -> (desk: Database, lap: Database) {
    let (desk, lap) = (try instance("desk"), try instance("lap"))
    for one in [desk, lap] { try attach("team", to: one) }
    try desk.put("a", [("n", .integer(1)), ("v", .string("SECRET text"))])
    for one in [desk, lap, desk] { try one.exchange("team") }
    return (desk, lap)
  }

  /// Creates a chain of three changes in the folder `team` and a witness of it. Returns the path and the bytes of its
  /// last block.
  func witnessed(_ writer: Database, by witness: Database) throws -> (path: String, bytes: [UInt8]) {
    for n in 1...3 { try writer.put("a", [("n", .integer(Int64(n)))]) }
    try writer.exchange("team")
    try witness.exchange("team")
    try witness.put("b", [("n", .integer(1))])
    try witness.exchange("team")
    let last = blockPath("team", writer.instance, 3)
    return (last, try scratch.bytes(last))
  }

  /// Copies a folder, as a careless user would.
  func copy(_ from: String, to: String) throws {
    for name in try scratch.files(from) {
      try scratch.write(to + name.dropFirst(from.count), scratch.bytes(name))
    }
  }
}

extension Database {
  /// Writes one record in a separate block.
  func put(_ id: String, _ properties: [(String, Value)]) throws {
    let batch = WriteBatch(label: "put")
    try batch.addEdit(id, type: nil, .none, mustExist: false) { _ in .dictionary(Members(properties)) }
    _ = try records.write(batch)
  }

  func deleteRecord(_ id: String) throws {
    let batch = WriteBatch(label: "delete")
    batch.addDeletion(id, .none)
    _ = try records.write(batch)
  }

  /// The number in a record's property `n`; nil without one.
  func number(_ id: String) throws -> Int64? {
    guard let row = try store.records.record(id), !row.isDeleted, let leaf = try store.records.winner(of: row),
      let body = try store.records.body(of: leaf)
    else { return nil }
    let value = try body.withUnsafeBufferPointer { try Value.decode(body: $0) }
    guard case .integer(let number)? = value.members?["n"] else { return nil }
    return number
  }

  @discardableResult
  func exchange(_ container: String, _ direction: Direction = .both) throws -> SyncResult {
    try sync(containers.setting(container), direction)
  }

  /// The codes of the problems that a pull from a container finds.
  func pullCodes(_ container: Container, named name: String = "test") throws -> [Problem.Code] {
    var result = SyncResult()
    try exchange.pull(from: container, named: name, into: &result)
    return result.problems.map { $0.code }
  }
}
