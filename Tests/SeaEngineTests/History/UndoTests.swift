import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

@Suite struct UndoTests {
  private static let ids = ["a", "b", "c", "d", "e"]

  /// The existing records as shown, by id.
  private func state(_ database: Database) throws -> [String: String] {
    var state: [String: String] = [:]
    for id in UndoTests.ids {
      guard let row = try database.store.records.record(id), let leaf = try database.store.records.winner(of: row)
      else { continue }
      let content = try database.store.content(of: leaf)
      if let body = content.body { state[id] = try "\(content.type ?? "-") \(body.json())" }
    }
    return state
  }

  /// The same with the internal state of counters and sets.
  private func contents(_ database: Database) throws -> [String: Content] {
    var contents: [String: Content] = [:]
    for id in UndoTests.ids {
      guard let row = try database.store.records.record(id), let leaf = try database.store.records.winner(of: row)
      else { continue }
      let content = try database.store.content(of: leaf)
      if content.body != nil { contents[id] = content }
    }
    return contents
  }

  private func value(_ random: inout SeededRandom) -> Value {
    let n = Int64.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0: return .counterDraft(Int128(n))
    case 1, 2: return .setDraft((0...n).map { .integer(($0 * 7 + n) % 5) })
    case 3: return .array([.counterDraft(Int128(n)), .setDraft([.integer(n)]), .null])
    case 4:
      let set = Value.setDraft([.integer(n), .string("x")])
      return .dictionary(Members([("c", .counterDraft(Int128(n))), ("s", set)]))
    case 5: return .reference(id: UndoTests.ids[Int(n)], kind: nil)
    case 6: return .bool(n > 1)
    default: return .integer(n)
    }
  }

  /// Writes one block that changes some records, some of them several times.
  private func work(_ database: Database, _ random: inout SeededRandom) throws {
    let batch = WriteBatch(label: "work")
    for _ in 0...Int.random(in: 0..<4, using: &random) {
      let id = UndoTests.ids.randomElement(using: &random)!
      let isThere = try database.store.records.record(id).map { !$0.isDeleted } ?? false
      let isTouched = (0..<batch.count).contains { batch.id(of: $0) == id }
      if isThere, !isTouched, Int.random(in: 0..<5, using: &random) == 0 {
        batch.addDeletion(id, .none)
        continue
      }
      let type = Int.random(in: 0..<6, using: &random) == 0 ? "t\(Int.random(in: 0..<2, using: &random))" : nil
      let name = ["x", "y", "z"].randomElement(using: &random)!
      let value = Int.random(in: 0..<6, using: &random) == 0 ? nil : value(&random)
      let isAnew = Bool.random(using: &random)
      try batch.addEdit(id, type: type, .none, mustExist: false) { old in
        var members = old?.members ?? Members()
        members[name] = isAnew ? members[name]?.addedAnew ?? value : value
        return .dictionary(members)
      }
    }
    _ = try database.records.write(batch)
  }

  private func touched(_ database: Database, _ operation: Operation) throws -> [String] {
    var ids: [String] = []
    try database.history.changes(of: operation).forEach { ids.append($0.id) }
    return ids
  }

  /// The states before and after an operation, and the versions of the records.
  private struct Step {
    var before: [String: String]
    var after: [String: String]
    var touched: [String]
    var versionsBefore: [String: Int]
    var versionsAfter: [String: Int]
    var contentsBefore: [String: Content]
    var contentsAfter: [String: Content]
  }

  @Test(arguments: TestSeed.some(16)) func undoRestoresFormerStateOrRefuses(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(1)
    let database = group[0]
    var steps: [Step] = []
    var versions: [String: Int] = [:]
    var (undos, refusals, partial) = (0, 0, 0)
    /// By record, the set elements whose addition was undone.
    var withdrawn: [String: Set<[UInt8]>] = [:]
    var last = 0
    func fresh() -> Int {
      last += 1
      return last
    }
    func withdraw(_ id: String, _ step: Step) {
      withdrawn[id, default: []].formUnion(
        UndoModel.added(step.contentsBefore[id]?.body, step.contentsAfter[id]?.body))
    }
    /// Undoes an operation and checks that the former state is back.
    func undo(_ number: Int) throws -> Bool {
      let step = steps[steps.count - 1 - number]
      let operation = try database.history.operation(.number(number))
      if operation.state == .undone {
        #expect(try database.history.undo(.number(number)).records.isEmpty)
        return false
      }
      let changed = step.touched.filter { versions[$0] != step.versionsAfter[$0] }
      guard changed.isEmpty else {
        let now = try contents(database)
        let inTheWay = changed.filter { !UndoModel.fits(step.contentsBefore[$0], step.contentsAfter[$0], now[$0]) }
        guard inTheWay.isEmpty else {
          refusals += 1
          #expect(throws: KitError.operation(.changedSince(operation: operation.name, ids: inTheWay))) {
            try database.history.undo(.number(number))
          }
          #expect(try contents(database) == now)
          return false
        }
        let (shown, then) = (try state(database), versions)
        let undone = try database.history.undo(.number(number))
        let result = try contents(database)
        for id in step.touched {
          #expect(
            UndoModel(withdrawn: withdrawn[id] ?? []).isTakenBack(
              step.contentsBefore[id], step.contentsAfter[id], now[id], result[id]),
            "seed \(seed), \(id)")
          withdraw(id, step)
          if result[id] != now[id] { versions[id] = fresh() }
        }
        let written = undone.records.filter { !$0.revisions.isEmpty }.map(\.id)
        if written.isEmpty { return false }
        steps.append(
          Step(
            before: shown, after: try state(database), touched: written, versionsBefore: then,
            versionsAfter: versions, contentsBefore: now, contentsAfter: result))
        partial += 1
        return true
      }
      let (now, then, old) = (try state(database), versions, try contents(database))
      let undone = try database.history.undo(.digest(String(operation.name.dropFirst(3))))
      #expect(undone.records.map(\.id) == step.touched)
      var expected = now
      for id in step.touched { expected[id] = step.before[id] }
      for one in undone.records { versions[one.id] = step.versionsBefore[one.id] }
      for id in step.touched { withdraw(id, step) }
      let result = try state(database)
      #expect(result == expected, "seed \(seed): before \(step.before), after \(step.after), now \(now)")
      let written = undone.records.filter { !$0.revisions.isEmpty }.map(\.id)
      guard !written.isEmpty else { return false }
      steps.append(
        Step(
          before: now, after: expected, touched: written, versionsBefore: then, versionsAfter: versions,
          contentsBefore: old, contentsAfter: try contents(database)))
      #expect(try database.history.operation(.number(number + 1)).state == .undone)
      undos += 1
      return true
    }
    for _ in 1...40 {
      let (before, then, old) = (try state(database), versions, try contents(database))
      let head = try database.store.branches.chain(database.instance)?.head
      try work(database, &random)
      if try database.store.branches.chain(database.instance)?.head == head { continue }
      let touched = try touched(database, database.history.operation(.number(0)))
      // A record that was changed back counts as unchanged.
      let contents = try self.contents(database)
      let version = fresh()
      for id in touched where contents[id] != old[id] { versions[id] = version }
      steps.append(
        Step(
          before: before, after: try state(database), touched: touched, versionsBefore: then, versionsAfter: versions,
          contentsBefore: old, contentsAfter: contents))
      for _ in 0..<Int.random(in: 0..<4, using: &random) {
        let number = Int.random(in: 0..<min(6, steps.count), using: &random)
        // Sometimes the undo is undone too, once or twice.
        if try undo(number), Bool.random(using: &random), try undo(0), Bool.random(using: &random) { _ = try undo(0) }
      }
    }
    #expect(undos > 20 && refusals + partial > 3)
    // An operation found by name or number is the same as in the list.
    try database.history.forEachOperation { one in
      for name in [.digest(String(one.name.dropFirst(3))), OperationName.number(one.number)] {
        let found = try database.history.operation(name)
        #expect(found.block.sequence == one.block.sequence && found.number == one.number && found.state == one.state)
      }
      return true
    }
    #expect(try database.store.projection.expectedDigest() == database.store.projection.digest())
  }

  /// Repeated undo goes back to the beginning and never alternates.
  @Test(arguments: TestSeed.some(4)) func undoGoesOnToOlderOperations(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let database = try TestGroup(1)
    var states: [[String: String]] = []
    while states.count < 8 {
      let before = try state(database[0])
      try work(database[0], &random)
      if try state(database[0]) != before { states.append(before) }
    }
    while let before = states.popLast() {
      while try state(database[0]) != before { _ = try database[0].history.undo(nil) }
    }
    #expect(throws: KitError.operation(.nothing)) { while true { _ = try database[0].history.undo(nil) } }
    #expect(try state(database[0]).isEmpty)
  }

  @Test func undoCanBeLimitedToRecords() throws {
    let group = try TestGroup(1)
    let database = group[0]
    let batch = WriteBatch(label: "three")
    for id in ["a", "b", "c"] {
      try batch.addEdit(id, type: nil, .none, mustExist: false) { _ in .dictionary(Members([("n", .integer(1))])) }
    }
    _ = try database.records.write(batch)
    let name = OperationName.digest(String(try database.history.operation(nil).name.dropFirst(3)))
    try database.put(#"{"_id":"b","n":2}"#)
    #expect(throws: KitError.operation(.untouched(id: "d", operation: "op:\(digits(name))"))) {
      try database.history.undo(name, only: ["a", "d"])
    }
    #expect(throws: KitError.operation(.changedSince(operation: "op:\(digits(name))", ids: ["b"]))) {
      try database.history.undo(name)
    }
    _ = try database.history.undo(name, only: ["a"], dryRun: true)
    #expect(try state(database).count == 3)
    #expect(try database.history.undo(name, only: ["a"]).records.map(\.effect) == [.deleted])
    #expect(try database.history.operation(name).state == .partly)
    #expect(try state(database).keys.sorted() == ["b", "c"])
    // An undone change stays undone, and a later change is still an obstacle.
    #expect(try database.history.undo(name, only: ["a"]).records.map(\.effect) == [nil])
    #expect(throws: KitError.operation(.changedSince(operation: "op:\(digits(name))", ids: ["b"]))) {
      try database.history.undo(name)
    }
    _ = try database.history.undo(.number(1))
    #expect(try state(database)["b"] == #"- {"n":1}"#)
    // Now it is as before.
    #expect(try database.history.undo(name, dryRun: true).records.map(\.effect) == [nil, .deleted, .deleted])
    #expect(try database.history.undo(name, only: ["c"]).records.map(\.effect) == [.deleted])
    #expect(try database.history.operation(name).state == .partly)
    #expect(try database.history.undo(nil).records.map(\.effect) == [nil, .deleted, nil])
    #expect(try database.history.operation(name).state == .undone)
    #expect(try state(database).isEmpty)
    // A redo of the last part.
    _ = try database.history.undo(.number(0))
    #expect(try state(database) == ["b": #"- {"n":1}"#])
  }

  private func digits(_ name: OperationName) -> String {
    guard case .digest(let digits) = name else { return "" }
    return digits
  }
}
