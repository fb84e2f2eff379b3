import SeaCore
import SeaEngine
import Testing

@Suite struct KeyDerivationTests {
  @Test func roundsMatchTimeWithinBounds() {
    func rounds(_ milliseconds: Int, _ nanoseconds: Int64) -> Int {
      KeyDerivation.rounds(milliseconds: milliseconds, probe: 50_000, nanoseconds: nanoseconds)
    }
    // 50,000 rounds in 20 ms are 2,500 per millisecond.
    #expect(rounds(1000, 20_000_000) == 2_500_000)
    #expect(rounds(999, 20_000_000) == 2_490_000)
    #expect(rounds(240, 20_000_000) == 600_000)
    for (milliseconds, nanoseconds) in [(1, 20_000_000), (0, 1), (Int.min, 1), (1000, 0), (1000, -1), (1000, .max)] {
      #expect(rounds(milliseconds, Int64(nanoseconds)) == 600_000)
    }
    #expect(rounds(.max, 1) == 10_000_000)
    #expect(rounds(100_000, 20_000_000) == 10_000_000)
  }

  @Test func calibrationMeasuresRounds() throws {
    var now: Int64 = 0
    let rounds = try KeyDerivation.calibratedRounds(milliseconds: 1000) {
      now += 25_000_000
      return now
    }
    #expect(rounds == 2_000_000)
    #expect(try Slot.roundBounds.contains(KeyDerivation.calibratedRounds(milliseconds: 300)))
  }
}
