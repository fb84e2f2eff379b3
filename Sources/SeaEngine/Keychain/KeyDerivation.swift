import SeaCore
import SeaSystem

package enum KeyDerivation {
  /// Returns the number of PBKDF2 rounds that take about this much time on this machine, within the bounds for new key
  /// slots.
  /// - Parameter clock: returns nanoseconds; by default processor time, because other processes do not affect it.
  package static func calibratedRounds(
    milliseconds: Int, clock: () -> Int64 = Clock.processor
  ) throws(CoreError) -> Int {
    let probe = Slot.roundBounds.lowerBound
    var best = Int64.max
    // The shortest of three measurements is the most accurate, because disturbances only make a measurement longer.
    for _ in 0..<3 {
      let start = clock()
      _ = try PBKDF2.key(password: [0x73, 0x65, 0x61], salt: [UInt8](repeating: 0, count: 16), rounds: probe)
      best = min(best, clock() &- start)
    }
    return rounds(milliseconds: milliseconds, probe: probe, nanoseconds: best)
  }

  package static func rounds(milliseconds: Int, probe: Int, nanoseconds: Int64) -> Int {
    let least = Slot.leastNewRounds
    guard nanoseconds > 0, milliseconds > 0 else { return least }
    let wanted = Double(probe) * Double(milliseconds) * 1e6 / Double(nanoseconds)
    guard wanted > Double(least) else { return least }
    guard wanted < Double(Slot.roundBounds.upperBound) else { return Slot.roundBounds.upperBound }
    // Rounded down to a multiple of 10,000, because the exact number might identify the machine.
    return Int(wanted) / 10_000 * 10_000
  }
}
