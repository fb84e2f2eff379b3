import SeaStore
import SeaTestSupport
import Testing

@Suite struct SmallMapTests {
  @Test(arguments: TestSeed.some(20)) func mapBehavesLikeSortedDictionary(seed: UInt64) {
    var random = SeededRandom(seed)
    var map = SmallMap<Int>()
    var model: [Int64: Int] = [:]
    for step in 0..<400 {
      let key = Int64.random(in: -20...60, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        map[key] = nil
        model[key] = nil
      case 1:
        if let at = map.index(of: key) {
          map.remove(at: at)
          model[key] = nil
        }
      default:
        map[key] = step
        model[key] = step
      }
      #expect(map[key] == model[key])
    }
    #expect(map.keys == model.keys.sorted() && map.values == model.sorted { $0.key < $1.key }.map(\.value))
    #expect(map.count == model.count)
    map.removeAll()
    #expect(map.count == 0 && map.index(of: 0) == nil)
  }
}
