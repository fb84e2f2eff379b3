import SeaCore
import Testing

/// Large arrays that stay as they lie, against the same with each of their elements.
@Suite struct PackedArrayTests {
  private static let count = 70_000

  private func body(
    _ first: Int64, _ last: Int64, count: Int = PackedArrayTests.count, word: Value = .integer(1)
  ) throws -> [UInt8] {
    var values = [Value](repeating: .integer(1), count: count)
    (values[0], values[1], values[count - 1]) = (.integer(first), word, .integer(last))
    let members = Members([
      ("n", .labeled(.array(values), "Home")), ("in", .dictionary(Members([("m", .array(values))]))),
    ])
    var writer = ByteWriter()
    _ = try Value.dictionary(members).encodeBody(into: &writer)
    return writer.array()
  }

  private func content(_ body: [UInt8], packing: Bool) throws -> Content {
    Content(
      type: "t",
      body: try packing ? Value.decode(packing: body) : body.withUnsafeBufferPointer { try Value.decode(body: $0) })
  }

  private func isPacked(_ value: Value?) -> Bool { if case .packed? = value?.unlabeled { true } else { false } }

  @Test func packedArraysEqualUnpackedArrays() throws {
    let body = try body(7, 8)
    let (one, other) = (try content(body, packing: true), try content(body, packing: false))
    #expect(isPacked(one.body?.members?["n"]))
    #expect(isPacked(one.body?.members?["in"]?.members?["m"]))
    #expect(one == other && other == one && one == one)
    let another = try content(self.body(7, 9), packing: true)
    #expect(one != another)
    #expect(one.body?.encoding == body)
    #expect(one.body?.members?["n"]?.typeName == "array")
    let first = try PropertyPath("n.0")
    #expect(one.body?[first] == .integer(7))
    var changed = try #require(one.body)
    try changed.set(.integer(9), at: PropertyPath("n.\(PackedArrayTests.count - 1)"))
    let expected = try content(self.body(7, 9), packing: true)
    #expect(changed.members?["n"] == expected.body?.members?["n"])
    changed.remove(at: try PropertyPath("in.m.0"))
    let next = try PropertyPath("in.m.0")
    #expect(changed[next] == .integer(1))
  }

  /// What merges by itself is found by who looks for it, and a small array costs nothing.
  @Test func smallArraysAndPossibleSetsAreNotPacked() throws {
    for body in try [body(1, 2, word: .string("$set")), body(1, 2, count: 100)] {
      let content = try content(body, packing: true)
      #expect(!isPacked(content.body?.members?["n"]))
    }
    let body = try body(1, 2)
    body.withUnsafeBufferPointer {
      #expect(StoredValue.count(in: $0, packing: false) > 2 * PackedArrayTests.count)
      #expect(StoredValue.count(in: $0, packing: true) < 20)
    }
  }

  /// Instances that merge in different ways must not come to different bytes.
  @Test(arguments: [Policy?.none] + Policy.allCases.map { $0 })
  func mergeResultDoesNotDependOnPacking(_ policy: Policy?) throws {
    let bodies = try [body(0, 0), body(0, 1), body(2, 0)]
    let results = try [(true, true, true), (false, false, false), (true, true, false)].map { packing in
      let base = Base(try content(bodies[0], packing: packing.0))
      let ours = try content(bodies[1], packing: packing.1)
      let theirs = try content(bodies[2], packing: packing.2)
      let digests = [1, 2].map { Digest([UInt8](repeating: $0, count: 32))! }
      return Merge(base: base, ours: ours, theirs: theirs, rules: MergeRules(policy: { _ in policy })) { _ in
        (
          Provenance(revision: RevisionID(depth: 2, digest: digests[0]), lamport: 4, isOwn: true),
          Provenance(revision: RevisionID(depth: 2, digest: digests[1]), lamport: 3)
        )
      }
    }
    for result in results.dropFirst() {
      #expect(result.content == results[0].content)
      #expect(result.paths.map(\.state) == results[0].paths.map(\.state))
    }
    #expect(results[0].isClean == (policy?.choosesSide ?? false))
  }
}
