import SeaContainer
import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// A sync never deletes a valid file from any container. Exceptions are blocks with a purge order of their author or an
/// admin, and unreferenced assets.
@Suite(.serialized) struct KeptFilesTests {
  @Test(arguments: TestSeed.some(4)) func syncNeverDeletesValidFiles(_ seed: UInt64) throws {
    let history = try KeptFilesHistory(seed)
    for step in 0..<70 {
      try history.act()
      #expect(try history.lost() == [], "seed \(seed), step \(step)")
    }
    try history.settle()
    #expect(try history.lost() == [], "seed \(seed), at the end")
    #expect(try history.missing() == [], "seed \(seed), at the end")
  }

  /// A member stores a record that claims the size and SHA-256 of files next to the blocks, purges it, and syncs.
  @Test func purgedClaimToForeignContentDeletesNothing() throws {
    let world = try MemberWorld(sealed: false)
    let victim = try world.founder("victim", ["shared", "private"], members: false)
    try victim.put("r1", [("title", .string("one"))])
    let photo = try victim.addAsset("photo", Array("my photo".utf8))
    for folder in ["shared", "private"] { try victim.exchange(folder) }
    let thesis = Array("my thesis".utf8)
    for folder in ["shared", "private"] { try world.scratch.write("\(folder)/thesis.txt", thesis) }
    let evil = try world.newcomer("evil", ["shared"])
    let block = try world.scratch.bytes("shared/transactions/\(victim.instance)/1/1")
    for (n, content) in [thesis, Array("my photo".utf8), block].enumerated() {
      for (k, place) in ["\(evil.instance)/\(n)", "\(photo.place)"].enumerated() {
        let claim = AssetReference(
          place: place, mime: "text/plain", size: Int64(content.count), digest: SHA256.hash(content))
        try evil.put("mine-\(n)-\(k)", [("p", .asset(claim))])
      }
    }
    try evil.exchange("origin")
    for folder in ["shared", "private"] { try victim.exchange(folder) }
    for n in 0..<3 { for k in 0..<2 { _ = try evil.purge.run(.record("mine-\(n)-\(k)", keepsNow: false)) } }
    try evil.exchange("origin")
    for folder in ["shared", "private"] {
      let before = try world.scratch.files(folder).filter {
        !$0.contains("/heads/") && !$0.contains("\(evil.instance)")
      }
      let bytes = try before.map { try world.scratch.bytes($0) }
      try victim.exchange(folder)
      #expect(try before.map { try world.scratch.bytes($0) } == bytes)
    }
    #expect(try victim.content(photo) == Array("my photo".utf8))
  }
}

/// Members, a hostile member, a stranger and a copy of a machine that write, share assets, claim, purge, forge orders
/// and sync at random. The class also checks the files afterwards.
private final class KeptFilesHistory {
  private struct Key: Hashable {
    var folder: String
    var instance: UUID
    var index: UInt32
    var digest: Digest
  }

  private static let folders = ["team", "private"]
  private let world: MemberWorld
  private var random: SeededRandom
  private let alice: Database
  private let bob: Database
  private let mallory: Database
  private let stranger: Database
  private var twin: Database?
  private var number = 0
  /// Every complete block that was written, and the assets that it names.
  private var written: [Digest: [AssetRow]] = [:]
  /// Blocks with a purge order of their author or an admin.
  private var ordered: Set<Digest> = []
  private var purged: [AssetRow] = []
  /// Files with names outside of any layout: they must stay.
  private var foreign: [String: [UInt8]] = [:]
  private var before: (blocks: Set<Key>, assets: [String: [UInt8]]) = ([], [:])
  private var complaints: [String] = []

  init(_ seed: UInt64) throws {
    random = SeededRandom(seed)
    let world = try MemberWorld(sealed: false, inMemory: true)
    let alice = try world.founder("alice", ["team", "private"])
    try alice.exchange("team")
    let bob = try world.newcomer("bob", ["team", "private"])
    let mallory = try world.newcomer("mallory", ["team"])
    (self.world, self.alice, self.bob, self.mallory) = (world, alice, bob, mallory)
    stranger = try world.newcomer("stranger", ["team"])
    _ = try world.converge([alice, bob, mallory])
    for one in [bob, mallory] { try alice.authorize(one, as: .write) }
    _ = try world.converge([alice, bob, mallory])
  }

  private var honest: [Database] { [alice, bob] + (twin.map { [$0] } ?? []) }
  private var all: [Database] { honest + [mallory, stranger] }

  // MARK: - Actions

  func act() throws {
    number += 1
    switch Int.random(in: 0..<20, using: &random) {
    case 0, 1: try write(pick(honest), [("n", .integer(Int64(number)))])
    case 2, 3:
      // There are few contents, so others have them too.
      let content = Array("content \(Int.random(in: 0..<4, using: &random))".utf8)
      let (one, id) = (pick(honest), self.id())
      try trackBlocks(one) { _ = try one.addAsset(id, content) }
    case 4, 5: try name(pick(all))
    case 6, 7: try purge(pick(honest), id())
    case 8, 9: try claim(pick([mallory, stranger]))
    case 10: try purge(mallory, "m\(Int.random(in: 0..<6, using: &random))")
    case 11: try forge()
    case 12: try plant()
    case 13 where number > 20 && twin == nil: try copyMachine()
    default: try sync(pick(all))
    }
  }

  private func pick<T>(_ some: [T]) -> T { some.randomElement(using: &random)! }
  private func id() -> String { "r\(Int.random(in: 0..<6, using: &random))" }

  /// Notes the blocks that an instance writes before they can be purged.
  private func trackBlocks(_ database: Database, _ body: () throws -> Void) throws {
    do { try body() } catch is KitError {}
    for branch in try database.store.branches.branches() {
      for index in branch.first...branch.head.index {
        guard let row = try database.store.blocks.block(branch.id, index), !row.isRemoved, written[row.digest] == nil
        else { continue }
        written[row.digest] = try database.store.content.clearBytes(of: row).map { AssetTable.assets(in: $0) } ?? []
      }
    }
  }

  private func write(_ one: Database, _ properties: [(String, Value)]) throws {
    let id = id()
    try trackBlocks(one) { try one.put(id, properties) }
  }

  /// An instance names an asset of others.
  private func name(_ one: Database) throws {
    guard let asset = try one.allAssets().randomElement(using: &random) else { return }
    try write(one, [("a", .asset(asset.reference))])
  }

  /// Writes a record that claims the content of a container's file, at a place of its author or another instance.
  private func claim(_ one: Database) throws {
    guard let path = try files().randomElement(using: &random) else { return }
    let bytes = try world.scratch.bytes(path)
    let owner = pick(all).instance
    let place = Bool.random(using: &random) ? one.instance : owner
    let reference = AssetReference(
      place: "\(place)/\(Int.random(in: 0..<6, using: &random))", mime: "text/plain", size: Int64(bytes.count),
      digest: SHA256.hash(bytes))
    let id = "m\(Int.random(in: 0..<6, using: &random))"
    try trackBlocks(one) { try one.put(id, [("p", .asset(reference))]) }
  }

  private func purge(_ one: Database, _ id: String) throws {
    try trackBlocks(one) {
      guard try one.store.records.record(id) != nil else { return }
      let plan = try one.purge.plan(.record(id, keepsNow: Bool.random(using: &random)))
      let purged = try one.purge.run(plan.goal)
      for block in purged.plan.blocks where block.obstacle == nil {
        if one === mallory, block.row.instance != one.instance {
          complaints.append("a member purges a block of others")
        }
        order(block.row.digest, of: block.row.instance)
      }
    }
  }

  private func order(_ digest: Digest, of author: UUID) {
    ordered.insert(digest)
    purged += (written[digest] ?? []).filter { $0.extent.instance == author }
  }

  /// `mallory` or a stranger writes an order past the program: for its own block, for something that is not a block, or
  /// for others' blocks.
  private func forge() throws {
    let database = pick([mallory, mallory, stranger])
    guard
      let row = try database.store.blocks.appliedBlocks(of: pick(all).instance, after: 0).randomElement(using: &random),
      !row.isRemoved, let clear = try database.store.content.clearBytes(of: row),
      try database.store.content.header(of: row).mode.isDisjoint(with: .control)
    else { return }
    var block = row.ref
    if Bool.random(using: &random), let other = written.keys.sorted().randomElement(using: &random) {
      block.digest = other
    }
    let order = try PurgeOrder(block, clear: clear)
    if row.instance == database.instance, order.block.isSame(row.ref) { self.order(row.digest, of: row.instance) }
    try trackBlocks(database) {
      _ = try database.author.write { try $0.append(controls: [.purge(order)], label: "purge") }
      _ = try database.purge.emptying.run()
    }
  }

  /// Copies a file to a name that the container layout does not have.
  private func plant() throws {
    guard let path = try files().randomElement(using: &random) else { return }
    let folder = pick(KeptFilesHistory.folders)
    let names = [
      "\(path) (conflicted copy \(number))", "\(path).damaged-\(10_000_000 + number)", "\(folder)/file \(number)",
    ]
    let name = pick(names)
    let bytes = try world.scratch.bytes(path)
    try world.scratch.write(name, bytes)
    foreign[name] = bytes
  }

  private func copyMachine() throws {
    for name in try world.scratch.files("bob") {
      try world.scratch.write("twin" + name.dropFirst(3), world.scratch.bytes(name))
    }
    twin = try world.reopened("twin")
  }

  private func sync(_ one: Database) throws {
    for setting in try one.containers.settings() {
      before = try snapshot()
      try trackBlocks(one) { _ = try one.sync(setting, pick([.both, .both, .both, .push, .pull])) }
      try compare(one, setting.name)
    }
  }

  /// All instances sync until nothing changes.
  func settle() throws {
    for _ in 0..<4 {
      for one in all {
        for setting in try one.containers.settings() {
          before = try snapshot()
          try trackBlocks(one) { _ = try one.sync(setting, .both) }
          try compare(one, setting.name)
        }
      }
    }
  }

  // MARK: - Expectations

  private func files() throws -> [String] {
    try KeptFilesHistory.folders.flatMap { try world.scratch.files($0) }.filter { !$0.contains("/heads/") }
  }

  private func snapshot() throws -> (blocks: Set<Key>, assets: [String: [UInt8]]) {
    var (blocks, assets): (Set<Key>, [String: [UInt8]]) = ([], [:])
    for path in try files() {
      let folder = String(path.prefix { $0 != "/" })
      switch FilePlace(String(path.dropFirst(folder.utf8.count + 1))) {
      case .block(let branch, let index):
        let bytes = try world.scratch.bytes(path)
        let digest = SHA256.hash(bytes)
        if written[digest] != nil {
          blocks.insert(Key(folder: folder, instance: branch.instance, index: index, digest: digest))
        }
        if RemovedBlock(bytes) != nil, let whole = Digest(Array(bytes.suffix(Digest.size))), ordered.contains(whole) {
          blocks.insert(Key(folder: folder, instance: branch.instance, index: index, digest: whole))
        }
      case .asset: assets[path] = try world.scratch.bytes(path)
      default: break
      }
    }
    return (blocks, assets)
  }

  /// Notes the valid files that a sync has removed.
  private func compare(_ one: Database, _ name: String) throws {
    let after = try snapshot()
    for key in before.blocks.subtracting(after.blocks) {
      complaints.append("\(name): block \(key.instance)/\(key.index) is gone from \(key.folder)")
    }
    for (path, bytes) in before.assets where after.assets[path] != bytes {
      let folder = path.prefix { $0 != "/" }
      guard case .asset(let place) = FilePlace(String(path.dropFirst(folder.utf8.count + 1))) else { continue }
      let digest = SHA256.hash(bytes)
      let isOrdered = purged.contains { $0.extent.contains(place) && $0.digest == digest && $0.size == bytes.count }
      let isNamed =
        try one.store.assets.isNamed(place)
        || !one.store.assets.assets(size: Int64(bytes.count), digest: digest).isEmpty
      if !isOrdered || isNamed {
        complaints.append("\(name): asset \(path) is gone, ordered \(isOrdered), named \(isNamed)")
      }
    }
    for (path, bytes) in foreign where (try? world.scratch.bytes(path)) != bytes {
      complaints.append("\(name): \(path) is gone, or another")
    }
  }

  func lost() throws -> [String] { complaints }

  /// Assets that a revision names and an instance has, but that are missing in a container.
  func missing() throws -> [String] {
    let team = world.container("team")
    return try alice.allAssets().filter { asset in
      guard try alice.assets.here(asset) != nil else { return false }
      return try alice.assets.find(asset, in: team) == nil
    }.map { "\($0.extent)" }
  }
}
