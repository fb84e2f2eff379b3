import SeaKit
import Testing

/// What a call throws that has to fail.
func failure<Result>(of call: () async throws -> Result) async throws -> SeaError {
  do { _ = try await call() } catch let error as SeaError { return error }
  throw DidNotFail()
}

struct DidNotFail: Error {}
