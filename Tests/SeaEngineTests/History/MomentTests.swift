import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

@Suite struct MomentTests {
  private static let ids = ["x", "y"]

  /// A record as shown and its state; nil if it is unknown.
  private func text(_ row: RecordRow, _ view: RecordView) throws -> String {
    try "\(json(view)) \(row.type ?? "-") \(row.leaves) \(row.live) \(row.conflict)"
  }

  private func json(_ view: RecordView) throws -> String {
    var writer = ByteWriter()
    try view.writeJSON(.compact, into: &writer)
    return String(decoding: writer.array(), as: UTF8.self)
  }

  private func now(_ database: Database) throws -> [String?] {
    try MomentTests.ids.map { id in
      try database.store.records.record(id).flatMap { try $0.leaves == 0 ? nil : text($0, database.records.view($0)) }
    }
  }

  private func then(_ database: Database, _ moment: Moment) throws -> [String?] {
    try MomentTests.ids.map { id in
      try database.store.records.record(id).flatMap { try database.records.past($0, at: moment) }.map {
        try text($0.row, database.records.view($0))
      }
    }
  }

  private func work(_ database: Database, _ random: inout SeededRandom) throws {
    let id = MomentTests.ids.randomElement(using: &random)!
    let row = try? database.records.find(id)
    switch Int.random(in: 0..<10, using: &random) {
    case 0 where row?.isDeleted == false: try database.delete(id)
    case 1 where row?.conflict ?? .none != .none:
      _ = try database.conflicts.resolve([id], .winner, label: "resolve")
    default:
      let n = Int64.random(in: 0..<20, using: &random)
      let batch = WriteBatch(label: "work")
      try batch.addEdit(id, type: n % 4 == 3 ? "t" : nil, .none, mustExist: false) { old in
        var members = old?.members ?? Members()
        switch n % 3 {
        case 0: members["n"] = .integer(n)
        case 1: members["c"] = .counterDraft(Int128(n))
        default: members["s"] = .setDraft([.integer(n % 5)])
        }
        return .dictionary(members)
      }
      _ = try database.records.write(batch)
    }
  }

  /// Later arrivals do not change the state at a point in time.
  @Test(arguments: TestSeed.some(12)) func pastStateNeverChanges(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(3)
    var states: [(k: Int, moment: Moment, told: [String?])] = []
    func addStates() throws {
      for (k, one) in group.instances.enumerated() { states.append((k, try one.history.now(), try now(one))) }
    }
    try addStates()
    for _ in 0..<30 {
      if Int.random(in: 0..<4, using: &random) == 0 {
        try group.exchange(Int.random(in: 0..<2, using: &random) == 0 ? [0, 1] : nil, merging: seed % 2 == 0)
      } else {
        try work(group[Int.random(in: 0..<3, using: &random)], &random)
      }
      try addStates()
    }
    for state in states { #expect(try then(group[state.k], state.moment) == state.told) }
    // A scan finds the same as single lookups.
    for state in states.suffix(12) {
      var seen: [String] = []
      var all = RecordFilter()
      all.withDeleted = true
      try group[state.k].store.records.forEachRecord(all, at: state.moment) { past in
        seen.append(try text(past.row, group[state.k].records.view(past)))
        return true
      }
      #expect(seen == state.told.compactMap { $0 })
    }
  }

  /// Between two points in time, exactly the records with another visible state differ.
  @Test(arguments: TestSeed.some(6)) func differenceListsExactlyChangedRecords(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(2)
    var moments: [Moment] = [try group[0].history.now()]
    for _ in 0..<20 {
      try work(group[Int.random(in: 0..<2, using: &random)], &random)
      if Int.random(in: 0..<3, using: &random) == 0 { try group.exchange() }
      moments.append(try group[0].history.now())
    }
    func bodies(_ moment: Moment) throws -> [String?] {
      try MomentTests.ids.map { id in
        guard let row = try group[0].store.records.record(id), let past = try group[0].records.past(row, at: moment),
          past.winner?.kind == .put
        else { return nil }
        let view = try group[0].records.view(past)
        guard let body = view.body else { return nil }
        return try (view.type ?? "-") + body.withUnsafeBufferPointer { try Value.decode(body: $0).json() }
      }
    }
    for _ in 0..<20 {
      let (a, b) = (moments.randomElement(using: &random)!, moments.randomElement(using: &random)!)
      let (before, after) = (try bodies(a), try bodies(b))
      var changed: Set<String> = []
      try group[0].history.forEachRecord(from: a, to: b) { old, new in
        let isThere = (old?.winner?.kind == .put, new?.winner?.kind == .put)
        if try !group[0].history.difference(from: old, to: new).isEmpty || isThere.0 != isThere.1 {
          changed.insert((old ?? new)!.row.id)
        }
      }
      let want = zip(MomentTests.ids, zip(before, after)).filter { $1.0 != $1.1 }.map(\.0)
      #expect(changed == Set(want))
    }
  }

  /// A block belongs to a type if it has a change of that type.
  @Test(arguments: TestSeed.some(4)) func blockMatchesTypesOfItsChanges(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(2)
    for _ in 0..<40 {
      try work(group[Int.random(in: 0..<2, using: &random)], &random)
      if Int.random(in: 0..<4, using: &random) == 0 { try group.exchange() }
    }
    var seen = 0
    let history = group[0].history
    try history.forEachTransaction(of: nil) { block in
      for type in ["t", "", "tt"] {
        var changes = 0
        try history.forEachChange(of: block, type: type, withValues: false) { _ in changes += 1 }
        #expect(try history.touches(block, type: type) == (changes > 0))
        seen += changes
      }
      return true
    }
    #expect(seen > 0)
  }

  /// The log visits every block once, the latest first.
  @Test(arguments: TestSeed.some(4)) func logIsInOrderOfTime(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(3)
    for _ in 0..<40 {
      try work(group[Int.random(in: 0..<3, using: &random)], &random)
      if Int.random(in: 0..<4, using: &random) == 0 { try group.exchange(merging: true) }
    }
    var blocks: [BlockRow] = []
    try group[0].history.forEachTransaction(of: nil) {
      blocks.append($0)
      return true
    }
    #expect(try Int64(blocks.count) == group[0].store.blocks.lastSequence())
    for (later, earlier) in zip(blocks, blocks.dropFirst()) { #expect(earlier.isBefore(later), "seed \(seed)") }
  }

  /// An operation has the same point in time by its number and in the list. The log of that time has the operations up
  /// to it.
  @Test(arguments: TestSeed.some(3)) func pastLogEndsAtItsOperation(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(2)
    for _ in 0..<30 {
      try work(group[Int.random(in: 0..<2, using: &random)], &random)
      if Int.random(in: 0..<4, using: &random) == 0 { try group.exchange(merging: true) }
    }
    let history = group[0].history
    var count = 0
    while let one = try? history.operation(.number(count)) {
      let moment = try history.moment(.number(count))
      #expect(moment == Moment(after: one.block.sequence))
      for instance in [nil, group[0].instance, group[1].instance] {
        var (then, all): ([Int64], [Int64]) = ([], [])
        try history.forEachTransaction(of: instance, until: moment) {
          then.append($0.sequence)
          return true
        }
        try history.forEachTransaction(of: instance) {
          all.append($0.sequence)
          return true
        }
        #expect(then == all.filter { $0 <= moment.sequence } && !all.isEmpty)
      }
      count += 1
    }
    #expect(count > 5)
    #expect(throws: KitError.self) { try history.moment(.number(count)) }
  }

  /// A time refers to the local clock: the last block that had arrived.
  @Test func timeRefersToLocalClock() throws {
    let scratch = try ScratchFolder(inMemory: true)
    var creation = Database.Creation()
    creation.name = "i"
    let time = Counter()
    var settings = Database.Settings(access: .write)
    settings.clock = { 1_700_000_000_000 + time.value * 1000 }
    let place = try Database.create(in: scratch.path("a"), creation, settings)
    let database = try Database(path: place.path, settings)
    defer { database.close() }
    for n in 1...20 {
      time.value = Int64(n * 10)
      try database.put(#"{"_id":"x","n":\#(n)}"#)
    }
    func value(_ seconds: Int64) throws -> String? {
      let moment = try database.history.moment(.time(1_700_000_000_000 + seconds * 1000, "then"))
      let row = try #require(try database.store.records.record("x"))
      return try database.records.past(row, at: moment).map { try json(database.records.view($0)) }
    }
    #expect(try value(9) == nil)
    for n in 1...20 {
      #expect(try value(Int64(n * 10))?.contains("\"n\":\(n)}") == true)
      #expect(try value(Int64(n * 10 + 9))?.contains("\"n\":\(n)}") == true)
    }
    #expect(try value(100_000)?.contains("\"n\":20}") == true)
    #expect(try database.history.moment(.number(0)) == database.history.now())
  }

  /// A clock that runs backwards changes no answer about a recorded point in time.
  @Test(arguments: TestSeed.some(8)) func backwardClockChangesNoPastMoment(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let scratch = try ScratchFolder(inMemory: true)
    let time = Counter()
    time.value = 50
    var settings = Database.Settings(access: .write)
    settings.clock = { time.value }
    let place = try Database.create(in: scratch.path("a"), .init(), settings)
    let database = try Database(path: place.path, settings)
    defer { database.close() }
    func answers(_ database: Database, below end: Int64) throws -> [Moment] {
      try (0..<end).map { try database.history.moment(.time($0, "then")) }
    }
    var greatest: Int64 = 50
    for n in 0..<40 {
      time.value = max(0, time.value + Int64.random(in: -20...30, using: &random))
      let before = try answers(database, below: greatest)
      try database.put(#"{"_id":"x","n":\#(n)}"#)
      #expect(try answers(database, below: greatest) == before)
      greatest = max(greatest, time.value)
      #expect(try database.history.moment(.time(greatest, "then")) == database.history.now())
    }
  }

  private final class Counter: @unchecked Sendable { var value: Int64 = 0 }
}
