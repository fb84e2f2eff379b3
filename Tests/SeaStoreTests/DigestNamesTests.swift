import SeaCore
import SeaStore
import SeaTestSupport
import Testing

@Suite struct DigestNamesTests {
  private func digest(_ number: Int) -> Digest { SHA256.hash(Array("\(number)".utf8)) }

  /// Whatever their number, those in memory are not more, and each of them is found.
  @Test(arguments: [1, 2, 4, 8]) func memoryStaysBounded(_ thousands: Int) throws {
    let store = try Store(temporary: ())
    let names = try DigestNames(beside: store, most: 500)
    for k in 0..<1000 * thousands {
      try names.add("id\(k)", for: digest(k))
      #expect(names.inMemory < 500)
    }
    for k in 0..<1000 * thousands { #expect(try names.names(digest(k), limit: 2) == ["id\(k)"]) }
    #expect(try names.names(digest(-1), limit: 2) == [])
  }

  @Test func namesOfOneDigestAreFoundOnce() throws {
    let store = try Store(temporary: ())
    let names = try DigestNames(beside: store, most: 2)
    for name in ["a", "b", "a", "c", "b"] { try names.add(name, for: digest(1)) }
    #expect(Set(try names.names(digest(1), limit: 20)) == ["a", "b", "c"])
    #expect(try names.names(digest(1), limit: 2).count == 2)
    try names.add("z", for: digest(2))
    try names.add("y", for: digest(3))
    #expect(try names.names(digest(2), limit: 20) == ["z"] && Set(names.names(digest(1), limit: 20)).count == 3)
  }
}
