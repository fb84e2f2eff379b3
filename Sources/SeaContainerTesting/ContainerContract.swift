public import SeaKit
internal import SeaSystem

internal import class SeaContainer.HelperTrial
internal import class SeaContainer.Helpers

/// A promise of `Container` that an implementation does not keep.
public struct BrokenPromise: Sendable, Hashable, CustomStringConvertible {
  /// The promise, as a fixed word such as `once`.
  public let promise: String
  /// The observed fault.
  public let what: String

  /// The promise and the fault.
  public var description: String { "\(promise): \(what)" }
}

/// Tests whether a custom container keeps the promises of `Container`.
///
///     @Test func driveKeepsItsPromises() async throws {
///       #expect(try await ContainerContract.check { DriveContainer("drive:trial") }.isEmpty)
///     }
///
/// The check works with any test framework, because it returns the faults.
public enum ContainerContract {
  /// The storage of the container is not empty. Its files have not been changed.
  public struct PlaceNotEmpty: Error {
    /// The name of one of the existing files.
    public let name: String
  }

  /// Runs the checks of sea-test-helper(1) with small files, files of 9 MiB, and the files that a sync writes. If each
  /// call takes milliseconds, the check takes seconds. A stuck call ends after `patience`.
  /// - Parameter make: creates a container. All containers must use the same storage, which must be empty at the start.
  /// - Returns: the broken promises in the order of `promises`. Fix the first one first, because later checks use its
  ///   files.
  /// - Throws: ``PlaceNotEmpty``, and errors from the first call of `make`.
  public static func check(
    _ make: @escaping @Sendable () async throws -> any Container
  ) async throws -> [BrokenPromise] {
    let names = Guarded<[String]>([])
    try await make().list(in: nil) { file in names.with { $0.append(file.name) } }
    if let name = names.with({ $0.first }) { throw PlaceNotEmpty(name: name) }
    let (results, end) = AsyncThrowingStream<BrokenPromise, any Error>.makeStream()
    try SerialThread().run {
      let helpers = Helpers { _ in nil }
      helpers.reach(["trial": { _ in try await make() }])
      defer { helpers.close() }
      do {
        let trial = try HelperTrial("trial:place", helpers)
        trial.only = Set(promises)
        try trial.run { check in
          if let fault = check.fault { end.yield(BrokenPromise(promise: check.name, what: fault)) }
        }
        end.finish()
      } catch { end.finish(throwing: error) }
    }
    var broken: [BrokenPromise] = []
    for try await one in results { broken.append(one) }
    return broken
  }

  /// The words for all promises, in the order of the checks.
  public static let promises = [
    "missing", "put", "range", "once", "list", "order", "replace", "move", "delete", "large", "whole", "anew",
    "container",
  ]
}
