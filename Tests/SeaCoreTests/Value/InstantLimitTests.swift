import SeaCore
import Testing

/// A peer may sign any time: none of them is too much for what writes it.
@Suite struct InstantLimitTests {
  @Test(arguments: [Int64.min, .min + 1, -62_135_596_800_001, -1, 0, 253_402_300_800_000, .max - 1, .max])
  func timesOutsideRangeAreClamped(_ time: Int64) throws {
    #expect(Instant.range.contains(Instant.clamped(time)))
    #expect(Instant.text(time) == Instant.text(Instant.clamped(time)))
    #expect(!Value.date(time).encoding.isEmpty)
    #expect(try Value.date(Instant.clamped(time)).json().utf8.count > 20)
  }
}
