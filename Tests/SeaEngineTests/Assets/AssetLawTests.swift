import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing
import SeaStore

/// After any order of adding, dropping, fetching and syncing, with and without kills, all records are equal and all
/// acknowledged content is available everywhere.
@Suite(.plainAndSealed) struct AssetLawTests {
  @Test(arguments: TestSeed.some(8)) func everyHistoryConverges(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let world = try SyncWorld(inMemory: true)
    world.settings.assetFileSize = 100_000
    let folders = ["c", "d"]
    var names = ["one", "two", "three"]
    var all: [String: Database] = [:]
    for name in names {
      let database = try world.instance(name)
      for folder in folders { try world.attach(folder, to: database) }
      all[name] = database
    }
    var contents: [Digest: [UInt8]] = [:]
    for _ in 0..<60 {
      let database = all[names.randomElement(using: &random)!]!
      let setting = try database.containers.setting(folders.randomElement(using: &random)!)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        // There are few different contents, so several instances add the same one.
        let which = UInt64.random(in: 0..<12, using: &random)
        let content = randomContent(Int(which) * 22_000, which)
        let reference = try database.addAsset("r\(Int.random(in: 0..<6, using: &random))", content)
        contents[reference.digest] = content
      case 4:
        let id = "r\(Int.random(in: 0..<6, using: &random))"
        if let row = try database.store.records.record(id), row.live > 0 { try database.deleteRecord(id) }
      case 5:
        // The file is removed by hand if a container has it.
        for place in try database.assetFiles() where Bool.random(using: &random) {
          let size = try database.assets.files.assetSize(place)
          let isElsewhere = try folders.contains { try world.container($0).assetSize(place) == size }
          if isElsewhere { try database.assets.files.remove(place) }
        }
      case 6: _ = try database.sync(setting, .both, assets: AssetFilter("max-size=6000"))
      case 7: _ = try database.sync(setting, .both, assets: .all)
      default: _ = try database.sync(setting, .both)
      }
    }
    for round in 0..<3 {
      for name in names {
        for folder in folders {
          let database = all[name]!
          let exchange = try database.sync(database.containers.setting(folder), .both, assets: .all)
          // Content that was not pushed yet is reported.
          let problems = exchange.problems.filter { round == 2 || !$0.isOfAsset || $0.code != .incomplete }
          #expect(problems.isEmpty, "seed \(seed)")
        }
      }
      names.shuffle(using: &random)
    }
    let digest = try all["one"]!.store.projection.digest()
    for database in all.values {
      #expect(try database.store.projection.digest() == digest, "seed \(seed)")
      #expect(try database.store.projection.expectedDigest() == digest, "seed \(seed)")
      let rows = try database.allAssets()
      #expect(Set(rows.map(\.digest)) == Set(contents.keys), "seed \(seed)")
      for row in rows {
        #expect(try database.content(row.reference) == contents[row.digest], "seed \(seed)")
        for folder in folders {
          let state = try database.assets.find(row, in: world.container(folder)).map {
            try database.assets.verify($0, in: world.container(folder))
          }
          #expect(state == .good, "seed \(seed)")
        }
      }
      #expect(try database.drafts().isEmpty)
      database.close()
    }
  }
}
