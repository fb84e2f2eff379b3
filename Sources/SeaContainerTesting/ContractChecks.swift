internal import SeaKit
internal import SeaSystem

/// What is looked at, one promise after another.
enum ContractChecks {
  typealias Make = @Sendable () async throws -> any Container
  typealias Check = @Sendable (ContractFiles, @escaping Make) async throws -> Void

  static let all: [(promise: String, check: Check)] = [
    ("missing", missing), ("write", write), ("range", range), ("once", once), ("list", list), ("replace", replace),
    ("remove", remove), ("pieces", pieces), ("whole", whole), ("together", together), ("anew", anew),
  ]

  private static func need(_ isSo: Bool, _ what: @autoclosure () -> String) throws { if !isSo { throw Wrong(what()) } }

  @Sendable private static func missing(_ files: ContractFiles, _: Make) async throws {
    let bytes = try await files.container.read(files.name(0), from: 0, count: 10)
    try need(bytes == nil, "read of a file that is not there gives bytes instead of nil")
    try need(try await files.list(files.folder).isEmpty, "list of a folder that is not there names files")
  }

  @Sendable private static func write(_ files: ContractFiles, _: Make) async throws {
    for (number, count) in [0, 1, 1000, 100_000].enumerated() {
      let bytes = ContractFiles.bytes(count)
      try need(try await files.write(number, bytes), "write of a new file returns false")
      try await files.need(number, bytes, "a file of \(count) bytes does not come back as it was written")
    }
  }

  @Sendable private static func range(_ files: ContractFiles, _: Make) async throws {
    let bytes = ContractFiles.bytes(100_000)
    try await files.write(0, bytes)
    for (offset, count) in [(0, 10), (5, 0), (99_990, 500), (50_000, 20_000), (100_000, 10), (1_000_000, 10)] {
      let have = try await files.container.read(files.name(0), from: Int64(offset), count: count)
      try need(
        have == Array(bytes.dropFirst(offset).prefix(count)),
        "read of \(count) bytes from \(offset) on, of a file of 100000, gives other bytes")
    }
  }

  @Sendable private static func once(_ files: ContractFiles, _: Make) async throws {
    try await files.write(0, [1, 2, 3])
    try need(try await !files.write(0, [4, 5]), "write of a file that is there does not return false")
    try await files.need(0, [1, 2, 3], "write has changed a file that was there")
  }

  @Sendable private static func list(_ files: ContractFiles, _: Make) async throws {
    let before = try await files.list(nil).count
    let want = [0, 1, 1000]
    for (number, count) in want.enumerated() { try await files.write(number, ContractFiles.bytes(count)) }
    // Its name begins like that of the folder.
    let beside = files.folder + "1/0"
    _ = try await files.container.write(beside, FileContent([7]))
    let all = try await files.list(nil).count
    let have = try await files.list(files.folder)
    try await files.container.remove(beside)
    for (number, count) in want.enumerated() {
      let found = have.filter { $0.name == files.name(number) }
      try need(found.count == 1, "list names a file that is there \(found.count) times")
      try need(found[0].size == count, "list tells a size of \(found[0].size) of a file of \(count) bytes")
    }
    try need(have.count == want.count, "list of a folder names files that are not in it")
    try need(all == before + want.count + 1, "list of all does not name every file once")
  }

  @Sendable private static func replace(_ files: ContractFiles, _: Make) async throws {
    for bytes in [[], ContractFiles.bytes(1000), [1, 2, 3]] as [[UInt8]] {
      try await files.container.replace(files.name(0), FileContent(bytes))
      try await files.need(0, bytes, "replace does not leave what was given")
    }
  }

  @Sendable private static func remove(_ files: ContractFiles, _: Make) async throws {
    try await files.write(0, [1])
    try await files.write(1, [2])
    try await files.container.remove(files.name(0))
    try need(
      try await files.container.read(files.name(0), from: 0, count: 1) == nil, "a file is still there after remove")
    try await files.need(1, [2], "remove has taken away another file")
    try await files.container.remove(files.name(0))
    try need(try await files.write(0, [3]), "a name cannot be written again after remove")
    try await files.need(0, [3], "a file that was written again after remove has other bytes")
  }

  /// A large file comes in many pieces.
  @Sendable private static func pieces(_ files: ContractFiles, _: Make) async throws {
    let count = 9
    let size = Int64(count << 20)
    // Each is filled with its number.
    let next = Guarded(0)
    let content = FileContent.pieces(size: size) {
      next.with { next in
        guard next < count else { return nil }
        next += 1
        return [UInt8](repeating: UInt8(next), count: 1 << 20)
      }
    }
    try need(try await files.container.write(files.name(0), content), "write of a new file of 9 MiB returns false")
    let wrong = "a file of 9 MiB that was written in pieces does not come back"
    for number in 0..<count {
      let have = try await files.container.read(files.name(0), from: Int64(number << 20), count: 1 << 20)
      try need(have == [UInt8](repeating: UInt8(number + 1), count: 1 << 20), wrong)
    }
    try need(try await files.container.read(files.name(0), from: size, count: 1) == [], wrong)
  }

  private struct Broken: Error {}

  /// Content that ends with an error leaves nothing.
  @Sendable private static func whole(_ files: ContractFiles, _: Make) async throws {
    func half() -> FileContent {
      let given = Guarded(false)
      return FileContent.pieces(size: 2000) {
        let isSecond = given.with { given in
          defer { given = true }
          return given
        }
        if isSecond { throw Broken() }
        return ContractFiles.bytes(1000)
      }
    }
    let isWritten = try? await files.container.write(files.name(0), half())
    try need(isWritten == nil, "write returns although its content ended with an error")
    try need(
      try await files.container.read(files.name(0), from: 0, count: 1) == nil,
      "a file has appeared whose content ended with an error")
    try await files.write(1, [1, 2, 3])
    let isReplaced: Void? = try? await files.container.replace(files.name(1), half())
    try need(isReplaced == nil, "replace returns although its content ended with an error")
    try await files.need(1, [1, 2, 3], "replace has changed a file although its content ended with an error")
  }

  /// Several at once about different files.
  @Sendable private static func together(_ files: ContractFiles, _: Make) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let bytes = ContractFiles.bytes(2000 + number)
          for _ in 0..<4 {
            try await files.write(number, bytes)
            try await files.need(number, bytes, "of several calls at once one has the bytes of another")
            try await files.container.remove(files.name(number))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Another one sees what this one has done.
  @Sendable private static func anew(_ files: ContractFiles, _ make: Make) async throws {
    try await files.write(0, [1, 2, 3])
    try await files.container.flush()
    let other = try await make()
    let have = try await other.read(files.name(0), from: 0, count: 10)
    try need(
      have == [1, 2, 3], "another container of the same place does not have a file that was written and flushed")
  }
}
