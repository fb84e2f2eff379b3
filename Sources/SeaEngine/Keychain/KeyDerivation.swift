import SeaCore
import SeaSystem

/// How much work a new password slot asks for.
package enum KeyDerivation {
  /// The rounds of PBKDF2 that take about so long on this machine, within what a new slot may have.
  ///
  /// - Parameter clock: nanoseconds; the processor's by default, for what else runs says nothing about the machine.
  package static func calibratedRounds(
    milliseconds: Int, clock: () -> Int64 = Clock.processor
  ) throws(CoreError) -> Int {
    let probe = Slot.roundBounds.lowerBound
    var best = Int64.max
    // The shortest of three is nearest to the truth: everything that disturbs a measurement makes it longer.
    for _ in 0..<3 {
      let start = clock()
      _ = try PBKDF2.key(password: [0x73, 0x65, 0x61], salt: [UInt8](repeating: 0, count: 16), rounds: probe)
      best = min(best, clock() &- start)
    }
    return rounds(milliseconds: milliseconds, probe: probe, nanoseconds: best)
  }

  /// The same of a measurement that was made: `probe` rounds took so many nanoseconds.
  package static func rounds(milliseconds: Int, probe: Int, nanoseconds: Int64) -> Int {
    let least = Slot.leastNewRounds
    guard nanoseconds > 0, milliseconds > 0 else { return least }
    let wanted = Double(probe) * Double(milliseconds) * 1e6 / Double(nanoseconds)
    guard wanted > Double(least) else { return least }
    guard wanted < Double(Slot.roundBounds.upperBound) else { return Slot.roundBounds.upperBound }
    // Whole ten thousands: the exact number would tell one machine from another.
    return Int(wanted) / 10_000 * 10_000
  }
}
