import SeaCore
import SeaTestSupport
import Testing

@Suite struct DifferenceTests {
  private func difference(_ old: String?, _ new: String?) throws -> Difference {
    try Difference(from: old.map { try Value.json($0) }, to: new.map { try Value.json($0) })
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
  func jsonPatch(_ old: String, _ new: String, _ patch: String) throws {
    #expect(try difference(old, new).jsonPatch() == patch)
  }

  @Test func aDeletedRecord() throws {
    let gone = try difference(#"{"a":1}"#, nil)
    #expect(gone.deletes && !gone.isEmpty)
    #expect(try gone.jsonPatch() == #"[{"op":"add","path":"/_deleted","value":true}]"#)
    #expect(try Value.dictionary(gone.mergePatch()).json() == #"{"_deleted":true}"#)
    #expect(try !difference(nil, nil).deletes)
    #expect(try difference(nil, "{}").isEmpty)
  }

  @Test func aCounterThatSaysTheSameIsNoDifference() throws {
    let (a, b) = (UUID(high: 1, low: 1), UUID(high: 2, low: 2))
    func counter(_ steps: [(Int128, UUID)]) throws -> Value {
      var counter = Counter()
      for (delta, instance) in steps { try counter.add(delta, by: instance) }
      return .dictionary(Members([("n", .counter(counter))]))
    }
    #expect(try Difference(from: counter([(2, a)]), to: counter([(1, a), (1, b)])).isEmpty)
    #expect(try !Difference(from: counter([(2, a)]), to: counter([(3, a)])).isEmpty)
  }

  @Test func nullWithinADictionaryCannotBePatched() throws {
    #expect(throws: CoreError.badJSON(.nullValue, offset: 0)) {
      try difference(#"{"a":{}}"#, #"{"a":{"b":{"c":null}}}"#).mergePatch()
    }
    #expect(try difference("{}", #"{"a":[{"b":null}]}"#).mergePatch().count == 1)
  }

  /// Applying a patch to the old state gives the new one.
  @Test(arguments: TestSeed.some(50)) func mergePatchesApply(_ seed: UInt64) throws {
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
        members[["a", "b", "cc", "$d"].randomElement(using: &random)!] = value(depth)
      }
      return .dictionary(members)
    }
    for _ in 0..<20 {
      let (old, new) = (dictionary(1), dictionary(1))
      let patch = try Difference(from: old, to: new).mergePatch()
      #expect(old.merged(patch: .dictionary(patch)) == new, "seed \(seed)")
    }
  }
}
