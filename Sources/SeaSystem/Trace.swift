import Glibc

/// Writes a trace of this process to the targets of SEA_TRACE and SEA_TRACE_JSON, and to listeners: locks, transactions,
/// programs, requests and exchanges, each with its time.
///
/// A trace contains paths, names, counts and results, but never content, passwords, keys or the values of variables. If
/// tracing is off, each call only checks `isOn`.
package enum Trace {
  package enum Value: Equatable, Sendable {
    case text(String)
    case number(Int)
  }

  package typealias Field = (name: String, value: Value)

  private struct Sink {
    let variable: String
    let isJSON: Bool
    let file: File
    var isBroken = false
  }

  package static let variables = ["SEA_TRACE", "SEA_TRACE_JSON"]

  nonisolated(unsafe) private static var isAsked = false
  nonisolated(unsafe) private static var isWritten = false
  package static var isOn: Bool { isWritten || listener != nil }
  nonisolated(unsafe) private static var program = ""
  nonisolated(unsafe) private static var sinks: Guarded<[Sink]>?
  private static let faulty = Guarded<[String]>([])

  /// Reads the environment variables that control tracing. Call this once, before starting threads.
  package static func begin(_ program: String) {
    var next = environ
    while let variable = next.pointee, !isAsked {
      isAsked = strncmp(variable, "SEA_TRACE", 9) == 0
      next += 1
    }
    guard isAsked else { return }
    var found: [Sink] = []
    for (variable, isJSON) in zip(variables, [false, true]) {
      guard let text = ThisProcess.environment(variable) else { continue }
      do throws(TraceFault) {
        if let file = try file(text) { found.append(Sink(variable: variable, isJSON: isJSON, file: file)) }
      } catch {
        faulty.with { $0.append("\(variable): \(error.text)") }
      }
    }
    self.program = program
    guard !found.isEmpty else { return }
    sinks = Guarded(found)
    isWritten = true
  }

  /// Returns errors in writing the trace. Each error is returned only once.
  package static func drainFaults() -> [String] {
    guard isAsked else { return [] }
    return faulty.with { faults in
      defer { faults = [] }
      return faults
    }
  }

  private struct TraceFault: Error {
    let text: String
  }

  private static func file(_ text: String) throws(TraceFault) -> File? {
    switch text {
    case "", "0", "false": return nil
    case "1", "true": return .standardError()
    default: break
    }
    if let number = Int32(text), number > 1, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      guard fcntl(number, F_GETFD) != -1 else { throw TraceFault(text: "file \(number) is not open") }
      return File(descriptor: number, path: text, owned: false)
    }
    guard text.hasPrefix("/") else {
      throw TraceFault(text: "expected 1, the number of an open file descriptor, or an absolute path")
    }
    do throws(SystemError) {
      // Opening a pipe that has no reader must fail instead of blocking.
      let file = try File(text, [.write, .append, .create, .nonBlocking], mode: 0o600)
      _ = fcntl(file.descriptor, F_SETFL, fcntl(file.descriptor, F_GETFL) & ~O_NONBLOCK)
      return file
    } catch {
      throw TraceFault(text: "\(text): \(error.reason)")
    }
  }

  // MARK: Output

  /// Returns the current time as the start of a duration; 0 if tracing is off.
  package static func start() -> Int64 { isOn ? Clock.monotonic() : 0 }

  /// Traces an event.
  /// - Parameter start: the start time; nil for an event without a duration.
  package static func record(_ event: String, since start: Int64? = nil, _ fields: @autoclosure () -> [Field]) {
    guard isOn else { return }
    let nanoseconds = start.map { Clock.monotonic() - $0 }
    let fields = fields()
    listener?.hear(event, nanoseconds, fields)
    guard let sinks else { return }
    let line = TraceLine(
      program: program, process: ThisProcess.processID(), time: TraceLine.now(), event: event, nanoseconds: nanoseconds,
      fields: fields)
    sinks.with { sinks in
      for at in sinks.indices where !sinks[at].isBroken {
        let bytes = Array((sinks[at].isJSON ? line.json : line.text).utf8)
        // Write each line with a single call, so that lines from several programs are not interleaved.
        let count = SignalWatch.withoutPipeSignal { write(sinks[at].file.descriptor, bytes, bytes.count) }
        guard count != bytes.count else { continue }
        sinks[at].isBroken = true
        let reason = SystemError(call: "write", errno: count < 0 ? errno : ENOSPC, path: "").reason
        faulty.with { $0.append("\(sinks[at].variable): cannot write: \(reason)") }
      }
    }
  }

  // MARK: Listeners

  /// Receives the events of the threads that work for it.
  package final class Listener: Sendable {
    package typealias Hear = @Sendable (_ event: String, _ nanoseconds: Int64?, _ fields: [Field]) -> Void
    fileprivate let hear: Hear

    package init(_ hear: @escaping Hear) { self.hear = hear }
  }

  private static let listenerKey: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// The listener of the current thread.
  private static var listener: Listener? {
    pthread_getspecific(listenerKey).map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
  }

  /// Runs `body`, and passes the events of this thread to a listener in the meantime.
  package static func heard<Result>(by listener: Listener?, _ body: () throws -> Result) rethrows -> Result {
    guard let listener else { return try body() }
    let before = pthread_getspecific(listenerKey)
    return try withExtendedLifetime(listener) {
      pthread_setspecific(listenerKey, Unmanaged.passUnretained(listener).toOpaque())
      defer { pthread_setspecific(listenerKey, before) }
      return try body()
    }
  }

  // MARK: Traces of started programs

  /// Returns the variables and inherited files that let a program write its trace to this process's standard error,
  /// even if its own is redirected.
  /// - Parameter isHeard: whether this process captures the error output of the program.
  static func handedOn(isHeard: Bool) -> (variables: [(name: String, value: String)], files: [File]) {
    guard isOn, isHeard, let sinks else { return ([], []) }
    return sinks.with { sinks in
      var result: (variables: [(name: String, value: String)], files: [File]) = ([], [])
      for sink in sinks where sink.file.descriptor == 2 {
        let copy = fcntl(2, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { continue }
        result.variables.append((sink.variable, String(copy)))
        result.files.append(File(descriptor: copy, path: sink.variable))
      }
      return result
    }
  }
}
