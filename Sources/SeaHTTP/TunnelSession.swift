import SeaContainer
import SeaSystem

/// A session with one client. The protocol lines of sea-helpers(5) are sent to a `sea-server` in HTTP requests.
package final class TunnelSession {
  private static let mostRequests = 2000
  /// The interval in nanoseconds at which the client is told that work continues.
  private static let patience: Int64 = 10_000_000_000

  private let wire: ServerWire
  private let output: File
  private let input: Int32
  private let queue = TunnelQueue()
  private var client: TunnelClient?
  private var lastOutput = Clock.monotonic()
  /// The error after which the client no longer accepts output.
  private var outputError: SystemError?
  private var isSettled = true

  package init(reading input: File, writing output: File) {
    let queue = queue
    wire = ServerWire(
      read: { (buffer) throws(SystemError) in
        queue.setIdle(true)
        defer { queue.setIdle(false) }
        return try input.readSome(into: buffer)
      }, write: { _ in })
    (self.output, self.input) = (output, input.descriptor)
  }

  /// Answers requests until the client says goodbye or closes the connection.
  package func run(
    _ location: String, _ settings: () throws(TunnelFault) -> TunnelSettings
  ) throws(SystemError) {
    guard let line = try wire.line() else { return }
    guard case .greet? = Wire.Request(line) else {
      return say(.error(WireCode.badRequest.rawValue, "expected a greeting first"))
    }
    do throws(TunnelFault) {
      guard let place = TunnelLocation(location) else {
        throw TunnelFault(.failed, "invalid location: expected sea+https://HOST/NAME, or sea+http:// for this machine")
      }
      client = try TunnelClient(place, try settings())
    } catch {
      return say(error.answer)
    }
    let reader = try Worker()
    let (queue, wire) = (queue, wire)
    reader.start { queue.read(wire) }
    // Requests that arrived together with the greeting are sent along with it.
    queue.settle()
    answer(queue.more(most: TunnelSession.mostRequests, weight: Int(TunnelQueue.held)), greets: true)
    loop()
    queue.close()
    // The reader may wait forever for more input, so it is not joined.
    if let outputError { throw outputError }
  }

  private func loop() {
    while outputError == nil {
      switch queue.next() {
      case .request(.bye, _):
        if isSettled { say(.ok(nil)) } else { answer([(.flush, [])]) }
        return
      case .request(.greet, _): say(.error(WireCode.badRequest.rawValue, "unexpected second greeting"))
      case .request(.await(let seconds), _): listen(seconds)
      case .request(let request, let body):
        queue.settle()
        let room = Int(TunnelQueue.held) - body.count
        answer([(request, body)] + queue.more(most: TunnelSession.mostRequests, weight: max(0, room)))
      case .large(let request, let size): upload(request, size)
      case .piece: break
      case .fault(let code): say(.error(code.rawValue, "invalid request"))
      case .end: return
      }
    }
  }

  // MARK: Output

  private func say(_ answer: Wire.Answer) { say(TunnelBatch.line(answer)) }

  private func say(_ bytes: [UInt8]) {
    guard outputError == nil else { return }
    lastOutput = Clock.monotonic()
    do throws(SystemError) { try output.write(bytes) } catch { outputError = error }
  }

  /// Tells the client from time to time that work continues; returns false if the client has disconnected.
  private func goesOn(_ isInBytes: Bool) -> Bool {
    if !isInBytes, Clock.monotonic() - lastOutput > TunnelSession.patience { say(.wait) }
    return outputError == nil
  }

  private func pause(_ nanoseconds: Int64, _ isInBytes: Bool) -> Bool {
    let ends = Clock.monotonic() + nanoseconds
    while goesOn(isInBytes) {
      let left = ends - Clock.monotonic()
      if left <= 0 { return true }
      Clock.sleep(nanoseconds: min(left, 1_000_000_000))
    }
    return false
  }

  // MARK: Requests

  private func updateSettled(for request: Wire.Request) {
    switch request {
    case .put, .replace, .move, .delete: isSettled = false
    case .flush: isSettled = true
    case .greet, .list, .get, .bye, .await: break
    }
  }

  private func answer(_ requests: [(request: Wire.Request, body: [UInt8])], greets: Bool = false) {
    for one in requests { updateSettled(for: one.request) }
    let batch = TunnelBatch(requests, greets: greets) { [self] in say($0) }
    let fault = client!.persist(pause: { pause($0, batch.isInBytes) }, doubt: batch.markUnconfirmed) {
      var pieces = Pieces(batch.begin())
      let size = pieces.size
      return client!.post(
        size, { pieces.fill($0) }, { batch.consume($0) }, tick: { [self] in goesOn(batch.isInBytes) },
        isDone: { batch.isDone })
    }
    if fault?.code == .tooLarge, let halves = batch.halves {
      for half in halves { answer(half) }
      return
    }
    if let fault { batch.fail(fault) }
    if batch.isStuck, outputError == nil { outputError = SystemError.short("server") }
  }

  /// Sends a file while it is being read, because it is too large for memory. Retries are therefore impossible.
  private func upload(_ request: Wire.Request, _ size: Int64) {
    updateSettled(for: request)
    let batch = TunnelBatch([(request, [])], greets: false) { [self] in say($0) }
    var pieces = Pieces(batch.begin())
    let head = pieces.size
    var left = size
    func more() -> [UInt8]? {
      guard left > 0, case .piece(let bytes) = queue.next() else { return nil }
      left -= Int64(bytes.count)
      return bytes
    }
    let outcome = client!.post(
      head + size,
      { room in
        if pieces.isEmpty, let bytes = more() { pieces = Pieces([bytes]) }
        return pieces.fill(room)
      }, { batch.consume($0) }, tick: { [self] in goesOn(false) }, isDone: { batch.isDone })
    // Even after an error, the remaining bytes of the request must be read.
    while left > 0, more() != nil {}
    switch outcome {
    case .done: break
    case .refused(let fault), .passing(let fault, _, _): batch.fail(fault)
    }
  }

  // MARK: News

  /// Reports changes in the container for a number of seconds, or until another request arrives.
  private func listen(_ seconds: Int64) {
    let ends = Clock.monotonic() + seconds * 1_000_000_000
    var isReady = false
    var hasMissed = false
    func isWanted() -> Bool { outputError == nil && queue.isEmpty && Clock.monotonic() < ends }
    var fault: TunnelFault?
    while isWanted(), fault == nil {
      let start = Clock.monotonic()
      fault = client!.persist(pause: { time in
        let until = min(ends, Clock.monotonic() + time)
        while isWanted(), Clock.monotonic() < until { Clock.sleep(nanoseconds: 50_000_000) }
        return isWanted()
      }) {
        var events = EventStream()
        let outcome = client!.listen(
          until: ends, or: input,
          { [self] bytes in
            guard let found = events.consume(bytes) else { return false }
            for event in found {
              if event.name == "ready" {
                if isReady, hasMissed { say(.news(nil)) }
                (isReady, hasMissed) = (true, false)
                say(.wait)
              }
              if event.name == "news" { say(.news(WirePath.path(event.data))) }
            }
            return true
          }, tick: isWanted)
        // Changes can be missed before the next connection, so that connection begins by reporting a change.
        hasMissed = true
        return isWanted() ? outcome : .done
      }
      // If a connection ends immediately, wait until one second after its start.
      while fault == nil, isWanted(), Clock.monotonic() - start < 1_000_000_000 { Clock.sleep(nanoseconds: 50_000_000) }
    }
    if isWanted(), let fault { say(fault.answer) } else { say(.ok(nil)) }
  }
}

private struct Pieces {
  private var pieces: [[UInt8]]
  private var first = 0
  private var at = 0

  init(_ pieces: [[UInt8]]) { self.pieces = pieces }

  var size: Int64 { pieces.reduce(0) { $0 + Int64($1.count) } }
  var isEmpty: Bool { first == pieces.count }

  mutating func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    while count < room.count, first < pieces.count {
      let more = min(room.count - count, pieces[first].count - at)
      pieces[first].withUnsafeBytes { bytes in
        UnsafeMutableRawBufferPointer(rebasing: room[count..<count + more]).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[at..<at + more]))
      }
      count += more
      at += more
      if at == pieces[first].count { (first, at) = (first + 1, 0) }
    }
    return count
  }
}

/// A parser for server-sent events (HTML Living Standard).
package struct EventStream {
  package struct Event: Equatable {
    package var name: String
    package var data: String

    package init(name: String, data: String) { (self.name, self.data) = (name, data) }
  }

  private static let longestLine = 4096
  private let incoming = ByteQueue()
  private var name = ""
  private var data: [String] = []

  package init() {}

  /// Returns the events that are completed by the bytes; nil if a line or an event is too long.
  package mutating func consume(_ bytes: UnsafeRawBufferPointer) -> [Event]? {
    incoming.append(bytes)
    var events: [Event] = []
    while let line = incoming.line(most: EventStream.longestLine) {
      let line = line.hasSuffix("\r") ? String(line.unicodeScalars.dropLast()) : line
      if line.isEmpty {
        if !name.isEmpty || !data.isEmpty { events.append(Event(name: name, data: data.joined(separator: "\n"))) }
        (name, data) = ("", [])
        continue
      }
      let field = line.prefix { $0 != ":" }
      var value = line.dropFirst(field.count + 1)
      if value.first == " " { value = value.dropFirst() }
      if field == "event" { name = String(value) }
      if field == "data" { data.append(String(value)) }
      guard data.count <= 16 else { return nil }
    }
    return incoming.count <= EventStream.longestLine ? events : nil
  }
}

/// A connection to a `sea-server`, which handles errors and retries.
final class TunnelClient {
  enum Outcome {
    case done
    case refused(TunnelFault)
    /// A retry may succeed after at least `wanted` nanoseconds. If `isDoubtful` is true, the request may have been
    /// executed.
    case passing(TunnelFault, wanted: Int64, isDoubtful: Bool)
  }

  private static let mostError = 1024
  private static let mark = "sea-server"

  private let location: TunnelLocation
  private let settings: TunnelSettings
  private let transport: Transport
  /// The time, in monotonic nanoseconds, until which nothing is retried.
  private var isGoneUntil: Int64 = 0

  init(_ location: TunnelLocation, _ settings: TunnelSettings) throws(TunnelFault) {
    guard let transport = Transport(authorities: settings.authorities, setting: TunnelSettings.authoritiesName) else {
      throw TunnelFault(.failed, "cannot initialize libcurl")
    }
    (self.location, self.settings, self.transport) = (location, settings, transport)
  }

  private var authorization: (name: String, value: String) { ("authorization", "Bearer \(settings.token)") }

  func post(
    _ size: Int64, _ fill: @escaping (UnsafeMutableRawBufferPointer) -> Int,
    _ consume: @escaping (UnsafeRawBufferPointer) -> Bool, tick: @escaping () -> Bool, isDone: () -> Bool
  ) -> Outcome {
    let type = "application/vnd.sea.lines"
    var call = Transport.Call(
      method: "POST", url: location.url, headers: [authorization, ("content-type", type)])
    call.source = (size, fill)
    call.tick = tick
    // The server can take a long time to write to its disk.
    call.silence = 120
    return perform(call, type, consume, isDone)
  }

  /// Receives events until `ends`, or until a request from the client arrives.
  /// - Parameters:
  /// - ends: the end time in monotonic nanoseconds.
  /// - descriptor: a file descriptor that becomes readable when a request arrives.
  func listen(
    until ends: Int64, or descriptor: Int32, _ consume: @escaping (UnsafeRawBufferPointer) -> Bool,
    tick: @escaping () -> Bool
  ) -> Outcome {
    let type = "text/event-stream"
    var call = Transport.Call(
      method: "GET", url: location.newsURL, headers: [authorization, ("accept", type)])
    call.tick = tick
    call.patience = (ends, descriptor)
    call.silence = 130
    return perform(call, type, consume, { true })
  }

  private func perform(
    _ call: Transport.Call, _ type: String, _ consume: @escaping (UnsafeRawBufferPointer) -> Bool, _ isDone: () -> Bool
  ) -> Outcome {
    var call = call
    var isOther = false
    call.most = TunnelClient.mostError
    call.sink = { answer, bytes in
      let isOurs = answer.headers[TunnelClient.mark] != nil && answer.headers["content-type"] == type
      isOther = !isOurs
      return isOurs && consume(bytes)
    }
    do throws(Transport.Broken) {
      let answer = try transport.perform(call)
      guard answer.isSuccess else { return verdict(answer) }
      isGoneUntil = 0
      if isDone() { return .done }
      return .passing(TunnelFault(.gone, "the connection was lost"), wanted: 0, isDoubtful: true)
    } catch {
      if isOther || error.isTemporary {
        let text = isOther ? "the server is not a sea-server" : error.reason
        return .passing(TunnelFault(.gone, text), wanted: 0, isDoubtful: true)
      }
      return .refused(TunnelFault(.gone, error.reason))
    }
  }

  private func verdict(_ answer: Transport.Answer) -> Outcome {
    let text = String(decoding: answer.body.prefix { $0 != 0x0A }.prefix(200), as: UTF8.self)
    let isOurs = answer.headers[TunnelClient.mark] != nil
    let said = isOurs ? "\(text) (HTTP \(answer.status))" : "HTTP \(answer.status)"
    let seconds = answer.headers["retry-after"].flatMap { Wire.number($0) } ?? 0
    let wanted = min(seconds, 30) * 1_000_000_000
    switch answer.status {
    case 413: return .refused(TunnelFault(.tooLarge, said))
    case 429, 503: return .passing(TunnelFault(.busy, said), wanted: wanted, isDoubtful: !isOurs)
    // A response without the mark of a sea-server comes from a proxy.
    case _ where !isOurs: return .passing(TunnelFault(.gone, said), wanted: wanted, isDoubtful: true)
    case 401, 403: return .refused(TunnelFault(.denied, said))
    case 404: return .refused(TunnelFault(.gone, said))
    case 500...: return .passing(TunnelFault(.gone, said), wanted: wanted, isDoubtful: true)
    default: return .refused(TunnelFault(.failed, said))
    }
  }

  // MARK: Retries

  /// Repeats `body` until it succeeds or further retries would be pointless. Returns the error, if any.
  /// - Parameters:
  /// - pause: waits for the given number of nanoseconds, and returns false to end the retries.
  /// - doubt: a closure that is called if the request may have been executed.
  func persist(
    pause: (Int64) -> Bool, doubt: () -> Void = {}, _ body: () -> Outcome
  ) -> TunnelFault? {
    var retries = Retries()
    while true {
      switch body() {
      case .done: return nil
      case .refused(let fault): return fault
      case .passing(let fault, let wanted, let isDoubtful):
        if isDoubtful { doubt() }
        let isBusy = fault.code == .busy
        guard isGoneUntil <= Clock.monotonic(), let time = retries.next(isBusy: isBusy, wanted: wanted), pause(time)
        else {
          if isDoubtful || isBusy { isGoneUntil = Clock.monotonic() + Retries.gone }
          // The code `busy` would make the caller wait again.
          return TunnelFault(.gone, fault.text)
        }
      }
    }
  }
}
