import SeaContainer
import SeaSystem

/// One conversation: sea-helpers(5) on the one side, a `sea-server` on the other, to which the same lines go in requests of HTTP.
package final class TunnelSession {
  private static let mostRequests = 2000
  /// After so long the other side is told that it is still at work: nanoseconds.
  private static let patience: Int64 = 10_000_000_000

  private let wire: ServerWire
  private let output: File
  private let input: Int32
  private let queue = TunnelQueue()
  private var client: TunnelClient?
  private var said = Clock.monotonic()
  /// The other side takes nothing any more.
  private var isDeaf: SystemError?
  /// Whether nothing was written since everything was made durable.
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

  /// Answers until the other side takes leave or is gone.
  package func run(
    _ location: String, _ settings: () throws(TunnelFault) -> TunnelSettings
  ) throws(SystemError) {
    guard let line = try wire.line() else { return }
    guard case .greet? = Wire.Request(line) else {
      return say(.error(WireCode.badRequest.rawValue, "a greeting comes first"))
    }
    do throws(TunnelFault) {
      guard let place = TunnelLocation(location) else {
        throw TunnelFault(.failed, "the location is none: sea+https://HOST/NAME, or sea+http:// for this machine")
      }
      client = try TunnelClient(place, try settings())
    } catch {
      return say(error.answer)
    }
    let reader = try Worker()
    let (queue, wire) = (queue, wire)
    reader.start { queue.read(wire) }
    // What has come with the greeting goes with it.
    queue.settle()
    answer(queue.more(most: TunnelSession.mostRequests, weight: Int(TunnelQueue.held)), greets: true)
    loop()
    queue.close()
    // The reader may wait for what nobody sends any more.
    if let isDeaf { throw isDeaf }
  }

  private func loop() {
    while isDeaf == nil {
      switch queue.next() {
      case .request(.bye, _):
        if isSettled { say(.ok(nil)) } else { answer([(.flush, [])]) }
        return
      case .request(.greet, _): say(.error(WireCode.badRequest.rawValue, "one greeting is enough"))
      case .request(.await(let seconds), _): listen(seconds)
      case .request(let request, let body):
        queue.settle()
        let room = Int(TunnelQueue.held) - body.count
        answer([(request, body)] + queue.more(most: TunnelSession.mostRequests, weight: max(0, room)))
      case .large(let request, let size): upload(request, size)
      case .piece: break
      case .fault(let code): say(.error(code.rawValue, "this is no request"))
      case .end: return
      }
    }
  }

  // MARK: What is said

  private func say(_ answer: Wire.Answer) { say(TunnelBatch.line(answer)) }

  private func say(_ bytes: [UInt8]) {
    guard isDeaf == nil else { return }
    said = Clock.monotonic()
    do throws(SystemError) { try output.write(bytes) } catch { isDeaf = error }
  }

  /// False if nobody wants to know any more.
  private func goesOn(_ isInBytes: Bool) -> Bool {
    if !isInBytes, Clock.monotonic() - said > TunnelSession.patience { say(.wait) }
    return isDeaf == nil
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

  private func note(_ request: Wire.Request) {
    switch request {
    case .put, .replace, .move, .delete: isSettled = false
    case .flush: isSettled = true
    case .greet, .list, .get, .bye, .await: break
    }
  }

  private func answer(_ requests: [(request: Wire.Request, body: [UInt8])], greets: Bool = false) {
    for one in requests { note(one.request) }
    let batch = TunnelBatch(requests, greets: greets) { [self] in say($0) }
    let fault = client!.persist(pause: { pause($0, batch.isInBytes) }, doubt: batch.doubt) {
      var pieces = Pieces(batch.begin())
      let size = pieces.size
      return client!.post(
        size, { pieces.fill($0) }, { batch.take($0) }, tick: { [self] in goesOn(batch.isInBytes) },
        isDone: { batch.isDone })
    }
    if fault?.code == .tooLarge, let halves = batch.halves {
      for half in halves { answer(half) }
      return
    }
    if let fault { batch.fail(fault) }
    if batch.isStuck, isDeaf == nil { isDeaf = SystemError.short("server") }
  }

  /// Sends a file that is too large to be held while it comes: once.
  private func upload(_ request: Wire.Request, _ size: Int64) {
    note(request)
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
      }, { batch.take($0) }, tick: { [self] in goesOn(false) }, isDone: { batch.isDone })
    // What belongs to it is taken in all the same.
    while left > 0, more() != nil {}
    switch outcome {
    case .done: break
    case .refused(let fault), .passing(let fault, _, _): batch.fail(fault)
    }
  }

  // MARK: News

  /// Tells of what appears in the container, for so many seconds or until something else is asked.
  private func listen(_ seconds: Int64) {
    let ends = Clock.monotonic() + seconds * 1_000_000_000
    var isReady = false
    var hasMissed = false
    func isWanted() -> Bool { isDeaf == nil && queue.isEmpty && Clock.monotonic() < ends }
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
            guard let found = events.take(bytes) else { return false }
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
        // Whatever appears until it is listened to again is told as something.
        hasMissed = true
        return isWanted() ? outcome : .done
      }
      // One that ends it at once is not asked again at once.
      while fault == nil, isWanted(), Clock.monotonic() - start < 1_000_000_000 { Clock.sleep(nanoseconds: 50_000_000) }
    }
    if isWanted(), let fault { say(fault.answer) } else { say(.ok(nil)) }
  }
}

/// Bytes in pieces, taken out from the front.
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
