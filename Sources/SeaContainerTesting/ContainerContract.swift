public import SeaKit
internal import SeaSystem

internal import class SeaContainer.HelperTrial
internal import class SeaContainer.Helpers

/// A promise of `Container` that was not kept.
public struct BrokenPromise: Sendable, Hashable, CustomStringConvertible {
  /// Which one: a word that does not change, as `once`.
  public let promise: String
  /// What was not as it should be.
  public let what: String

  /// Both.
  public var description: String { "\(promise): \(what)" }
}

/// Holds a container that a program brings against what `Container` promises.
///
///     @Test func driveKeepsItsPromises() async throws {
///       #expect(try await ContainerContract.check { DriveContainer("drive:trial") }.isEmpty)
///     }
///
/// It needs no framework for tests: what is broken is returned.
public enum ContainerContract {
  /// The place has files already, and none of them was touched.
  public struct PlaceNotEmpty: Error {
    /// One of them.
    public let name: String
  }

  /// Tries a container with the checks of sea-test-helper(1), over the line by which a sync reaches it: small files, some of 9 MiB, and then
  /// what a sync writes. That takes seconds where a call takes milliseconds; a call that does not return ends with `patience`.
  /// - Parameter make: gives a container; all that it gives have to reach the same place, which is empty before and, if files can be removed,
  ///   afterwards.
  /// - Returns: the promises that were broken, in the order of `promises`; none for a good one. Later checks use the files of earlier ones, so
  ///   the first promise is the one to look at.
  /// - Throws: ``PlaceNotEmpty``, and what `make` throws at first.
  public static func check(
    _ make: @escaping @Sendable () async throws -> any Container
  ) async throws -> [BrokenPromise] {
    let names = Guarded<[String]>([])
    try await make().list(in: nil) { file in names.with { $0.append(file.name) } }
    if let name = names.with({ $0.first }) { throw PlaceNotEmpty(name: name) }
    let (results, end) = AsyncThrowingStream<BrokenPromise, any Error>.makeStream()
    try Lane().run {
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

  /// The words for all promises, in the order in which they are looked at.
  public static let promises = [
    "missing", "put", "range", "once", "list", "order", "replace", "move", "delete", "large", "whole", "anew",
    "container",
  ]
}
