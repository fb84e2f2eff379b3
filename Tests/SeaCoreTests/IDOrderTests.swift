import SeaCore
import SeaTestSupport
import Testing

@Suite struct IDOrderTests {
  /// Against sorting the whole ids, for ids that rise, that fall, that begin alike, that are the same, and that end in zeros.
  @Test(arguments: TestSeed.some(20)) func idsAreSortedByBytes(seed: UInt64) {
    var random = SeededRandom(seed)
    for run in 0..<24 {
      let letters = run % 3 == 0 ? 1...2 : 0...255
      var ids = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        (0..<Int.random(in: 0...12, using: &random)).map { _ in UInt8(Int.random(in: letters, using: &random)) }
      }
      if run % 4 == 0 { ids.sort { $0.lexicographicallyPrecedes($1) } }
      if run % 8 == 1 { ids.sort { $1.lexicographicallyPrecedes($0) } }
      let expected = ids.indices.sorted {
        ids[$0] == ids[$1] ? $0 < $1 : ids[$0].lexicographicallyPrecedes(ids[$1])
      }
      let flat = ids.flatMap { $0 }
      flat.withUnsafeBufferPointer { bytes in
        var order = IDOrder(capacity: ids.count)
        var start = 0
        for id in ids {
          order.add(UnsafeBufferPointer(rebasing: bytes[start..<(start + id.count)]))
          start += id.count
        }
        #expect(order.sorted().map(Int.init) == expected, "\(ids)")
      }
    }
  }
}
