import SeaCore
import SeaTestSupport
import Testing

@Suite struct RecordStateTests {
  private let me = RecordSupport.instance
  private let other = UUID("00000000-0000-8000-8000-0000000000bb")!

  private func adopt(_ json: String, _ previous: Value? = nil) throws -> Value {
    try Value.adopting(RecordSupport.draft(json), previous: previous, instance: me)
  }

  @Test func counterContinuesFromPreviousState() throws {
    let first = try adopt(#"{"n":{"$counter":5}}"#)
    #expect(try first.json() == #"{"n":{"$counter":5}}"#)
    let second = try Value.adopting(RecordSupport.draft(#"{"n":{"$counter":-2}}"#), previous: first, instance: other)
    guard case .counter(let counter)? = second.members?["n"] else { return #expect(Bool(false)) }
    #expect(counter.value == -2)
    #expect(counter.entries.map { $0.increments } == [5, 0])
    #expect(counter.entries.map { $0.decrements } == [0, 7])
    #expect(try adopt(#"{"n":{"$counter":-2}}"#, second) == second)
    #expect(Hex.text(try adopt(#"{"n":{"$counter":0}}"#).encoding) == "a1616ea16824636f756e746572a0")
  }

  @Test func counterOverflowIsRefused() throws {
    var counter = Counter()
    try counter.add(Int128(UInt64.max), by: me)
    #expect(throws: CoreError.counterOverflow(names: [])) { try counter.add(1, by: me) }
    #expect(throws: CoreError.counterOverflow(names: [])) { try counter.add(Int128(UInt64.max) * -2, by: me) }
    try counter.add(Int128(UInt64.max), by: other)
    #expect(counter.value == 2 * Int128(UInt64.max))
    #expect(try Value.counter(counter).json() == #"{"$counter":{"$int":"36893488147419103230"}}"#)
    #expect(try Value.json(Value.counter(counter).json()) == .counterDraft(2 * Int128(UInt64.max)))
  }

  /// Whoever adds an element that is there says so: it stays although somebody else removes what they know of.
  @Test func readdedElementWinsOverConcurrentRemoval() throws {
    let base = try adopt(#"{"t":{"$set":["a","b"]}}"#).inherited(from: RecordSupport.digest)
    guard case .set(let known)? = base.members?["t"] else { return #expect(Bool(false)) }
    var (ours, theirs) = (known, known)
    ours.addAnew(.string("a"))
    #expect(ours.tags(of: .string("a")) == [.thisRevision])
    #expect(ours.tags(of: .string("b")) == known.tags(of: .string("b")))
    theirs.remove(.string("a"))
    theirs.remove(.string("b"))
    let digest = Digest([UInt8](repeating: 9, count: 32))!
    let merged = ElementSet.merged(base: known, ours.inherited(from: digest), theirs)
    #expect(merged.elements == [.string("a")] && merged.tags(of: .string("a")) == [.revision(digest)])
  }

  @Test func setKeepsTagsOfRemainingElements() throws {
    let first = try adopt(#"{"t":{"$set":["b","a","b"]}}"#)
    #expect(try first.json() == #"{"t":{"$set":["a","b"]}}"#)
    let settled = first.inherited(from: RecordSupport.digest)
    let second = try adopt(#"{"t":{"$set":["c","b"]}}"#, settled)
    guard case .set(let set)? = second.members?["t"] else { return #expect(Bool(false)) }
    #expect(set.tags(of: .string("b")) == [.revision(RecordSupport.digest)])
    #expect(set.tags(of: .string("c")) == [.thisRevision])
    #expect(set.tags(of: .string("a")).isEmpty)
    let again = second.inherited(from: RecordSupport.digest)
    #expect(try adopt(#"{"t":{"$set":["c","b"]}}"#, again) == again)
    #expect(try adopt(#"{"t":{"$set":[]}}"#, again).json() == #"{"t":{"$set":[]}}"#)
  }

  @Test func counterStateIsMatchedByPath() throws {
    let first = try adopt(#"{"a":{"b":[1,{"$counter":3}]},"c":{"$counter":1}}"#)
    let second = try adopt(#"{"a":{"b":["x",{"$counter":4}]},"c":2}"#, first)
    #expect(try second.json() == #"{"a":{"b":["x",{"$counter":4}]},"c":2}"#)
    guard case .counter(let counter)? = second[try PropertyPath("a.b.1")] else { return #expect(Bool(false)) }
    #expect(counter.entries.map { $0.increments } == [4])
  }

  @Test(arguments: TestSeed.some(4)) func joiningCountersIsALattice(seed: UInt64) {
    var generator = ValueGenerator(seed)
    for _ in 0..<200 {
      let (a, b, c) = (generator.counter(), generator.counter(), generator.counter())
      #expect(a.joined(a) == a)
      #expect(a.joined(b) == b.joined(a))
      #expect(a.joined(b).joined(c) == a.joined(b.joined(c)))
      #expect(a.joined(Counter()) == a)
    }
  }

  @Test(arguments: TestSeed.some(4)) func joiningSetsIsALattice(seed: UInt64) {
    var generator = ValueGenerator(seed)
    func same(_ a: ElementSet, _ b: ElementSet) -> Bool { Value.set(a) == Value.set(b) }
    for _ in 0..<100 {
      let (a, b, c) = (generator.set(), generator.set(), generator.set())
      #expect(same(a.joined(a), a))
      #expect(same(a.joined(b), b.joined(a)))
      #expect(same(a.joined(b).joined(c), a.joined(b.joined(c))))
      #expect(same(ElementSet.merged(base: a, a, b), b))
      #expect(same(ElementSet.merged(base: a, b, a), b))
      #expect(same(ElementSet.merged(base: a, b, c), ElementSet.merged(base: a, c, b)))
      #expect(same(ElementSet.merged(base: ElementSet(), a, b), a.joined(b)))
    }
  }

  @Test func elementReaddedOnOneSideStays() {
    let (old, new) = (ElementSet.Tag.revision(.zero), ElementSet.Tag.revision(RecordSupport.digest))
    var base = ElementSet()
    base.add(.string("x"), tag: old)
    var ours = base
    ours.remove(.string("x"))
    var theirs = base
    #expect(ElementSet.merged(base: base, ours, theirs).count == 0)
    theirs.add(.string("x"), tag: new)
    #expect(ElementSet.merged(base: base, ours, theirs).tags(of: .string("x")) == [new])
    theirs.remove(.string("x"), tags: [new])
    #expect(theirs.tags(of: .string("x")) == [old])
  }

  @Test func draftIsRefusedAsBody() throws {
    for text in [#"{"n":{"$counter":5}}"#, #"{"t":{"$set":[1]}}"#] {
      let read = try RecordSupport.encode(Array(text.utf8))
      #expect(read.input.needsState)
      #expect(throws: CoreError.self) { try RecordSupport.validate(read.body) }
      let draft = try RecordSupport.draft(text)
      var writer = ByteWriter()
      #expect(throws: CoreError.self) { try draft.encodeBody(into: &writer) }
      #expect(writer.count == 0)
    }
  }
}
