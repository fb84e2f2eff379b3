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

  /// Tries a container: small files, one of 9 MiB, and then what a sync does there, which takes seconds where a call takes milliseconds.
  /// - Parameters:
  ///   - limit: how long one promise may take to be looked at; what takes longer is broken.
  ///   - make: gives a container; all that it gives have to reach the same place, which is empty before and, if files can be removed, afterwards.
  /// - Returns: the promises that were broken, in the order of `promises`; none for a good one. The last one, `sync`, is looked at if no other
  ///   is broken.
  /// - Throws: ``PlaceNotEmpty``, and what `make` throws at first.
  public static func check(
    limit: Duration = .seconds(120), _ make: @escaping @Sendable () async throws -> any Container
  ) async throws -> [BrokenPromise] {
    let container = try await make()
    let names = Guarded<[String]>([])
    try await container.list(in: nil) { file in names.with { $0.append(file.name) } }
    if let name = names.with({ $0.first }) { throw PlaceNotEmpty(name: name) }
    var broken: [BrokenPromise] = []
    for (promise, check) in ContractChecks.all {
      let files = ContractFiles(container, promise)
      if let what = await fault(limit, { try await check(files, make) }) {
        broken.append(BrokenPromise(promise: promise, what: what))
      }
      await files.clean(limit)
    }
    if broken.isEmpty { broken += try await sync(make) }
    return broken
  }

  /// The words for all promises, in the order in which they are looked at.
  public static var promises: [String] { ContractChecks.all.map(\.promise) + [sync] }

  private static let sync = "sync"

  /// What was not as it should be; nil if all was.
  private static func fault(_ limit: Duration, _ check: @escaping @Sendable () async throws -> Void) async -> String? {
    let result = FirstResult<String?>()
    let work = Task.detached {
      do {
        try await check()
        result.set(nil)
      } catch let wrong as Wrong { result.set(wrong.what) } catch { result.set("it threw: \(error)") }
    }
    let clock = Task.detached {
      try await Task.sleep(for: limit)
      result.set("it took more than \(limit)")
    }
    defer { clock.cancel() }
    let what = await result.value()
    work.cancel()
    return what
  }

  /// What the engine asks of a container, over the line that it uses.
  private static func sync(_ make: @escaping @Sendable () async throws -> any Container) async throws -> [BrokenPromise]
  {
    let result = FirstResult<Result<[BrokenPromise], any Error>>()
    try Lane().run {
      result.set(
        Result {
          let helpers = Helpers { _ in nil }
          helpers.reach(["trial": { _ in try await make() }])
          defer { helpers.close() }
          let trial = try HelperTrial("trial:place", helpers)
          trial.only = [
            "missing", "put", "range", "once", "list", "order", "replace", "move", "delete", "large", "anew",
            "container",
          ]
          var broken: [BrokenPromise] = []
          do {
            try trial.run { check in
              if let fault = check.fault {
                broken.append(BrokenPromise(promise: sync, what: "\(check.name): \(fault)"))
              }
            }
          } catch is HelperTrial.NotEmpty {
            broken.append(BrokenPromise(promise: sync, what: "files are there that were removed"))
          }
          return broken
        })
    }
    return try await result.value().get()
  }
}

/// What a check throws that found something.
struct Wrong: Error {
  let what: String
  init(_ what: String) { self.what = what }
}

/// What comes first counts, and one waits for it.
final class FirstResult<Value: Sendable>: Sendable {
  private let state = Guarded<(value: Value?, waiting: CheckedContinuation<Value, Never>?)>((nil, nil))

  func set(_ value: Value) {
    let waiting = state.with { state in
      guard state.value == nil else { return nil as CheckedContinuation<Value, Never>? }
      state.value = value
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: value)
  }

  func value() async -> Value {
    await withCheckedContinuation { continuation in
      let value = state.with { state in
        if state.value == nil { state.waiting = continuation }
        return state.value
      }
      if let value { continuation.resume(returning: value) }
    }
  }
}
