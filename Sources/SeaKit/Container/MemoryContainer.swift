internal import SeaSystem

/// A container in memory, for tests of programs that sync. It also serves as a minimal example of a ``Container``.
///
///     let shared = MemoryContainer()
///     options.containers["memory"] = { _ in shared }
///
/// Every database opened with these options can reach the container at `memory:`, followed by any string.
public final class MemoryContainer: Container {
  private struct State {
    var files: [String: (bytes: [UInt8], changed: Int64)] = [:]
    var isReachable = true
    var listeners: [Int: AsyncStream<String>.Continuation] = [:]
    var lastListener = 0

    mutating func set(_ name: String, _ bytes: [UInt8]?) {
      files[name] = bytes.map { ($0, Clock.now()) }
      for listener in listeners.values { listener.yield(name) }
    }
  }

  private let state = Guarded(State())

  /// Creates an empty container.
  public init() {}

  /// Whether the container is reachable. If false, every call throws ``ContainerFault/unreachable(_:)``.
  public var isReachable: Bool {
    get { state.with { $0.isReachable } }
    set { state.with { $0.isReachable = newValue } }
  }

  /// The bytes of a file; nil if there is no such file. Tests can set the bytes to simulate damaged storage.
  public subscript(name: String) -> [UInt8]? {
    get { state.with { $0.files[name]?.bytes } }
    set { state.with { $0.set(name, newValue) } }
  }

  /// The names of all files, sorted.
  public var names: [String] { state.with { $0.files.keys.sorted() } }

  private func reached<Result>(_ body: (inout State) throws -> Result) throws -> Result {
    try state.with { state in
      guard state.isReachable else { throw ContainerFault.unreachable("set to unreachable") }
      return try body(&state)
    }
  }

  /// Lists the files.
  public func list(in folder: String?, _ found: @Sendable (ContainerFile) throws -> Void) async throws {
    let files = try reached { $0.files }
    for (name, file) in files where folder.map({ name.hasPrefix($0 + "/") }) ?? true {
      try found(ContainerFile(name, size: Int64(file.bytes.count), changed: Timestamp(milliseconds: file.changed)))
    }
  }

  /// Reads a part of a file.
  public func read(_ name: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
    try reached { state in
      (state.files[name]?.bytes).map { Array($0.dropFirst(Int(clamping: offset)).prefix(count)) }
    }
  }

  /// Writes a new file.
  public func write(_ name: String, _ content: FileContent) async throws -> Bool {
    let bytes = try await content.bytes()
    return try reached { state in
      guard state.files[name] == nil else { return false }
      state.set(name, bytes)
      return true
    }
  }

  /// Writes or replaces a file.
  public func replace(_ name: String, _ content: FileContent) async throws {
    let bytes = try await content.bytes()
    try reached { $0.set(name, bytes) }
  }

  /// Removes a file.
  public func remove(_ name: String) async throws { try reached { $0.set(name, nil) } }

  /// Reports changes of files.
  public func changes() -> AsyncStream<String>? {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self)
    let key = state.with { state in
      state.lastListener += 1
      state.listeners[state.lastListener] = continuation
      return state.lastListener
    }
    continuation.onTermination = { [weak self] _ in self?.state.with { $0.listeners[key] = nil } }
    return stream
  }
}
