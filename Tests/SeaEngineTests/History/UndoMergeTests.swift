import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// Undoing an operation that others have built on removes its changes and keeps theirs.
@Suite struct UndoMergeTests {
  private func content(_ database: Database, _ id: String = "x") throws -> Content {
    let row = try database.records.find(id)
    guard let leaf = try database.store.records.winner(of: row) else { return .deleted }
    return try database.store.content(of: leaf)
  }

  /// Three instances that know a record.
  private func group(_ json: String = #"{"_id":"x","a":0,"b":0}"#) throws -> TestGroup {
    let group = try TestGroup(3)
    try group[0].put(json)
    try group.exchange()
    return group
  }

  /// Whichever instance merged, and whichever side won.
  @Test func undoKeepsPropertyChangedByOthers() throws {
    for mine in 1...3 {
      for theirs in 1...3 {
        let group = try group()
        for n in 1...mine { try group[0].put(#"{"_id":"x","a":\#(n),"b":0}"#) }
        for n in 1...theirs { try group[1].put(#"{"_id":"x","a":0,"b":\#(n)}"#) }
        try group.exchange(merging: true)
        #expect(try group[0].json("x") == #"{"a":\#(mine),"b":\#(theirs)}"#)
        let undone = try group[0].history.undo(nil)
        #expect(undone.records.map(\.effect) == [.restored])
        #expect(try group[0].json("x") == #"{"a":\#(mine - 1),"b":\#(theirs)}"#)
        #expect(try group[0].conflict("x") == nil)
        try group.exchange(merging: true)
        for one in group.instances { #expect(try one.json("x") == #"{"a":\#(mine - 1),"b":\#(theirs)}"#) }
        // Once more, also after another change.
        try group[2].put(#"{"_id":"x","a":\#(mine - 1),"b":\#(theirs),"c":1}"#)
        try group.exchange(merging: true)
        _ = try group[0].history.undo(.digest(String(undone.operation.name.dropFirst(3))))
        _ = try group[0].history.undo(.number(0))
        #expect(try group[0].json("x") == #"{"a":\#(mine),"b":\#(theirs),"c":1}"#)
      }
    }
  }

  @Test func laterChangeOfSamePropertyPreventsUndo() throws {
    let group = try group()
    try group[0].put(#"{"_id":"x","a":1,"b":0}"#)
    try group.exchange()
    try group[1].put(#"{"_id":"x","a":2,"b":0}"#)
    try group.exchange()
    let name = try group[0].history.operation(nil).name
    #expect(throws: KitError.operation(.changedSince(operation: name, ids: ["x"]))) {
      try group[0].history.undo(nil)
    }
    // Another instance has already restored it.
    try group[1].put(#"{"_id":"x","a":0,"b":5}"#)
    try group.exchange()
    #expect(try group[0].history.undo(.digest(String(name.dropFirst(3)))).records.map(\.effect) == [nil])
    #expect(try group[0].json("x") == #"{"a":0,"b":5}"#)
  }

  /// A policy or a user preferred the operation's value; without it, the value of another instance would have stayed.
  @Test func resolutionAgainstOthersPreventsUndo() throws {
    let group = try group()
    try group[0].put(#"{"_id":"x","a":1,"b":0}"#)
    try group[1].put(#"{"_id":"x","a":2,"b":7}"#)
    try group.exchange()
    let name = try group[0].history.operation(nil).name
    _ = try group[0].conflicts.resolve(["x"], .ours, label: "resolve")
    #expect(try group[0].json("x") == #"{"a":1,"b":0}"#)
    #expect(throws: KitError.operation(.changedSince(operation: name, ids: ["x"]))) {
      try group[0].history.undo(.digest(String(name.dropFirst(3))))
    }
    // The newest operation first, as usual.
    #expect(try group[0].history.undo(nil).records.map(\.effect) == [.reopened])
    #expect(try group[0].history.undo(nil).records.map(\.effect) == [.restored])
    try group.exchange(merging: true)
    for one in group.instances {
      let sides = try #require(try one.conflict("x")).sides
      #expect(try Set(sides.map { try $0.body?.json() }) == [#"{"a":0,"b":0}"#, #"{"a":2,"b":7}"#])
    }
  }

  @Test func undoRespectsEditsAndDeletionsByOthers() throws {
    let group = try group()
    // Created here and changed there: the change is an obstacle as a whole.
    let name = try group[0].history.operation(nil).name
    try group[1].put(#"{"_id":"x","a":0,"b":1}"#)
    try group.exchange()
    #expect(throws: KitError.operation(.changedSince(operation: name, ids: ["x"]))) {
      try group[0].history.undo(nil)
    }
    // Deleted here and changed there independently: the undo restores the record, with the change.
    try group[0].delete("x")
    try group[1].put(#"{"_id":"x","a":0,"b":2}"#)
    try group.exchange()
    #expect(try group[0].conflict("x")?.kind == .deletion)
    _ = try group[0].history.undo(nil)
    try group.exchange(merging: true)
    for one in group.instances { #expect(try one.conflict("x") == nil && one.json("x") == #"{"a":0,"b":2}"#) }
    // Changed here and deleted there.
    try group[0].put(#"{"_id":"x","a":1,"b":2}"#)
    try group.exchange()
    try group[1].delete("x")
    try group.exchange()
    let change = try group[0].history.operation(nil).name
    #expect(throws: KitError.operation(.changedSince(operation: change, ids: ["x"]))) {
      try group[0].history.undo(nil)
    }
  }

  @Test func atomicPropertiesAreUndoneTogether() throws {
    let content = { (lat: Int64, lon: Int64) in
      Content(type: nil, body: .dictionary(Members([("lat", .integer(lat)), ("lon", .integer(lon))])))
    }
    let atomic = [[try PropertyPath("lat"), try PropertyPath("lon")]]
    func back(_ now: Content, _ atomic: [[PropertyPath]]) -> UndoMerge {
      UndoMerge(before: content(1, 1), after: content(2, 1), now: now, atomic: atomic) { _, _, now, _, _ in now }
    }
    #expect(back(content(2, 5), []).content == content(1, 5))
    #expect(back(content(2, 5), atomic).clashes.map(\.pointer) == ["/lat", "/lon"])
    #expect(back(content(2, 1), atomic).content == content(1, 1))
  }

  /// Two unrelated operations on a record: the time of the undo makes no difference.
  @Test(arguments: TestSeed.some(24)) func undoCommutesWithChangesOfOthers(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let names = ["a", "b", "c", "d", "e", "f"]
    var shown: [Content] = []
    let mine = Set(names.shuffled(using: &random).prefix(3))
    let start = random
    for order in 0..<4 {
      random = start
      let group = try TestGroup(3)
      var serial: Int64 = 0
      func change(_ database: Database, _ names: [String]) throws {
        serial += 1
        let batch = WriteBatch(label: "work")
        let chosen = names.shuffled(using: &random).prefix(2)
        let n = Int64.random(in: 0..<100, using: &random)
        let kind = Int.random(in: 0..<5, using: &random)
        try batch.addEdit("x", type: nil, .none, mustExist: false) { old in
          var members = old?.members ?? Members()
          for name in chosen {
            switch kind {
            case 0: members[name] = nil
            case 1: members[name] = .dictionary(Members([("k", .integer(n)), ("l", .integer(n % 3))]))
            default: members[name] = .integer(n)
            }
          }
          // All instances count, and each adds different elements to one set.
          var total: Int128 = 0
          if case .counter(let counter)? = members["count"] { total = counter.value }
          members["count"] = .counterDraft(total + Int128(n))
          var elements = [Value.integer(1000 * serial + n)]
          if case .set(let set)? = members["set"] { elements += set.elements }
          members["set"] = .setDraft(elements)
          return .dictionary(members)
        }
        _ = try database.records.write(batch)
      }
      try change(group[0], names)
      try group.exchange()
      for _ in 0..<Int.random(in: 1...3, using: &random) { try change(group[0], mine.sorted()) }
      let before = try content(group[0])
      try change(group[0], mine.sorted())
      let name = OperationName.digest(String(try group[0].history.operation(nil).name.dropFirst(3)))
      // Right after a put, the undo leaves no trace of it.
      if order == 0 {
        _ = try group[0].history.undo(nil)
        #expect(try content(group[0]).body?.json() == before.body?.json())
      }
      if order == 3 {
        try group.exchange()
      }
      let others = names.filter { !mine.contains($0) }
      for _ in 0..<Int.random(in: 1...4, using: &random) { try change(group[1], others) }
      if order == 1 { _ = try group[0].history.undo(name) }
      try group.exchange(merging: true)
      if order > 1 { _ = try group[0].history.undo(name) }
      try group.exchange(merging: true)
      #expect(try group[0].conflict("x") == nil)
      shown.append(try content(group[0]))
      for one in group.instances { #expect(try one.json("x") == group[0].json("x")) }
      // A redo leaves no trace of the undo, with all counts.
      if order == 0 { continue }
      _ = try group[0].history.undo(.number(0))
      try group.exchange(merging: true)
      _ = try group[0].history.undo(.number(0))
      #expect(try content(group[0]).body?.json() == shown.last?.body?.json(), "seed \(seed), order \(order)")
    }
    let texts = try shown.map { try $0.body?.json() }
    #expect(Set(texts).count == 1, "seed \(seed): \(texts)")
  }

  /// A resolution is undone after others have continued.
  @Test func undoneResolutionKeepsLaterChangesOfOthers() throws {
    let group = try group()
    try group[0].put(#"{"_id":"x","a":1,"b":0}"#)
    try group[1].put(#"{"_id":"x","a":2,"b":0}"#)
    try group.exchange()
    _ = try group[0].conflicts.resolve(["x"], .ours, label: "resolve")
    try group.exchange()
    try group[1].put(#"{"_id":"x","a":1,"b":0,"c":3}"#)
    try group.exchange()
    #expect(try group[0].history.undo(nil).records.map(\.effect) == [.reopened])
    try group.exchange(merging: true)
    for one in group.instances {
      let sides = try #require(try one.conflict("x")).sides
      #expect(try Set(sides.map { try $0.body?.json() }) == [#"{"a":1,"b":0,"c":3}"#, #"{"a":2,"b":0,"c":3}"#])
    }
    // An edit continues one of the leaf revisions, and the conflict is resolved as before.
    let leaf = try #require(try group[2].conflict("x")?.leaves.last)
    let said = try #require(try group[2].conflict("x")?.sides.last?.body?.members?["a"]).json()
    try group[2].put(#"{"_id":"x","a":\#(said),"b":4,"c":3}"#, upon: leaf)
    try group.exchange()
    #expect(try group[0].history.undo(.number(0)).records.map(\.effect) == [.resolved])
    try group.exchange(merging: true)
    for one in group.instances {
      #expect(try one.conflict("x") == nil && one.json("x") == #"{"a":1,"b":4,"c":3}"#)
    }
  }

  /// A merge undone by its name stays undone, even with a change on top of it.
  @Test func undoneMergeKeepsLaterChangesOfOthers() throws {
    let group = try group()
    try group[0].put(#"{"_id":"x","a":1,"b":0}"#)
    try group[1].put(#"{"_id":"x","a":0,"b":1}"#)
    try group.exchange()
    #expect(try group[0].conflicts.merge().count == 1)
    try group.exchange()
    try group[1].put(#"{"_id":"x","a":1,"b":1,"c":3}"#)
    try group.exchange()
    #expect(try group[0].history.undo(.number(0)).records.map(\.effect) == [.reopened])
    try group.exchange(merging: true)
    for one in group.instances {
      let sides = try #require(try one.conflict("x")).sides
      #expect(try Set(sides.map { try $0.body?.json() }) == [#"{"a":1,"b":0,"c":3}"#, #"{"a":0,"b":1,"c":3}"#])
    }
  }

  /// The time for a block that changes a record many times is linear in the number of changes.
  @Test(.timeLimit(.minutes(20))) func undoOfThousandsOfChangesSucceeds() throws {
    let group = try group()
    let batch = WriteBatch(label: "many")
    for n in 1...5000 {
      try batch.addEdit("x", type: nil, .none, mustExist: false) { old in
        var members = old?.members ?? Members()
        members["a"] = .integer(Int64(n))
        return .dictionary(members)
      }
    }
    _ = try group[0].records.write(batch)
    try group.exchange()
    try group[1].put(#"{"_id":"x","a":5000,"b":7}"#)
    try group.exchange()
    _ = try group[0].history.undo(nil)
    #expect(try group[0].json("x") == #"{"a":0,"b":7}"#)
  }
}
