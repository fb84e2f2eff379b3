import SeaCore
import SeaTestSupport
import Testing

@Suite struct IDTableTests {
  /// Against a dictionary: ids of all lengths, few of them, so that many are met again.
  @Test(arguments: TestSeed.some(20)) func tableFindsSameIDsAsDictionary(seed: UInt64) {
    var random = SeededRandom(seed)
    var (table, ids, expected) = (IDTable(), [UnsafeMutableBufferPointer<UInt8>](), [[UInt8]: Int]())
    defer { for id in ids { id.deallocate() } }
    func find(_ id: [UInt8]) -> Int? {
      id.withUnsafeBufferPointer { table.find($0) { UnsafeBufferPointer(ids[$0]) } }
    }
    for _ in 0..<3000 {
      let length = Int.random(in: 0...3, using: &random)
      let id = (0..<length).map { _ in UInt8(Int.random(in: 0..<12, using: &random)) }
      #expect(find(id) == expected[id])
      guard expected[id] == nil, Bool.random(using: &random) else { continue }
      let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: id.count)
      _ = copy.initialize(from: id)
      expected[id] = ids.count
      table.add(UnsafeBufferPointer(copy), ids.count)
      ids.append(copy)
    }
    for (id, number) in expected { #expect(find(id) == number) }
  }
}
