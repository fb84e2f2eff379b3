import SeaCore
import SeaEngine
import SeaTestSupport
import Testing

/// Access requests in a container are listed, even in a plain database with members.
@Suite struct RequestTests {
  @Test func accessRequestIsListedInPlainDatabase() throws {
    let world = try MemberWorld(sealed: false)
    let one = try world.founder("one", ["team"])
    try one.exchange("team")
    let two = try world.newcomer("two", ["team"])
    let identity = try IdentityFile.read(folder: "\(two.path)/keys", key: nil)
    let request = try JoinRequest.encoded(database: one.databaseID, identity: identity, name: "two")
    try world.scratch.write("team/requests/\(two.instance)", request)
    try one.exchange("team")
    #expect(try one.access.requests.open().map(\.instance) == [two.instance])
    #expect(try one.access.candidate(request: request, named: "request").instance == two.instance)
    #expect(try one.access.candidate(request: request, named: two.instance.description).instance == two.instance)
    #expect(throws: CoreError.badRequest(.badKey)) {
      try one.access.candidate(request: request, named: one.instance.description)
    }
    _ = try one.access.authorize(one.access.candidate("two"), as: .write)
    try two.put("a", [("n", .integer(1))])
    #expect(try world.converge([one, two]) == [])
    #expect(try one.number("a") == 1)
    #expect(try one.access.requests.open().isEmpty)
  }
}
