import SeaSystem
import SeaTestSupport
import Testing

/// Tests that run twice: with plain and with encrypted databases. `SEA_TEST_SEALED=0` or `1` selects one form.
///
/// The trait is for suites whose results encryption may change: contents of blocks, containers and bundles, reading
/// them, and their damage. Suites about encryption take it as an argument.
struct BothForms: SuiteTrait, TestTrait, TestScoping {
  private static let only = ThisProcess.environment("SEA_TEST_SEALED").map { $0 == "1" }

  var isRecursive: Bool { true }

  func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    for isSealed in [false, true] where isSealed == Self.only ?? isSealed {
      try await SyncWorld.$isSealed.withValue(isSealed) {
        try await IssueHandlingTrait.compactMapIssues { issue in
          var issue = issue
          issue.comments.append(isSealed ? "sealed" : "plain")
          return issue
        }.provideScope(for: test, testCase: testCase, performing: function)
      }
    }
  }
}

extension Trait where Self == BothForms {
  static var plainAndSealed: Self { Self() }
}
