import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// An operation that is undone at once has no effect: the record is shown as before, in any conflict and after any
/// earlier undo.
@Suite struct UndoAtOnceTests {
  private func elements(_ random: inout SeededRandom) -> [Value] {
    (0..<4).filter { _ in Bool.random(using: &random) }.map { .integer($0) }
  }

  /// Changes a live record once.
  private func change(_ database: Database, _ step: Int, _ random: inout SeededRandom) throws {
    let element = Value.integer(Int64.random(in: 0..<4, using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0: try database.set("x", "t", Int64(step))
    case 1: try database.count("x", "c", Int64.random(in: -5...5, using: &random))
    case 2:
      try database.change("x", "s") { old in
        guard case .set(var set)? = old else { return .setDraft([element]) }
        set.remove(element)
        return .setDraft(set.elements)
      }
    case 3:
      try database.change("x", "s") { old in
        guard case .set(var set)? = old else { return .setDraft([element]) }
        set.addAnew(element)
        return .set(set)
      }
    case 4:
      let all = try elements(&random).map { try $0.json() }.joined(separator: ",")
      try database.put(#"{"_id":"x","t":\#(step),"s":{"$set":[\#(all)]},"c":{"$counter":\#(step)}}"#)
    default: try database.change("x", "in.s") { [all = elements(&random)] _ in .setDraft(all) }
    }
  }

  @Test(arguments: TestSeed.some(24)) func immediateUndoRestoresShownRecord(_ seed: UInt64) throws {
    var random = SeededRandom(seed)
    let group = try TestGroup(3)
    try group[0].put(#"{"_id":"x","t":0,"s":{"$set":[0,1]},"c":{"$counter":1}}"#)
    if Bool.random(using: &random) { try group.exchange() }
    var looked = 0
    // At least forty steps, and more until something was undone.
    for step in 1...400 where step <= 40 || looked < 8 {
      let who = Int.random(in: 0..<3, using: &random)
      let database = group[who]
      guard let row = try? database.records.find("x") else {
        try group.exchange()
        continue
      }
      switch Int.random(in: 0..<9, using: &random) {
      case 0: try group.exchange()
      case 1: try group.exchange([who, (who + 1) % 3])
      case 2 where !row.isDeleted: try database.delete("x")
      case 3, 4:
        let name = Bool.random(using: &random) ? nil : OperationName.number(Int.random(in: 0..<3, using: &random))
        _ = try? database.history.undo(name)
      case 5 where row.isDeleted: try database.put(#"{"_id":"x","s":{"$set":[2]}}"#)
      case _ where !row.isDeleted:
        let before = try database.shown("x")
        let last = try? database.history.operation(.number(0)).name
        try change(database, step, &random)
        let isNew = (try? database.history.operation(.number(0)).name) != last
        guard isNew, Int.random(in: 0..<3, using: &random) > 0 else { continue }
        let made = try database.shown("x")
        _ = try database.history.undo(.number(0))
        let after = try database.shown("x")
        #expect(after == before, "seed \(seed), step \(step), by \(made ?? "-")")
        looked += 1
      default: break
      }
    }
    #expect(looked > 7)
    _ = try group.exchange(merging: true)
    #expect(try Set(group.instances.map { try $0.text("x") }).count == 1)
  }

  /// The creation was undone, but another instance's edit kept the record. It has its initial content without the
  /// undone changes.
  @Test func undoneCreationKeepsContentEditedByOthers() throws {
    let group = try TestGroup(2)
    try group[0].put(#"{"_id":"x","s":{"$set":["q"]}}"#)
    try group.exchange()
    try group[1].put(#"{"_id":"x","s":{"$set":["q","z"]},"l":1}"#)
    _ = try group[0].history.undo(nil)
    try group.exchange()
    let before = try group[0].shown("x")
    #expect(before == #"{"l":1,"s":{"$set":["q","z"]}}"#)
    try group[0].set("x", "t", 1)
    _ = try group[0].history.undo(nil)
    #expect(try group[0].shown("x") == before)
    try group.exchange()
    #expect(try group[1].shown("x") == before)
  }

  /// In a conflict, an element was removed. Removing it too and undoing that does not bring it back.
  @Test func undoDoesNotRestoreElementRemovedByOthers() throws {
    let group = try TestGroup(2)
    try group[0].put(#"{"_id":"x","t":0,"s":{"$set":["a","q"]}}"#)
    try group.exchange()
    try group[0].put(#"{"_id":"x","t":1,"s":{"$set":["a","q"]}}"#)
    try group[1].put(#"{"_id":"x","t":2,"s":{"$set":["a"]}}"#)
    try group.exchange()
    let leaves = { try group[0].store.records.leaves(of: group[0].records.find("x")) }
    let bodies = try Set(leaves().compactMap { try group[0].store.content(of: $0).body?.json() })
    let before = try group[0].shown("x")
    for body in [#"{"_id":"x","t":1,"s":{"$set":["a"]}}"#, #"{"_id":"x","t":3,"s":{"$set":[]}}"#] {
      try group[0].put(body)
      _ = try group[0].history.undo(.number(0))
      #expect(try group[0].shown("x") == before)
      // Each side has its former content.
      #expect(try Set(leaves().compactMap { try group[0].store.content(of: $0).body?.json() }) == bodies)
    }
    try group.exchange()
    #expect(try group[1].shown("x") == before)
  }
}
