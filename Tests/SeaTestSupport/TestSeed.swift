import SeaSystem

/// The seeds of random cases. They are the same in each run unless Tests/run.py sets others.
package enum TestSeed {
  /// `SEA_TEST_SEED`, else 1. Tests/run.py prints it; `make torture` sets it to the day.
  package static let value: UInt64 = ThisProcess.environment("SEA_TEST_SEED").flatMap { UInt64($0) } ?? 1

  /// The factor for the number of cases compared with `make test`: `SEA_TEST_MORE`, which `make torture` sets.
  package static let factor: UInt64 = ThisProcess.environment("SEA_TEST_MORE").flatMap { UInt64($0) } ?? 1

  /// The seeds in `SEA_TEST_ONLY`, separated by commas: those that a failed test has printed.
  private static let only: [UInt64]? = ThisProcess.environment("SEA_TEST_ONLY").map { text in
    text.split(separator: ",").map { part in
      guard let seed = UInt64(part) else { fatalError("SEA_TEST_ONLY: \(part)") }
      return seed
    }
  }

  /// Returns `count` seeds or more. A test takes them as arguments, or prints the seed that fails.
  package static func some(_ count: UInt64) -> [UInt64] { only ?? numbered(0..<count * factor) }

  /// The seeds with these numbers.
  package static func numbered(_ range: Range<UInt64>) -> [UInt64] { range.map { value &* 1_000_000 &+ $0 } }
}
