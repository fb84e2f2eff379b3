import SeaSystem

/// The seeds of random test cases. They are the same in each run unless Tests/run.py sets others.
package enum TestSeed {
  /// The base seed: `SEA_TEST_SEED` or 1. Tests/run.py prints the seed, and `make torture` sets it to the day.
  package static let value: UInt64 = ThisProcess.environment("SEA_TEST_SEED").flatMap { UInt64($0) } ?? 1

  /// The factor by which the number of cases exceeds that of `make test`: `SEA_TEST_MORE`, which `make torture` sets.
  package static let factor: UInt64 = ThisProcess.environment("SEA_TEST_MORE").flatMap { UInt64($0) } ?? 1

  /// The seeds in `SEA_TEST_ONLY`, separated by commas, to repeat cases that have failed.
  private static let only: [UInt64]? = ThisProcess.environment("SEA_TEST_ONLY").map { text in
    text.split(separator: ",").map { part in
      guard let seed = UInt64(part) else { fatalError("SEA_TEST_ONLY: \(part)") }
      return seed
    }
  }

  /// Returns at least `count` seeds. A test uses the seeds as arguments, or prints the seed that fails.
  package static func some(_ count: UInt64) -> [UInt64] { only ?? numbered(0..<count * factor) }

  /// Returns the seeds with the given numbers.
  package static func numbered(_ range: Range<UInt64>) -> [UInt64] { range.map { value &* 1_000_000 &+ $0 } }
}
