import SeaEngine
import SeaTestSupport
import Testing

/// What a program that links the library can do, with nothing but its public names.
@Suite struct PublicTests {
  @Test func twoProgramsShareAFolder() throws {
    let scratch = try ScratchFolder()
    let one = try Database.create(in: scratch.path("one"), name: "one", contentType: "org.example.test")
    try one.attach("team", at: scratch.path("team"))
    let revisions = try one.put([#"{"_id":"a","_type":"t","n":1}"#, #"{"_id":"b","n":2}"#])
    #expect(revisions.count == 2 && revisions.allSatisfy { $0.hasPrefix("1-") })
    #expect(try one.get("a") == #"{"_id":"a","_type":"t","_rev":"\#(revisions[0])","n":1}"#)
    #expect(try one.sync("team").pushed == 2)
    try one.delete(record: "b")
    #expect(try one.get("b") == nil)
    #expect(throws: (any Error).self) { try one.put([#"{"_id":"a"} {}"#]) }
    #expect(throws: (any Error).self) { try one.put([#"{"_id":"a","_rev":"\#(revisions[1])"}"#]) }
    #expect(try one.conflictingIDs() == [])
    var seen: [String] = []
    try one.forEach(type: "t") {
      seen.append($0)
      return true
    }
    #expect(seen.count == 1)
    one.close()
    let reader = try Database.open(one.path)
    #expect(try reader.get("a") != nil)
    reader.close()
  }

  @Test func aProgramDecides() throws {
    let scratch = try ScratchFolder()
    let one = try Database.create(in: scratch.path("one"), name: "one", contentType: "org.example.test")
    try one.attach("team", at: scratch.path("team"))
    let first = try one.put([#"{"_id":"x","_type":"t","a":0,"b":0,"n":{"$counter":1}}"#, #"{"_id":"y","a":0,"b":0}"#])
    try one.sync("team")
    let two = try Database.clone(scratch.path("team"), to: scratch.path("two"), name: "two")
    try one.put([#"{"_id":"x","_type":"t","a":1,"b":0,"n":{"$counter":2}}"#, #"{"_id":"y","a":1,"b":0}"#])
    try two.put([#"{"_id":"x","_type":"t","a":2,"b":2,"n":{"$counter":4}}"#, #"{"_id":"y","a":0,"b":2}"#])
    try one.sync("team")
    let done = try two.sync("origin")
    #expect(done.merged == ["y"] && done.conflicting == ["x"])
    #expect(try two.versions(of: "y") == nil && two.resolve("y", with: #"{"_id":"y"}"#) == nil)
    let versions = try #require(try two.versions(of: "x"))
    #expect(versions.clashes == ["/a"])
    #expect(versions.versions.count == 2 && versions.versions[0].contains("_conflicts"))
    #expect(versions.base?.contains(#""_rev":"\#(first[0])","a":0,"b":0,"n":{"$counter":1}"#) == true)
    #expect(versions.merged.contains(#""b":2,"n":{"$counter":5}"#), "\(versions.merged)")
    #expect(throws: (any Error).self) { try two.resolve("x", with: #"{"_id":"x","_rev":"\#(first[0])","a":3}"#) }
    #expect(throws: (any Error).self) { try two.resolve("x", with: "[]") }
    let resolved = try two.resolve("x", with: versions.merged)
    #expect(try resolved != nil && two.versions(of: "x") == nil)
    try two.sync("origin")
    try one.sync("team")
    #expect(try one.get("x") == two.get("x") && one.get("x")?.contains(#""$counter":5"#) == true)
    #expect(try one.conflictingIDs() == [])
  }

  @Test func aProgramFollows() throws {
    let scratch = try ScratchFolder()
    let one = try Database.create(in: scratch.path("one"), name: "one", contentType: "org.example.test")
    try one.attach("team", at: scratch.path("team"))
    let start = try one.position()
    let first = try one.put([#"{"_id":"x","_type":"t","n":1}"#])
    try one.sync("team")
    let two = try Database.clone(scratch.path("team"), to: scratch.path("two"), name: "two")
    try two.delete(record: "x")
    try two.sync("origin")
    try one.sync("team")
    var told: [RecordChange] = []
    let end = try one.forEachChange(since: start) {
      told.append($0)
      return true
    }
    #expect(told.map(\.effect) == [.created, .deleted] && told.map(\.isOwn) == [true, false])
    #expect(told[0].old == nil && told[0].revision == first[0] && told[1].old == first[0] && told[1].type == "t")
    #expect(try end == one.position() && told[1].position == end && !told[1].isConflict)
    #expect(try one.forEachChange(since: told[0].position) { $0.effect == .created } == end)
    #expect(throws: (any Error).self) { try two.forEachChange(since: end) { _ in true } }
  }

  @Test func aSealedFolder() throws {
    let scratch = try ScratchFolder()
    let password = Array("correct horse".utf8)
    let one = try Database.create(
      in: scratch.path("one"), name: "one", contentType: "org.example.test", password: password)
    try one.attach("team", at: scratch.path("team"))
    try one.put([#"{"_id":"a","n":1}"#])
    try one.sync("team")
    for wrong in [Array("wrong".utf8), [], [0xFF], Array("null\0".utf8)] {
      #expect(throws: (any Error).self) {
        try Database.clone(scratch.path("team"), to: scratch.path("two"), name: "two") { wrong }
      }
    }
    var asked = 0
    let two = try Database.clone(scratch.path("team"), to: scratch.path("two"), name: "two", keepsKeys: false) {
      asked += 1
      return password
    }
    #expect(try two.get("a") != nil && !two.isWaiting())
    try two.put([#"{"_id":"b","n":2}"#])
    try two.sync("origin")
    #expect(asked == 1)
    two.close()
    let again = try Database.open(two.path, writing: true) {
      asked += 1
      return password
    }
    try again.put([#"{"_id":"c","n":3}"#])
    try again.sync("origin")
    #expect(asked == 2)
    again.close()
    let without = try Database.open(two.path, writing: true)
    #expect(try without.get("c") != nil)
    #expect(throws: (any Error).self) { try without.put([#"{"_id":"d"}"#]) }
    without.close()
    try one.sync("team")
    #expect(try one.get("c") != nil)
  }

  @Test func membersOnly() throws {
    let scratch = try ScratchFolder()
    let one = try Database.create(
      in: scratch.path("one"), name: "one", contentType: "org.example.test", requiresAuthorisation: true)
    #expect(try !one.isWaiting())
    try one.attach("team", at: scratch.path("team"))
    try one.sync("team")
    let two = try Database.clone(scratch.path("team"), to: scratch.path("two"), name: "two")
    #expect(try two.isWaiting())
  }

  /// The public way to a database has the rounds of a new slot, and takes no password that nobody could type again.
  @Test func badPasswordsMakeNothing() throws {
    let scratch = try ScratchFolder()
    for bad in [[], [0xC3, 0x28], [0x61, 0], [UInt8](repeating: 0x61, count: (1 << 20) + 1)] as [[UInt8]] {
      #expect(throws: (any Error).self) {
        try Database.create(in: scratch.path("one"), name: "one", contentType: "t", password: bad)
      }
      #expect(try scratch.files() == [])
    }
  }
}
