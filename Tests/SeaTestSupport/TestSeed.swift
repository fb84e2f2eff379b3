import SeaSystem

/// Seeds of random cases: the same ones on any day, unless Tests/run.py sets others.
package enum TestSeed {
  /// `SEA_TEST_SEED`, else 1. Tests/run.py prints it; `make torture` sets the day.
  package static let value: UInt64 = ThisProcess.environment("SEA_TEST_SEED").flatMap { UInt64($0) } ?? 1

  /// How many times as much is tried as in `make test`: `SEA_TEST_MORE`, which `make torture` sets.
  package static let factor: UInt64 = ThisProcess.environment("SEA_TEST_MORE").flatMap { UInt64($0) } ?? 1

  /// The seeds of `SEA_TEST_ONLY`, with commas between: those that a test has named when it failed.
  private static let only: [UInt64]? = ThisProcess.environment("SEA_TEST_ONLY").map { text in
    text.split(separator: ",").map { part in
      guard let seed = UInt64(part) else { fatalError("SEA_TEST_ONLY: \(part)") }
      return seed
    }
  }

  /// So many seeds. A test takes them as arguments, or names the one that it fails with.
  package static func some(_ count: UInt64) -> [UInt64] { only ?? numbered(0..<count * factor) }

  /// The seeds with these numbers.
  package static func numbered(_ range: Range<UInt64>) -> [UInt64] { range.map { value &* 1_000_000 &+ $0 } }
}
