internal import SeaKit
internal import SeaSystem

/// The files of one check: in a folder that no other check uses, so that what one leaves behind does not count for others.
struct ContractFiles: Sendable {
  let container: any Container
  let folder: String

  init(_ container: any Container, _ promise: String) {
    self.container = container
    // Names as those of blocks: a digit for each check.
    let index = ContractChecks.all.firstIndex { $0.promise == promise } ?? 0
    folder = "transactions/5ea00000-0000-4000-8000-0000000000\(index < 10 ? "0" : "")\(index)/1"
  }

  func name(_ number: Int) -> String { "\(folder)/\(number)" }

  /// Every byte there is, the ends of lines among them.
  static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) }
  }

  @discardableResult
  func write(_ number: Int, _ bytes: [UInt8]) async throws -> Bool {
    try await container.write(name(number), FileContent(bytes))
  }

  func need(_ number: Int, _ bytes: [UInt8], _ what: String) async throws {
    let have = try await container.read(name(number), from: 0, count: bytes.count + 1000)
    if have != bytes { throw Wrong(what) }
  }

  func list(_ folder: String?) async throws -> [ContainerFile] {
    let found = Guarded<[ContainerFile]>([])
    try await container.list(in: folder) { file in found.with { $0.append(file) } }
    return found.with { $0 }
  }

  /// Whether one can is for the check of that.
  func clean(_ limit: Duration) async {
    let result = FirstResult<Bool>()
    let work = Task.detached {
      for file in (try? await list(folder)) ?? [] where file.name.hasPrefix(folder + "/") {
        try? await container.remove(file.name)
      }
      result.set(true)
    }
    let clock = Task.detached {
      try await Task.sleep(for: limit)
      result.set(false)
    }
    _ = await result.value()
    clock.cancel()
    work.cancel()
  }
}
