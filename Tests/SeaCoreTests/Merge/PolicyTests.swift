import SeaCore
import Testing

@Suite struct PolicyTests {
  private func revision(_ depth: UInt32, _ byte: UInt8) -> RevisionID {
    RevisionID(depth: depth, digest: Digest([UInt8](repeating: byte, count: 32))!)
  }

  /// What a policy makes of two values that clash; nil if they still do. Either way round it is the same.
  private func settle(
    _ policy: Policy, _ a: String?, _ b: String?, _ here: Provenance = Provenance(), _ there: Provenance = Provenance()
  ) throws -> String? {
    func content(_ json: String?) throws -> Content {
      Content(type: nil, body: .dictionary(Members(try json.map { [("k", try Value.json($0))] } ?? [])))
    }
    let base = Base(Content(type: nil, body: .dictionary(Members([("k", .string("?"))]))))
    let rules = MergeRules(policy: { _ in policy })
    let (ours, theirs) = (try content(a), try content(b))
    let merge = Merge(base: base, ours: ours, theirs: theirs, rules: rules) { _ in (here, there) }
    let back = Merge(base: base, ours: theirs, theirs: ours, rules: rules) { _ in (there, here) }
    #expect(merge.isClean == back.isClean)
    guard merge.isClean else { return nil }
    #expect(merge.content == back.content)
    #expect(merge.paths.contains { $0.state == .settled(policy) })
    return try merge.content.body?.members?["k"].map { try $0.json() } ?? "-"
  }

  @Test(arguments: [
    ("1", "2", "1", "2"), ("1.5", "2", "1.5", "2"), ("-1", "-2", "-2", "-1"),
    (#"{"$decimal":"1.50"}"#, "1.25", "1.25", #"{"$decimal":"1.50"}"#),
    (#"{"$int":"18446744073709551616"}"#, "1e19", "10000000000000000000", #"{"$int":"18446744073709551616"}"#),
    (
      #"{"$date":"2026-01-01T00:00:00Z"}"#, #"{"$date":"2026-01-02T00:00:00Z"}"#, #"{"$date":"2026-01-01T00:00:00Z"}"#,
      #"{"$date":"2026-01-02T00:00:00Z"}"#
    ),
  ])
  func minAndMaxTakeSmallerAndGreaterValue(_ a: String, _ b: String, _ least: String, _ most: String) throws {
    let (min, max) = (try settle(.min, a, b), try settle(.max, a, b))
    #expect(try min == Value.json(least).json())
    #expect(try max == Value.json(most).json())
  }

  /// What is inside decides, and takes its semantic type along.
  @Test func chosenValueKeepsItsSemanticType() throws {
    func labeled(_ type: String, _ json: String) -> String { #"{"$label":"\#(type)","$value":\#(json)}"# }
    #expect(try settle(.max, labeled("Home", "1"), labeled("Work", "2")) == labeled("Work", "2"))
    #expect(try settle(.min, labeled("Home", "1"), "2") == labeled("Home", "1"))
    #expect(try settle(.max, labeled("Home", "1"), labeled("Work", "1")) == labeled("Work", "1"))
    #expect(try settle(.max, labeled("Home", "1"), #""x""#) == nil)
  }

  @Test func equalNumbersResolveToGreaterEncoding() throws {
    let (a, b) = ("1.5", #"{"$decimal":"1.5"}"#)
    let greatest = try [a, b].map { try Value.json($0) }.max { $0.encoding.lexicographicallyPrecedes($1.encoding) }
    #expect(try settle(.max, a, b) == greatest?.json())
    #expect(try settle(.min, a, b) == greatest?.json())
  }

  /// The base is "?". The vectors have texts that are merged.
  @Test func textPolicyLeavesUnmergeableTextsInConflict() throws {
    func labeled(_ type: String, _ text: String) -> String { #"{"$label":"\#(type)","$value":"\#(text)"}"# }
    #expect(try settle(.text, #""a\n?""#, #""b\n?""#) == nil)
    #expect(try settle(.text, #""a\n?""#, #""a\n?b""#) == nil)
    #expect(try settle(.text, labeled("Home", #"a\n?"#), labeled("Work", #"a\n?"#)) == nil)
    #expect(try settle(.text, labeled("Home", #"a\n?"#), #""a\n?""#) == nil)
  }

  @Test(arguments: [Policy.max, .min, .text])
  func policyLeavesOtherKindsInConflict(_ policy: Policy) throws {
    for (a, b) in [(nil, "1"), ("1", "\"a\""), ("true", "false"), ("{\"a\":1}", "[1]"), ("\"a\"", "[1]")] {
      #expect(try settle(policy, a, b) == nil, "\(policy)")
    }
  }

  @Test func winnerPolicyTakesWinningRevision() throws {
    let (low, high) = (Provenance(revision: revision(2, 9)), Provenance(revision: revision(3, 1)))
    #expect(try settle(.winner, "1", "2", low, high) == "2")
    #expect(try settle(.winner, "1", nil, low, high) == "-")
    #expect(try settle(.winner, "1", "2", Provenance(), high) == nil)
    #expect(try settle(.newest, "1", "2", low, high) == nil)
  }

  @Test func newestPolicyTakesLatestLamportTime() throws {
    let early = Provenance(revision: revision(3, 1), lamport: 4)
    let late = Provenance(revision: revision(2, 1), lamport: 5)
    #expect(try settle(.newest, "1", "2", early, late) == "2")
    #expect(try settle(.newest, "1", nil, early, late) == "-")
    var same = late
    same.lamport = 4
    #expect(try settle(.newest, "1", "2", early, same) == "1")
  }

  @Test func oursAndTheirsChooseBySide() throws {
    let own = Provenance(isOwn: true)
    #expect(try settle(.ours, "1", "2", own) == "1")
    #expect(try settle(.theirs, "1", "2", own) == "2")
    #expect(try settle(.ours, "1", "2", Provenance(), own) == "2")
    #expect(try settle(.ours, "1", "2") == nil)
    #expect(try settle(.theirs, "1", "2", own, own) == nil)
  }

  @Test func textPolicyDoesNotMergeTypes() throws {
    let rules = MergeRules(policy: { _ in .text })
    let contents = ["a\n", "a\nb\n", "c\na\n"].map { Content(type: $0, body: .empty) }
    #expect(!Merge(base: Base(contents[0]), ours: contents[1], theirs: contents[2], rules: rules).isClean)
  }

  @Test func atomicGroupComesFromOneSideOrConflicts() throws {
    let group = [[try PropertyPath("/a"), try PropertyPath("/b")]]
    func content(_ a: Int64, _ b: Int64) -> Content {
      Content(type: nil, body: .dictionary(Members([("a", .integer(a)), ("b", .integer(b))])))
    }
    func merge(_ policy: @escaping (PropertyPath) -> Policy?) -> Merge {
      Merge(
        base: Base(content(0, 0)), ours: content(1, 9), theirs: content(2, 0),
        rules: MergeRules(atomic: group, policy: policy)
      ) { _ in (Provenance(lamport: 1), Provenance(lamport: 2)) }
    }
    #expect(merge { _ in .newest }.content == content(2, 0))
    #expect(!merge { _ in .max }.isClean)
    #expect(!merge { $0.pointer == "/a" ? .newest : nil }.isClean)
  }

  @Test func overlappingAtomicGroupsAreJoined() throws {
    let paths = [["a"], ["b", "c"], ["a", "x"], ["b"], ["d"], ["d", "e", "f"], ["a"]].map { PropertyPath(names: $0) }
    let groups = [[paths[0], paths[1]], [paths[2]], [paths[3], paths[4]], [paths[5]], [paths[6]]]
    let value = try Value.json(#"{"r":{"a":{"x":1},"b":{"c":1},"d":{"e":{"f":1}}}}"#).members?["r"] ?? .empty
    let found = AtomicGroups(groups, value, value)
    #expect(found.all.map { $0.paths.map(\.pointer) } == [["/a", "/b", "/d"]])
  }
}
