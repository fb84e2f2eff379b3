import SeaCore
import SeaTestSupport
import Testing

@Suite struct DifferenceTests {
  private func difference(_ old: String?, _ new: String?) throws -> Difference {
    try difference(old.map { try Value.json($0) }, new.map { try Value.json($0) })
  }

  private func difference(_ old: Value?, _ new: Value?, types: (String?, String?) = (nil, nil)) throws -> Difference {
    func content(_ value: Value?, _ type: String?) throws -> StoredContent {
      var writer = ByteWriter()
      _ = try value?.encodeBody(into: &writer)
      return StoredContent(type: type, body: value == nil ? nil : writer.array())
    }
    return try Difference(from: content(old, types.0), to: content(new, types.1))
  }

  private func text(_ write: (inout JSONOutput, inout ByteWriter) -> Void) -> String {
    var writer = ByteWriter()
    var out = JSONOutput(style: .compact)
    write(&out, &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  private func mergePatch(_ difference: Difference, id: String? = nil) throws -> String {
    try difference.checkMergePatch()
    return text { out, w in difference.writeMergePatch(id: id, &out, &w) }
  }

  @Test(arguments: [
    (#"{"a":1}"#, #"{"a":1}"#, "[]"),
    (#"{"a":1}"#, #"{"a":2}"#, #"[{"op":"replace","path":"/a","value":2}]"#),
    (#"{"a":1}"#, #"{}"#, #"[{"op":"remove","path":"/a"}]"#),
    (#"{}"#, #"{"a/~\"b":[null]}"#, #"[{"op":"add","path":"/a~1~0\"b","value":[null]}]"#),
    (
      #"{"a":{"$decimal":"1.5"}}"#, #"{"a":{"$decimal":"1.50"}}"#,
      #"[{"op":"replace","path":"/a","value":{"$decimal":"1.50"}}]"#
    ),
  ])
  func jsonPatchListsEveryChange(_ old: String, _ new: String, _ patch: String) throws {
    let difference = try difference(old, new)
    #expect(text { out, w in difference.writeJSONPatch(&out, &w) } == patch)
  }

  @Test func deletionIsWrittenAsDeletedMember() throws {
    let gone = try difference(#"{"a":1}"#, nil)
    #expect(gone.deletes && !gone.isEmpty)
    #expect(text { out, w in gone.writeJSONPatch(&out, &w) } == #"[{"op":"add","path":"/_deleted","value":true}]"#)
    #expect(try mergePatch(gone, id: "x") == #"{"_id":"x","_deleted":true}"#)
    #expect(try !difference(nil as String?, nil).deletes)
    #expect(try difference(nil, "{}").isEmpty)
  }

  @Test func equalCounterValueIsNoDifference() throws {
    let (a, b) = (UUID(high: 1, low: 1), UUID(high: 2, low: 2))
    func counter(_ steps: [(Int128, UUID)]) throws -> Value {
      var counter = Counter()
      for (delta, instance) in steps { try counter.add(delta, by: instance) }
      return .dictionary(Members([("n", .counter(counter))]))
    }
    func inner(_ value: Value) -> Value { .dictionary(Members([("d", value), ("x", .integer(1))])) }
    #expect(try difference(counter([(2, a)]), counter([(1, a), (1, b)])).isEmpty)
    #expect(try !difference(counter([(2, a)]), counter([(3, a)])).isEmpty)
    #expect(try difference(inner(counter([(2, a)])), inner(counter([(1, a), (1, b)]))).isEmpty)
    let deep = try difference(
      inner(inner(counter([(2, a)]))), .dictionary(Members([("d", counter([(1, a), (1, b)]))])))
    #expect(try mergePatch(deep) == #"{"d":{"d":null,"n":{"$counter":2},"x":null},"x":null}"#)
  }

  @Test func typeChangeIsListedAsProperty() throws {
    let value = Value.dictionary(Members([("a", .integer(1)), ("longer", .integer(1)), ("ZZZZZ", .integer(1))]))
    let other = Value.dictionary(Members([("b", .integer(1)), ("longest", .integer(1)), ("aaaaa", .integer(1))]))
    let changed = try difference(value, other, types: ("t", "u"))
    #expect(changed.changes.map(\.name) == ["a", "b", "ZZZZZ", "_type", "aaaaa", "longer", "longest"])
    #expect(try difference(value, value, types: ("t", "t")).isEmpty)
    #expect(try difference(value, value, types: (nil, "t")).changes.map(\.name) == ["_type"])
    #expect(try difference(nil, value, types: ("t", "t")).changes.map(\.name) == ["a", "ZZZZZ", "_type", "longer"])
    #expect(
      try mergePatch(difference(value, other, types: ("t", nil)), id: "i")
        == #"{"a":null,"b":1,"_id":"i","ZZZZZ":null,"_type":null,"aaaaa":1,"longer":null,"longest":1}"#)
  }

  /// More of them than are kept.
  @Test(arguments: [63, 64, 65, 500]) func manyChangesAreSortedByName(_ count: Int) throws {
    func value(_ name: String) -> Value {
      .dictionary(Members((0..<count).map { ("\(name)\(100 + $0)", .integer(Int64($0))) }))
    }
    let changed = try difference(value("a"), value("b"))
    let names = changed.changes.map(\.name)
    #expect(names.count == 2 * count && names == names.sorted() && changed.changes.map(\.name) == names)
  }

  @Test func nullWithinADictionaryCannotBePatched() throws {
    #expect(throws: CoreError.badJSON(.nullValue, offset: 0)) {
      try difference(#"{"a":{}}"#, #"{"a":{"b":{"c":null}}}"#).checkMergePatch()
    }
    #expect(throws: CoreError.badJSON(.nullValue, offset: 0)) {
      try difference(#"{"a":{"b":null}}"#, #"{"a":{"b":null,"c":1}}"#).checkMergePatch()
    }
    #expect(try mergePatch(difference("{}", #"{"a":[{"b":null}]}"#)) == #"{"a":[{"b":null}]}"#)
  }

  /// Applying a patch to the old state gives the new one.
  @Test(arguments: TestSeed.some(50)) func mergePatchTurnsOldStateIntoNew(_ seed: UInt64) throws {
    var random = Seeded(seed)
    func value(_ depth: Int) -> Value {
      switch Int.random(in: 0..<(depth > 2 ? 3 : 5), using: &random) {
      case 0: return .integer(Int64.random(in: 0...2, using: &random))
      case 1: return .string(["", "x"].randomElement(using: &random)!)
      case 2: return .array([.null, .integer(1)].shuffled(using: &random))
      default: return dictionary(depth + 1)
      }
    }
    func dictionary(_ depth: Int) -> Value {
      var members = Members()
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        members[["a", "b", "cc", depth > 1 ? "$d" : "d"].randomElement(using: &random)!] = value(depth)
      }
      return .dictionary(members)
    }
    for _ in 0..<20 {
      let (old, new) = (dictionary(1), dictionary(1))
      let patch = try Value.json(mergePatch(difference(old, new)))
      #expect(old.merged(patch: patch) == new, "seed \(seed)")
    }
  }
}
