import SeaCore
import SeaEngine
import SeaTestSupport
import Testing

/// References that name a record by a property, and may create it if it is missing.
@Suite struct NamedTargetsTests {
  private func add(_ json: [String], _ targets: NamedTargets, to batch: WriteBatch) throws {
    var options = WriteBatch.Options()
    options.find(targets)
    for one in json { try batch.add(one, options) }
  }

  private func people(_ database: Database) throws -> [String] {
    let filter = RecordFilter(type: "p")
    var found: [String] = []
    try database.records.forEach(filter) {
      found.append(
        try $0.value(PropertyPath("n")).map { try $0.withUnsafeBufferPointer { try Value.decode(value: $0) } }!.json())
      return true
    }
    return found.sorted()
  }

  @Test func equalValuesLeadToOneNewRecordInAllBatches() throws {
    let group = try TestGroup(1)
    let one = group[0]
    _ = try one.put("{\"_id\":\"p1\",\"_type\":\"p\",\"n\":1}")
    let targets = NamedTargets(one.records, creates: true)
    let batches = [WriteBatch(label: "a"), WriteBatch(label: "b")]
    for (k, batch) in batches.enumerated() {
      let records = ["1", "2", "2.0", "3"].enumerated().map { place, n in
        "{\"_id\":\"\(k)\(place)\",\"a\":[{\"as\":\"x\",\"$ref\":\"p:n=\(n)\"}],\"s\":{\"$set\":[{\"$ref\":\"p:n=\(n)\"}]}}"
      }
      try add(records, targets, to: batch)
    }
    try one.records.write(batches) { _, _ in }
    #expect(try people(one) == ["1", "2", "3"])
    let ids = try ["01", "02", "11"].map {
      try #require(try one.get($0)).split(separator: "\"$ref\":\"").map { $0.prefix(36) }
    }
    #expect(ids.allSatisfy { $0.dropFirst() == ids[0].dropFirst() } && Set(ids[0].dropFirst()).count == 1)
    #expect(try one.get("00")?.contains("{\"as\":\"x\",\"$ref\":\"p1\"}") == true)
  }

  @Test func valueMayHaveCharactersThatAnIDMayNot() throws {
    let group = try TestGroup(1)
    let one = group[0]
    let batch = WriteBatch(label: "a")
    let long = String(repeating: "long ", count: 200)
    for name in ["Anna Berg", long] {
      let targets = NamedTargets(one.records, creates: true)
      try add(["{\"_id\":\"x\",\"a\":{\"$ref\":\"p:n=\(name)\"}}"], targets, to: batch)
    }
    for bad in ["Anna Berg", "a p:n=1", ":=b c"] {
      for creates in [true, false] {
        #expect(throws: CoreError.self) {
          let targets = NamedTargets(one.records, creates: creates)
          try add(["{\"_id\":\"x\",\"a\":{\"$ref\":\"\(bad)\"}}"], targets, to: batch)
        }
      }
    }
    _ = try one.records.write(batch)
    #expect(try people(one) == ["\"Anna Berg\"", "\"\(long)\""])
  }

  @Test func entryThatIsNotAddedCreatesNothing() throws {
    let group = try TestGroup(1)
    let one = group[0]
    for id in ["p1", "p2"] { _ = try one.put("{\"_id\":\"\(id)\",\"_type\":\"p\",\"n\":1}") }
    let (targets, batch) = (NamedTargets(one.records, creates: true), WriteBatch(label: "a"))
    for bad in ["\"b\":{\"$ref\":\"p:n=1\"}", "\"b\":{\"$day\":\"never\"}"] {
      #expect(throws: (any Error).self) {
        try add(["{\"_id\":\"x\",\"a\":{\"$ref\":\"p:n=5\"},\(bad)}"], targets, to: batch)
      }
    }
    #expect(batch.isEmpty)
    try add(
      ["{\"_id\":\"x\",\"a\":{\"$ref\":\"p:n=6\"}}", "{\"_id\":\"y\",\"a\":{\"$ref\":\"p1\"}}"], targets, to: batch)
    _ = try one.records.write(batch)
    #expect(try people(one) == ["1", "1", "6"])
  }

  @Test func newRecordFollowsDefaultsAndRulesOfItsType() throws {
    let group = try TestGroup(1)
    let one = group[0]
    _ = try one.put("{\"_id\":\"p1\",\"_type\":\"p\",\"n\":1}")
    try one.sharedSettings.set(#require(ConfigKey("type.p/d.default")), "x")
    try one.sharedSettings.set(#require(ConfigKey("type.p/n.maximum")), "5")
    for (n, isAllowed) in [(5, true), (6, false)] {
      let batch = WriteBatch(label: "load")
      batch.leavesOutFaults = true
      batch.mayReplace = { _, _, _, _ in }
      try add(
        ["{\"_id\":\"x\(n)\",\"a\":{\"$ref\":\"p:n=\(n)\"}}"], NamedTargets(one.records, creates: true), to: batch)
      // Without the person, the record would refer to nothing.
      if isAllowed {
        _ = try one.records.write(batch)
      } else {
        #expect(throws: EntryFault.self) { try one.records.write(batch) }
      }
    }
    #expect(try people(one) == ["1", "5"] && one.get("x6") == nil)
  }

  /// Otherwise, a record with such an ID could not be dumped and loaded.
  @Test(arguments: [false, true]) func idOfTheInputComesBeforeTheName(_ creates: Bool) throws {
    let group = try TestGroup(1)
    let one = group[0]
    let (targets, batch) = (NamedTargets(one.records, creates: creates), WriteBatch(label: "a"))
    let (record, reference) = ("{\"_id\":\"q:n=1\"}", "{\"_id\":\"x\",\"a\":{\"$ref\":\"q:n=1\"}}")
    try add(creates ? [record, reference] : [reference, record], targets, to: batch)
    _ = try one.records.write(batch)
    #expect(try one.get("x")?.contains("{\"$ref\":\"q:n=1\"}") == true)
    // A record that exists also comes first.
    let second = WriteBatch(label: "b")
    try add(["{\"_id\":\"y\",\"a\":{\"$ref\":\"q:n=1\"}}"], NamedTargets(one.records, creates: creates), to: second)
    _ = try one.records.write(second)
    #expect(try one.get("y")?.contains("{\"$ref\":\"q:n=1\"}") == true)
  }

  @Test(arguments: [false, true]) func referenceIsNotMovedToALaterRecord(_ creates: Bool) throws {
    let group = try TestGroup(1)
    let one = group[0]
    _ = try one.put("{\"_id\":\"p1\",\"_type\":\"p\",\"n\":1}")
    let (targets, batch) = (NamedTargets(one.records, creates: creates), WriteBatch(label: "a"))
    let n = creates ? 2 : 1
    try add(["{\"_id\":\"x\",\"a\":{\"$ref\":\"p:n=\(n)\"}}"], targets, to: batch)
    #expect(throws: KitError.namedBefore("p:n=\(n)")) { try add(["{\"_id\":\"p:n=\(n)\"}"], targets, to: batch) }
    try add(["{\"_id\":\"p:n=\(n)\",\"_deleted\":true}"], targets, to: batch)
  }

  @Test func unknownNameIsRefusedInTheOrderOfTheInput() throws {
    let group = try TestGroup(1)
    let one = group[0]
    _ = try one.put("{\"_id\":\"p1\",\"_type\":\"p\",\"n\":1}")
    func batch(_ leavesOut: Bool) throws -> WriteBatch {
      let batch = WriteBatch(label: "load")
      batch.leavesOutFaults = leavesOut
      batch.mayReplace = { _, _, _, _ in }
      let json = ["1", "3", "2"].map {
        "{\"_id\":\"x\(9 - Int($0)!)\",\"a\":[{\"$ref\":\"p:n=\($0)\"},{\"$ref\":\"a:b\"}]}"
      }
      try add(json, NamedTargets(one.records, creates: false), to: batch)
      return batch
    }
    do {
      _ = try one.records.write(batch(false))
      Issue.record("not refused")
    } catch let fault as EntryFault {
      #expect(fault.entry == 1)
      #expect(fault.reason as? KitError == .noTarget("p:n=3", similar: nil))
    }
    #expect(try one.get("x8") == nil)
    let result = try one.records.write(batch(true))
    #expect(Set(result.faults.map(\.entry)) == [1, 2])
    #expect(try one.get("x8")?.contains("[{\"$ref\":\"p1\"},{\"$ref\":\"a:b\"}]") == true)
  }

  @Test(
    arguments: [
      ("person:nme=5", "person:name=5"), ("Person:name=5", "person:name=5"), ("person:name=5", nil),
      ("town:code=5", nil),
    ] as [(String, String?)])
  func newNameThatIsSimilarToAKnownOneIsReportedOnce(_ text: String, _ meant: String?) throws {
    let group = try TestGroup(1)
    let one = group[0]
    _ = try one.put("{\"_id\":\"p1\",\"_type\":\"person\",\"name\":\"1\"}")
    let (targets, batch) = (NamedTargets(one.records, creates: true), WriteBatch(label: "a"))
    let json = [text, text, text + "7"].map { "{\"a\":{\"$ref\":\"\($0)\"}}" }
    try add(json, targets, to: batch)
    #expect(targets.similar.map(\.meant) == (meant.map { [$0] } ?? []))
  }
}
