import SeaCore
import SeaTestSupport
import Testing

@Suite struct MergeTests {
  /// `/a<` only ours changed it, `/a>` only theirs, `/a=` both alike, `/a&` both and it adds up, `/a*` a policy, `/a!` a
  /// clash; what is the same is left out.
  private static func text(_ merge: Merge) -> String {
    merge.paths.compactMap { path in
      let sign: String
      switch path.state {
      case .same: return nil
      case .ours: sign = "<"
      case .theirs: sign = ">"
      case .sameChange: sign = "="
      case .joined: sign = "&"
      case .settled: sign = "*"
      case .clash: sign = "!"
      }
      return path.path.pointer + sign
    }.joined(separator: " ")
  }

  private static func mirrored(_ text: String) -> String {
    String(text.map { $0 == "<" ? ">" : $0 == ">" ? "<" : $0 })
  }

  /// A document with its type, or nothing for a deleted record.
  private static func content(_ json: String) throws -> Content {
    guard json != "-" else { return .deleted }
    var members = try #require(try Value.json("{\"record\":\(json)}").members?["record"]?.members)
    var type: String?
    if case .string(let text)? = members["T"] { type = text }
    members["T"] = nil
    return Content(type: type, body: .dictionary(members))
  }

  private func expect(
    _ base: String, _ ours: String, _ theirs: String, _ merged: String, _ states: String,
    atomic: [[String]] = [], policy: Policy? = nil
  ) throws {
    let rules = MergeRules(atomic: try atomic.map { try $0.map { try PropertyPath($0) } }, policy: { _ in policy })
    let ground = base == "?" ? Base.unknown : base == "-" ? .nothing : Base(try MergeTests.content(base))
    let (a, b) = (try MergeTests.content(ours), try MergeTests.content(theirs))
    let there = Merge(base: ground, ours: a, theirs: b, rules: rules)
    let back = Merge(base: ground, ours: b, theirs: a, rules: rules)
    let note: Comment = "\(base) \(ours) \(theirs)"
    #expect(MergeTests.text(there) == states, note)
    let mirror = MergeTests.mirrored(states)
    #expect(MergeTests.text(back) == mirror, note)
    #expect(there.isClean == (merged != "!") && back.isClean == there.isClean, note)
    guard there.isClean else { return }
    #expect(try there.content == MergeTests.content(merged), note)
    #expect(there.content.body?.encoding == back.content.body?.encoding && there.content == back.content, note)
  }

  @Test(arguments: [
    (#"{"a":1}"#, #"{"a":1}"#, #"{"a":1}"#, #"{"a":1}"#, ""),
    (#"{"a":1}"#, #"{"a":2}"#, #"{"a":1}"#, #"{"a":2}"#, "/a<"),
    (#"{"a":1,"b":1}"#, #"{"a":2,"b":1}"#, #"{"a":1,"b":2}"#, #"{"a":2,"b":2}"#, "/a< /b>"),
    (#"{"a":1}"#, #"{"a":2}"#, #"{"a":2}"#, #"{"a":2}"#, "/a="),
    (#"{"a":1}"#, #"{"a":2}"#, #"{"a":3}"#, "!", "/a!"),
    (#"{}"#, #"{"a":1}"#, #"{"b":1}"#, #"{"a":1,"b":1}"#, "/a< /b>"),
    (#"{"a":1,"b":1}"#, #"{"b":1}"#, #"{"a":1,"b":1}"#, #"{"b":1}"#, "/a<"),
    (#"{"a":1,"b":1}"#, #"{"b":1}"#, #"{"b":1}"#, #"{"b":1}"#, "/a="),
    (#"{"a":1,"b":1}"#, #"{"b":1}"#, #"{"a":2,"b":1}"#, "!", "/a!"),
    (#"{"a":[1,2]}"#, #"{"a":[0,1,2]}"#, #"{"a":[1,2,3]}"#, "!", "/a!"),
    (#"{"a":1.5}"#, #"{"a":{"$decimal":"1.50"}}"#, #"{"a":1.5}"#, #"{"a":{"$decimal":"1.50"}}"#, "/a<"),
    // Dictionaries are merged key by key.
    (
      #"{"a":{"x":1,"y":1,"z":{"q":1}}}"#, #"{"a":{"x":2,"y":1,"z":{"q":1}}}"#, #"{"a":{"x":1,"z":{"q":1,"r":null}}}"#,
      #"{"a":{"x":2,"z":{"q":1,"r":null}}}"#, "/a/x< /a/y> /a/z/r>"
    ),
    (#"{"a":{"x":1}}"#, #"{"a":{"x":2}}"#, #"{"a":{"x":3}}"#, "!", "/a/x!"),
    (#"{"a":{"x":1,"y":1}}"#, #"{"a":{"x":1}}"#, #"{"a":{"y":1}}"#, #"{"a":{}}"#, "/a/x> /a/y<"),
    (#"{"a":{"x":1}}"#, #"{}"#, #"{"a":{"x":1}}"#, #"{}"#, "/a<"),
    (#"{"a":{"x":1}}"#, #"{}"#, #"{"a":{"x":2}}"#, "!", "/a!"),
    (#"{"a":{"x":1}}"#, #"{"a":1}"#, #"{"a":{"x":1}}"#, #"{"a":1}"#, "/a<"),
    (#"{"a":{"x":1}}"#, #"{"a":1}"#, #"{"a":{"x":2}}"#, "!", "/a!"),
    (#"{"a":1}"#, #"{"a":{"x":1}}"#, #"{"a":{"y":1}}"#, #"{"a":{"x":1,"y":1}}"#, "/a/x< /a/y>"),
    (
      #"{"a":{"$dict":{"":1,"~/":1,"$d":1}}}"#, #"{"a":{"":2,"~/":1}}"#, #"{"a":{"$dict":{"":1,"~/":2,"$d":1}}}"#,
      #"{"a":{"":2,"~/":2}}"#, "/a/< /a/$d< /a/~0~1>"
    ),
    // Two spellings of one letter are two names.
    ("{}", "{\"\u{E9}\":1}", "{\"e\u{301}\":2}", "{\"\u{E9}\":1,\"e\u{301}\":2}", "/\u{E9}< /e\u{301}>"),
    // The type is a property, too.
    (#"{"T":"a"}"#, #"{"T":"b"}"#, #"{"T":"a","k":1}"#, #"{"T":"b","k":1}"#, "/_type< /k>"),
    (#"{"T":"a"}"#, #"{"T":"b"}"#, #"{"T":"c"}"#, "!", "/_type!"),
    (#"{"T":"a"}"#, #"{}"#, #"{"T":"a"}"#, #"{}"#, "/_type<"),
    (#"{"T":"a"}"#, #"{}"#, #"{"T":"b"}"#, "!", "/_type!"),
    (#"{"T":"a"}"#, #"{"T":"b"}"#, #"{"T":"b"}"#, #"{"T":"b"}"#, "/_type="),
    // Made twice: everything differs from nothing.
    (
      "-", #"{"T":"a","x":1,"y":1}"#, #"{"T":"a","x":1,"z":2}"#, #"{"T":"a","x":1,"y":1,"z":2}"#,
      "/_type= /x= /y< /z>"
    ),
    ("-", #"{"x":1}"#, #"{"x":2}"#, "!", "/x!"),
    ("-", #"{"T":"a"}"#, #"{"T":"b"}"#, "!", "/_type!"),
    // Of an unknown base nothing is what it was.
    ("?", #"{"x":1,"d":{"x":1}}"#, #"{"x":1,"d":{"x":1}}"#, #"{"x":1,"d":{"x":1}}"#, "/d= /x="),
    ("?", #"{"x":1}"#, #"{"x":1,"y":1}"#, "!", "/x= /y!"),
    ("?", #"{"d":{"x":1,"y":1}}"#, #"{"d":{"x":1,"y":2}}"#, "!", "/d/x= /d/y!"),
  ])
  func propertiesMergeIndependently(
    _ base: String, _ ours: String, _ theirs: String, _ merged: String, _ states: String
  ) throws {
    try expect(base, ours, theirs, merged, states)
  }

  @Test(arguments: [
    ("{}", "-", "-", "-", "="), ("-", "-", "-", "-", ""), (#"{"a":1}"#, "-", #"{"a":1}"#, "-", "<"),
    (#"{"a":1}"#, "-", #"{"a":2}"#, "!", "!"), (#"{"a":1}"#, "-", #"{"T":"t","a":1}"#, "!", "!"),
    ("-", "-", #"{"a":2}"#, #"{"a":2}"#, ">"), ("?", "-", "{}", "!", "!"), ("?", "-", "-", "-", "="),
  ])
  func deletionConflictsOnlyWithConcurrentChange(
    _ base: String, _ ours: String, _ theirs: String, _ merged: String, _ states: String
  ) throws {
    try expect(base, ours, theirs, merged, states)
  }

  @Test(arguments: [
    (
      "{\"n\":{\"$counter\":5}}", "{\"n\":{\"$counter\":7}}", "{\"n\":{\"$counter\":4}}", "{\"n\":{\"$counter\":6}}",
      "/n&"
    ),
    ("-", "{\"n\":{\"$counter\":7}}", "{\"n\":{\"$counter\":4}}", "{\"n\":{\"$counter\":11}}", "/n&"),
    ("{\"n\":{\"$counter\":5}}", "{}", "{\"n\":{\"$counter\":5}}", "{}", "/n<"),
    ("{\"n\":{\"$counter\":5}}", "{}", "{\"n\":{\"$counter\":6}}", "!", "/n!"),
    ("{\"n\":{\"$counter\":5}}", "{\"n\":5}", "{\"n\":{\"$counter\":6}}", "!", "/n!"),
    (
      "{\"n\":{\"$counter\":0}}", "{\"n\":{\"$counter\":9007199254740992}}", "{\"n\":{\"$counter\":1}}",
      "{\"n\":{\"$counter\":{\"$int\":\"9007199254740993\"}}}", "/n&"
    ),
    (
      "{\"n\":{\"$counter\":0}}", "{\"n\":{\"$counter\":{\"$int\":\"170141183460469231731687303715884105727\"}}}",
      "{\"n\":{\"$counter\":1}}", "!", "/n!"
    ),
    (
      "{\"s\":{\"$set\":[1,2]}}", "{\"s\":{\"$set\":[2,3]}}", "{\"s\":{\"$set\":[1,2,4]}}",
      "{\"s\":{\"$set\":[2,3,4]}}", "/s&"
    ),
    ("{\"s\":{\"$set\":[1]}}", "{\"s\":{\"$set\":[]}}", "{\"s\":{\"$set\":[1,2]}}", "{\"s\":{\"$set\":[2]}}", "/s&"),
    ("{\"s\":{\"$set\":[1,2]}}", "{\"s\":{\"$set\":[1]}}", "{\"s\":{\"$set\":[2]}}", "{\"s\":{\"$set\":[]}}", "/s&"),
    ("-", "{\"s\":{\"$set\":[1]}}", "{\"s\":{\"$set\":[2]}}", "{\"s\":{\"$set\":[1,2]}}", "/s&"),
    ("{}", "{\"s\":{\"$set\":[1]}}", "{\"s\":[1]}", "!", "/s!"),
  ])
  func countersAndSetsMergeTheirChanges(
    _ base: String, _ ours: String, _ theirs: String, _ merged: String, _ states: String
  ) throws {
    try expect(base, ours, theirs, merged, states)
  }

  @Test(arguments: [
    // Both fields of a place move together.
    ([["/lat", "/lon"]], #"{"lat":1,"lon":1}"#, #"{"lat":2,"lon":1}"#, #"{"lat":1,"lon":2}"#, "!", "/lat! /lon!"),
    (
      [["/lat", "/lon"]], #"{"lat":1,"lon":1}"#, #"{"lat":2,"lon":1}"#, #"{"lat":1,"lon":1,"x":1}"#,
      #"{"x":1,"lat":2,"lon":1}"#, "/x> /lat<"
    ),
    ([["/lat", "/lon"]], #"{"lat":1,"lon":1}"#, #"{"lat":2}"#, #"{"lat":2}"#, #"{"lat":2}"#, "/lat= /lon="),
    (
      [["/p/lat", "/p/lon"]], #"{"p":{"lat":1,"lon":1,"h":1}}"#, #"{"p":{"lat":2,"lon":1,"h":1}}"#,
      #"{"p":{"lat":1,"lon":1,"h":2}}"#, #"{"p":{"lat":2,"lon":1,"h":2}}"#, "/p/h> /p/lat<"
    ),
    // Where one side has no dictionary on the way, the group is what stands there.
    (
      [["/p/lat", "/n"]], #"{"p":{"lat":1,"h":1},"n":1}"#, #"{"n":1}"#, #"{"p":{"lat":1,"h":1},"n":2}"#, "!", "/n! /p!"
    ),
    // A path alone keeps a dictionary in one piece.
    ([["/a"]], #"{"a":{"x":1,"y":1}}"#, #"{"a":{"x":2,"y":1}}"#, #"{"a":{"x":1,"y":2}}"#, "!", "/a!"),
    ([["/a"]], #"{"a":{"x":1}}"#, #"{"a":{"x":2}}"#, #"{"a":{"x":1}}"#, #"{"a":{"x":2}}"#, "/a<"),
    // Groups that overlap are one; a path within another is that other one.
    (
      [["/a", "/b"], ["/b", "/c"]], #"{"a":1,"b":1,"c":1}"#, #"{"a":2,"b":1,"c":1}"#, #"{"a":1,"b":1,"c":2}"#, "!",
      "/a! /c!"
    ),
    (
      [["/a", "/b"], ["/a/x"]], #"{"a":{"x":1},"b":1}"#, #"{"a":{"x":2},"b":1}"#, #"{"a":{"x":1},"b":2}"#, "!",
      "/a! /b!"
    ),
  ])
  func atomicGroupMergesAsOneUnit(
    _ atomic: [[String]], _ base: String, _ ours: String, _ theirs: String, _ merged: String, _ states: String
  ) throws {
    try expect(base, ours, theirs, merged, states, atomic: atomic)
  }

  /// Random bodies: sides change places nobody tells anything about, and what comes out is checked against the rule in
  /// its own words for one-level bodies, and for symmetry at any level.
  @Test(arguments: TestSeed.some(40)) func mergeIsSymmetricAndMatchesDefinition(_ seed: UInt64) throws {
    var random = Seeded(seed)
    func value(_ depth: Int) -> Value {
      switch Int.random(in: 0..<(depth > 2 ? 3 : 5), using: &random) {
      case 0, 1: return .integer(Int64.random(in: 0...2, using: &random))
      case 2: return .array([.integer(Int64.random(in: 0...1, using: &random))])
      default: return dictionary(depth + 1)
      }
    }
    func dictionary(_ depth: Int) -> Value {
      var members = Members()
      for name in ["a", "b", "cc", "$d"] where Bool.random(using: &random) { members[name] = value(depth) }
      return .dictionary(members)
    }
    for _ in 0..<50 {
      let all = (0..<3).map { _ in Content(type: nil, body: dictionary(0)) }
      let merge = Merge(base: Base(all[0]), ours: all[1], theirs: all[2])
      let back = Merge(base: Base(all[0]), ours: all[2], theirs: all[1])
      #expect(merge.isClean == back.isClean)
      if merge.isClean { #expect(merge.content.body?.encoding == back.content.body?.encoding) }
      #expect(merge.clashes.map(\.path.pointer) == back.clashes.map(\.path.pointer))
      #expect(MergeTests.mirrored(MergeTests.text(merge)) == MergeTests.text(back))
      #expect(Merge(base: Base(all[0]), ours: all[1], theirs: all[0]).content == all[1])
      #expect(Merge(base: Base(all[0]), ours: all[1], theirs: all[1]).content == all[1])
      for name in ["a", "b", "cc", "$d"] {
        let (o, a, b) = (all[0].body!.members![name], all[1].body!.members![name], all[2].body!.members![name])
        if a?.members != nil, b?.members != nil { continue }
        let merged = merge.content.body!.members![name]
        let isClash = merge.clashes.contains { $0.path.names == [name] }
        #expect(isClash == (a != b && a != o && b != o), "seed \(seed)")
        if !isClash { #expect(merged == (a == o ? b : a), "seed \(seed)") }
      }
    }
  }
}
