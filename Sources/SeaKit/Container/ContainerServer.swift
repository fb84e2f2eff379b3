internal import SeaSystem
internal import class SeaContainer.ServerWire
internal import enum SeaContainer.Wire
internal import enum SeaContainer.WirePath
internal import struct SeaContainer.WireFile
internal import struct SeaContainer.WireRefusal

/// Serves a container that the program implements, using the protocol of sea-helpers(5). A thread reads requests and
/// answers them in order, while tasks run them. Requests for different files run concurrently.
final class ContainerServer {
  /// The maximum number of concurrent calls, and the maximum number of bytes that they hold in memory.
  private static let mostCalls = 8
  private static let mostBytes = 64 << 20
  /// The content of larger files is passed on in pieces instead of being held in memory.
  private static let mostHeld: Int64 = 8 << 20
  private static let piece = 1 << 20

  private struct Pending {
    /// The file of the call; nil if the call must run alone.
    let path: String?
    let weight: Int
    let call: ContainerCall
  }

  private struct Deserted: Error {}

  private let line: ThreadChannel
  private let wire: ServerWire
  private var calls: FileCalls?
  private var pending: [Pending] = []

  private init(_ line: ThreadChannel) {
    self.line = line
    wire = ServerWire(read: line.read, write: line.write)
  }

  static func answering(
    _ make: @escaping @Sendable () async throws -> any Container
  ) -> @Sendable (ThreadChannel) -> Void {
    { line in ContainerServer(line).run(make) }
  }

  private func run(_ make: @escaping @Sendable () async throws -> any Container) {
    defer { for one in pending { one.call.cancel() } }
    // After an error, the connection is unusable, so the error cannot be reported to the client.
    do { try serve(make) } catch {}
  }

  private func serve(_ make: @escaping @Sendable () async throws -> any Container) throws {
    try wire.serve(
      greet: { [self] in
        let made = Guarded<(any Container)?>(nil)
        let greeting = ContainerCall(patience: .seconds(60)) {
          let container = try await make()
          made.with { $0 = container }
          return .done
        }
        if case .refused(let refusal) = try outcome(of: greeting) { throw refusal }
        calls = made.with { $0 }.map { FileCalls($0) }
        return (calls!.right, [Wire.await])
      },
      // Answer pending calls before waiting for input.
      waits: { [self] in if !wire.hasLine { try settle() } },
      say: { [self] answer in
        try settle()
        try wire.answer(answer)
      }, reply: { [self] in try handle($0, calls!) })
    try settle()
    try wire.flush()
  }

  private func handle(_ request: Wire.Request, _ calls: FileCalls) throws {
    switch request {
    case .list(let folder): try begin(nil) { try await calls.list(folder) }
    case .get(let path, let offset, let count):
      try begin(path, weight: Int(clamping: count)) { try await calls.read(path, offset, Int(clamping: count)) }
    case .put(let path, let size): try write(path, size, replaces: false, calls)
    case .replace(let path, let size): try write(path, size, replaces: true, calls)
    case .delete(let path): try begin(path) { try await calls.remove(path) }
    case .move(let path, let other): try begin(nil) { try await calls.move(path, to: other) }
    case .flush, .bye: try begin(nil) { try await calls.flush() }
    case .await(let seconds):
      try settle()
      try reportChanges(seconds, calls)
    case .greet: try begin(nil) { throw WireRefusal(.unsupported) }
    }
  }

  private func reportChanges(_ seconds: Int64, _ calls: FileCalls) throws {
    guard let changes = calls.changes() else { return try wire.answer(WireRefusal(.unsupported).answer) }
    let changed = Monitor<Set<String>>([])
    let task = Task.detached {
      for await name in changes {
        let folder = name.lastIndex(of: "/").map { String(name[..<$0]) } ?? ""
        changed.with { _ = $0.insert(folder) }
      }
    }
    defer { task.cancel() }
    try wire.answer(.wait)
    try wire.flush()
    let end = Clock.monotonic() + seconds * 1_000_000_000
    while case let left = end - Clock.monotonic(), left > 0 {
      let folders = changed.wait(nanoseconds: min(left, ContainerCall.pause)) { folders -> Set<String>? in
        defer { folders = [] }
        return folders.isEmpty ? nil : folders
      }
      if line.isReaderClosed { throw Deserted() }
      if folders == nil { try wire.answer(.wait) }
      for folder in folders ?? [] { try wire.answer(.news(folder.isEmpty ? nil : folder)) }
      try wire.flush()
    }
    try wire.answer(.ok(nil))
  }

  // MARK: Running calls

  @discardableResult
  private func begin(
    _ path: String?, weight: Int = 0, _ body: @escaping @Sendable () async throws -> ContainerReply
  ) throws -> ContainerCall {
    while let first = pending.first {
      let isFree = path != nil && first.path != nil && !pending.contains { $0.path == path }
      let hasRoom = pending.reduce(weight) { $0 + $1.weight } <= ContainerServer.mostBytes
      if isFree, hasRoom, pending.count < ContainerServer.mostCalls { break }
      try settleFirst()
    }
    let call = ContainerCall(patience: calls!.patience, body)
    pending.append(Pending(path: path, weight: weight, call: call))
    return call
  }

  private func settle() throws { while !pending.isEmpty { try settleFirst() } }

  private func settleFirst() throws {
    switch try outcome(of: pending[0].call) {
    case .done: try wire.answer(.ok(nil))
    case .bytes(let bytes):
      try wire.answer(.ok(Int64(bytes.count)))
      try wire.send(bytes)
    case .files(let files):
      for file in files { try wire.answer(.file(file)) }
      try wire.answer(.ok(nil))
    case .refused(let refusal): try wire.answer(refusal.answer)
    }
    pending.removeFirst()
  }

  /// Waits for the result of a call, and regularly tells the client that the call is still running.
  private func outcome(of call: ContainerCall) throws -> ContainerReply {
    while true {
      if let reply = call.wait() { return reply }
      if line.isReaderClosed {
        call.cancel()
        throw Deserted()
      }
      try wire.answer(.wait)
      try wire.flush()
    }
  }

  // MARK: Writing

  private func write(_ path: String, _ size: Int64, replaces: Bool, _ calls: FileCalls) throws {
    guard size > ContainerServer.mostHeld else {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(Int(size))
      try wire.read(size) { bytes.append(contentsOf: $0) }
      let content = FileContent(bytes)
      try begin(path, weight: bytes.count) { try await calls.write(path, content, replaces: replaces) }
      return
    }
    try settle()
    let end = wire.used + size
    let queue = PieceQueue()
    let content = FileContent(size: size) { try await queue.next() }
    let call = try begin(nil) {
      // A call that has finished reads no more content.
      defer { queue.cancel() }
      return try await calls.write(path, content, replaces: replaces)
    }
    do {
      try feed(queue, call, upTo: end)
      queue.finish(nil)
    } catch {
      queue.finish(error)
      call.cancel()
      throw error
    }
    try wire.skip(to: end)
    try settle()
  }

  private func feed(_ queue: PieceQueue, _ call: ContainerCall, upTo end: Int64) throws {
    while wire.used < end, queue.isWanted, !call.isOverdue {
      var piece: [UInt8] = []
      try wire.read(min(end - wire.used, Int64(ContainerServer.piece))) { piece.append(contentsOf: $0) }
      while queue.isWanted, !call.isOverdue {
        guard (try? queue.put(piece, within: ContainerCall.pause)) == nil else {
          call.recordProgress()
          break
        }
        if line.isReaderClosed { throw Deserted() }
      }
    }
  }
}

/// Runs requests as calls of a container, and checks the results before they are sent.
struct FileCalls: Sendable {
  private let container: any Container
  let right: ServerWire.Right

  init(_ container: any Container) {
    self.container = container
    right =
      switch container.access {
      case .everything: .everything
      case .appendOnly: .append
      case .readOnly: .read
      }
  }

  var patience: Duration { container.patience }

  func changes() -> AsyncStream<String>? { container.changes() }

  // MARK: Reading

  func list(_ folder: String?) async throws -> ContainerReply {
    let found = Guarded((files: [WireFile](), bytes: 0))
    try await container.list(in: folder) { file in
      // Skip names that are invalid in a container.
      guard WirePath.isPath(file.name) else { return }
      guard file.size >= 0 else { throw WireRefusal(.failed, "'\(file.name)' has a size of \(file.size)") }
      try found.with { found in
        found.bytes += file.name.utf8.count
        guard found.files.count < Wire.mostFiles, found.bytes <= Wire.mostPathBytes else {
          throw WireRefusal(.failed, "too many files for a container")
        }
        let time = min(max(0, file.changed?.milliseconds ?? 0), FileCalls.mostTime)
        found.files.append(
          WireFile(path: file.name, size: min(file.size, FileCalls.mostTime), time: time))
      }
    }
    let files = found.with { $0.files }
    // A container exists only while it has files.
    return files.isEmpty && folder == nil ? .refused(.notFound) : .files(files)
  }

  /// The largest number with eighteen digits, which is the protocol's limit.
  private static let mostTime: Int64 = 999_999_999_999_999_999

  func read(_ path: String, _ offset: Int64, _ count: Int) async throws -> ContainerReply {
    guard let bytes = try await container.read(path, from: offset, count: count) else { return .refused(.notFound) }
    guard bytes.count <= count else {
      throw WireRefusal(.failed, "got \(bytes.count) bytes of '\(path)' instead of \(count)")
    }
    return .bytes(bytes)
  }

  // MARK: Writing

  func write(_ path: String, _ content: FileContent, replaces: Bool) async throws -> ContainerReply {
    if replaces {
      try await container.replace(path, content)
      return .done
    }
    return try await container.write(path, content) ? .done : .refused(.exists)
  }

  func remove(_ path: String) async throws -> ContainerReply {
    try await container.remove(path)
    return .done
  }

  func flush() async throws -> ContainerReply {
    try await container.flush()
    return .done
  }

  /// Copies the file before deleting it, so that no content is lost if the process is interrupted.
  func move(_ path: String, to other: String) async throws -> ContainerReply {
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) }
    let size = Guarded<Int64?>(nil)
    try await container.list(in: folder) { file in if file.name == path { size.with { $0 = file.size } } }
    guard let size = size.with({ $0 }) else { return .refused(.notFound) }
    let done = Guarded<Int64>(0)
    let content = FileContent(size: size) { [container] in
      let at = done.with { $0 }
      if at >= size { return nil }
      guard let piece = try await container.read(path, from: at, count: Int(min(size - at, FileCalls.piece))),
        !piece.isEmpty
      else { throw WireRefusal(.failed, "'\(path)' does not have the reported size of \(size) bytes") }
      done.with { $0 += Int64(piece.count) }
      return piece
    }
    guard try await container.write(other, content) else { return .refused(.exists) }
    try await container.remove(path)
    return .done
  }

  private static let piece: Int64 = 1 << 20
}
