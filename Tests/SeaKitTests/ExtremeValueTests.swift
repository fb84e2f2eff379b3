import SeaKit
import Testing

/// What no program may be ended by.
@Suite struct ExtremeValueTests {
  private let database: Database

  init() async throws { database = try await .inMemory() }

  @Test(arguments: [3, 200, 6000])
  func tooDeepValueIsRefused(_ depth: Int) async throws {
    var value = Value.integer(1)
    for _ in 0..<depth { value = .array([value]) }
    let record = Record(type: "t", id: "r", ["deep": value])
    if depth == 3 {
      try await database.save(record)
      return
    }
    let error = try await failure { [database] in try await database.save(record) }
    #expect(error.code == .badData && error.details["path"] == "deep")
  }

  struct Nest: Codable, Sendable { var inner: [Nest] = [] }
  struct Deep: SeaRecord {
    static let recordType = "deep"
    var id = "d"
    var nest = Nest()
  }

  @Test func tooDeepStructIsRefused() async throws {
    var deep = Deep()
    for _ in 0..<2000 { deep.nest = Nest(inner: [deep.nest]) }
    let saved = deep
    let failure1 = try await failure { [database] in try await database.save(saved) }
    #expect(failure1.code == .badData)
  }

  @Test func counterSaturatesAndOverflowIsRefused() async throws {
    var far = Bird(id: "a", name: "wren")
    far.seen += .max
    far.seen += 1
    #expect(far.seen.value == .max)
    let tooFar = far
    let error = try await failure { [database] in try await database.save(tooFar) }
    #expect(error.code == .badData && error.details["path"] == "seen")
    var back = Counter(0)
    back -= .min
    #expect(back.value == .max)
    back = Counter(1)
    back += .max
    #expect(back.value == .max)
    var record = Record(type: "t", id: "r", ["n": .counter(.max)])
    record.add(1, to: "n")
    #expect(record["n"] == .counter(.max))
    record.add(-1, to: "n")
  }

  @Test func longestSyncIntervalDoesNotTrap() async throws {
    let sync = database.automaticSync(every: .seconds(Int64.max))
    await sync.start()
    try await Task.sleep(for: .milliseconds(200))
    await sync.stop()
  }

  @Test(arguments: [0, -1] as [Int64])
  func invalidVolumeSizeIsRefused(_ size: Int64) async throws {
    var options = Database.Bundles.ExportOptions()
    options.volumeSize = size
    let chosen = options
    let error = try await failure { [database] in
      try await database.bundles.export(to: database.path + "/bundle", chosen)
    }
    #expect(error.code == .usage)
  }
}
