import SeaKit
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
}
