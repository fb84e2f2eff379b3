import SeaCore
import SeaSystem

/// The connection to a helper. Any number of requests may be pending. Answers arrive in order, and each is assigned to
/// its request's ticket. Waiting for a ticket also processes all earlier answers.
///
/// Every answer is checked against the protocol and the request before it is used. After an error, nothing is sent or
/// accepted.
final class HelperConnection {
  /// The maximum number of unsent bytes, not counting one request.
  private static let mostWaiting = 1 << 22
  /// The time limit for saying goodbye, in seconds.
  private static let farewell = 5.0

  private let place: String
  private let conversation: Conversation
  /// The maximum time in seconds without a sign of life from the helper.
  private let silence: Int
  /// The maximum number of seconds for which a helper can keep reporting that it is still working on a request.
  private let longestWait: Int
  private let mostFiles: Int
  private var end: HelperEnd
  private var tickets: [HelperTicket] = []
  private var firstOpen = 0
  private var bytesLeft = 0
  private var hasGreeted = false
  private var isFeeding = false
  private var pace: HelperPace
  private var isSettled = true
  private(set) var fault: HelperFault?
  private(set) var words: Set<String> = []
  private(set) var requests = 0
  private(set) var changes = 0

  init(
    _ conversation: Conversation, to place: String = "", silence: Int, longestWait: Int = 600,
    mostFiles: Int = Wire.mostFiles, ends: Int64 = .max, isStopped: @escaping () -> Bool = { false }
  ) {
    self.place = place
    self.conversation = conversation
    self.silence = silence
    (self.longestWait, self.mostFiles) = (longestWait, mostFiles)
    end = HelperEnd(ends, rate: conversation.throttle?.rate, isStopped)
    pace = HelperPace(seconds: silence)
  }

  /// Sends a greeting. More requests can follow at once.
  func greet() -> HelperTicket { ask(.greet(version: Wire.version, words: [])) }

  /// Sends a request with its bytes. Errors are reported through the ticket.
  func ask(_ request: Wire.Request, _ body: UnsafeRawBufferPointer? = nil, sorts: Bool = false) -> HelperTicket {
    let ticket = HelperTicket(request, sorts: sorts)
    guard fault == nil, !isFeeding else {
      ticket.outcome = .failure(fault ?? .refused(.busy, ""))
      return ticket
    }
    requests += 1
    switch request {
    case .put, .replace, .move, .delete: (isSettled, changes) = (false, changes + 1)
    case .flush: isSettled = true
    case .greet, .list, .get, .await, .bye: break
    }
    tickets.append(ticket)
    end.unanswered += ticket.size
    conversation.send(request.line + "\n")
    if let body { conversation.send(body) }
    while fault == nil, conversation.waiting > HelperConnection.mostWaiting { step() }
    return ticket
  }

  func ask(line: String) -> HelperTicket {
    let ticket = HelperTicket(.flush)
    if let fault { ticket.outcome = .failure(fault) } else { tickets.append(ticket) }
    conversation.send(line + "\n")
    return ticket
  }

  /// Sends a request whose bytes come in pieces. If the number of bytes is wrong, the connection becomes unusable.
  func ask(_ request: Wire.Request, _ feed: ((UnsafeRawBufferPointer) -> Void) throws -> Void) rethrows -> HelperTicket
  {
    let ticket = ask(request)
    isFeeding = true
    defer { isFeeding = false }
    do {
      try feed { [self] piece in
        conversation.send(piece)
        while fault == nil, conversation.waiting > HelperConnection.mostWaiting { step() }
      }
    } catch {
      drop()
      throw error
    }
    return ticket
  }

  /// - Parameters:
  /// - most: the time limit in seconds; nil to wait as long as data keeps arriving.
  /// - isEnough: returns whether the part received so far is sufficient.
  func finish(
    _ ticket: HelperTicket, most: Double? = nil, isEnough: () -> Bool = { false }
  ) throws(HelperFault) {
    let ends = most.map { Clock.monotonic() + Int64($0 * 1e9) }
    while ticket.outcome == nil, !isEnough() {
      // The data that was received along with the previous answer may be enough.
      if parse() { continue }
      guard let ends else {
        step()
        continue
      }
      let left = ends - Clock.monotonic()
      if left <= 0 { fail(.silent(seconds: Int(most ?? 0))) } else { step(nanoseconds: left) }
    }
    try ticket.outcome?.get()
  }

  var isIdle: Bool { tickets.isEmpty && !isFeeding }

  var isSent: Bool { conversation.waiting == 0 }

  func drop() {
    fail(.ended(status: 0, greeted: hasGreeted))
    conversation.end(seconds: 0)
  }

  func hangUp() -> Launch.Ending? {
    defer { fail(.ended(status: 0, greeted: hasGreeted)) }
    return conversation.end(seconds: HelperConnection.farewell)
  }

  /// Says goodbye. If all requests are done and durable, closing the connection is enough.
  func close() {
    guard fault == nil else { return }
    if isIdle, isSettled {
      conversation.end(seconds: HelperConnection.farewell)
    } else if !isFeeding, hasGreeted, (try? finish(ask(.bye), most: HelperConnection.farewell)) != nil {
      conversation.end(seconds: HelperConnection.farewell)
    } else {
      conversation.end(seconds: 0)
    }
    fail(.ended(status: 0, greeted: hasGreeted))
  }

  deinit { close() }

  // MARK: Receiving

  private func step(nanoseconds: Int64 = .max) {
    do throws(SystemError) {
      let (start, here, unsent) = (Clock.monotonic(), conversation.available.count, conversation.waiting)
      let (least, most) = (Int64(silence) * 1_000_000_000, end.left(start, saysWait: isReportedAsSlow))
      switch try conversation.step(nanoseconds: min(nanoseconds, least, most)) {
      case .moved:
        let (came, now) = (conversation.available.count - here, Clock.monotonic())
        pace.add(now - start, came: came, sent: unsent - conversation.waiting, hadPart: here > 0)
        end.add(start, now, bytes: came + max(0, unsent - conversation.waiting))
        let hasMoved = parse()
        if fault == nil, end.drips {
          fail(.late)
          conversation.end(seconds: 0)
        }
        if fault == nil, pace.isTooSlow(hasPart: !hasMoved && !conversation.available.isEmpty) {
          fail(.silent(seconds: silence))
          conversation.end(seconds: 0)
        }
      case .silent:
        fail(most < min(nanoseconds, least) ? .late : .silent(seconds: silence))
        conversation.end(seconds: 0)
      case .closed:
        let status = conversation.end(seconds: HelperConnection.farewell)?.status ?? 0
        fail(.ended(status: status, greeted: hasGreeted))
      }
    } catch {
      fail(.notStarted(error))
    }
  }

  /// Whether the helper has reported that the current request will take a while, and no data has arrived since.
  private var isReportedAsSlow: Bool {
    firstOpen < tickets.count && tickets[firstOpen].waitsSince != nil && bytesLeft == 0
  }

  private func fail(_ fault: HelperFault) {
    if self.fault == nil { self.fault = fault }
    for ticket in tickets[firstOpen...] {
      ticket.outcome = .failure(self.fault!)
      ticket.trace?.end(ticket, at: place)
    }
    tickets = []
    firstOpen = 0
  }

  private func unruly(_ what: String) {
    fail(.protocolViolation(what))
    conversation.end(seconds: 0)
  }

  private func complete(_ ticket: HelperTicket, _ outcome: Result<Void, HelperFault>) {
    ticket.outcome = outcome
    ticket.trace?.end(ticket, at: place)
    pace.begin()
    end.unanswered -= ticket.size
    firstOpen += 1
    if firstOpen == tickets.count {
      tickets.removeAll(keepingCapacity: true)
      firstOpen = 0
    } else if firstOpen > 256 {
      tickets.removeFirst(firstOpen)
      firstOpen = 0
    }
  }

  private func parse() -> Bool {
    var moved = false
    while fault == nil, !conversation.available.isEmpty {
      guard firstOpen < tickets.count else {
        unruly("sent an unexpected line")
        break
      }
      let ticket = tickets[firstOpen]
      if bytesLeft > 0 {
        let count = min(bytesLeft, conversation.available.count)
        ticket.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: conversation.available[..<count]))
        conversation.removeFirst(count)
        bytesLeft -= count
        if bytesLeft == 0 { complete(ticket, .success(())) }
        moved = true
        continue
      }
      guard let line = conversation.line(most: Wire.longestLine) else {
        if conversation.available.count > Wire.longestLine {
          unruly("sent a line of more than \(Wire.longestLine) bytes")
        }
        break
      }
      moved = true
      guard let answer = Wire.Answer(line) else {
        unruly("'\(line.prefix(80))' is not a valid answer")
        break
      }
      handle(answer, for: ticket)
    }
    return moved
  }

  private func handle(_ answer: Wire.Answer, for ticket: HelperTicket) {
    switch answer {
    case .wait:
      pace.begin()
      let now = Clock.monotonic()
      let since = ticket.waitsSince ?? now
      ticket.waitsSince = since
      if now >= end.latest {
        fail(.late)
        conversation.end(seconds: 0)
      } else if now - since > Int64(longestWait) * 1_000_000_000 {
        unruly("timed out")
      }
    case .greet(let version, let words):
      guard ticket.greets else { return unruly("sent a second greeting") }
      guard (1...Wire.version).contains(version) else {
        fail(.version(version))
        conversation.end(seconds: 0)
        return
      }
      hasGreeted = true
      self.words = Set(words)
      complete(ticket, .success(()))
    case .news(let folder):
      guard ticket.awaits, ticket.news.count < 1000 else { return unruly("sent news that were not requested") }
      ticket.news.append(folder)
    case .file(let file):
      guard ticket.lists else { return unruly("listed a file that was not requested") }
      ticket.add(file)
      guard ticket.fileCount <= mostFiles, ticket.pathBytes <= Wire.mostPathBytes else {
        return unruly("listed more than \(mostFiles) files, or paths of more than \(Wire.mostPathBytes >> 20) MiB")
      }
    case .ok(let count):
      if ticket.greets { return unruly("sent no greeting") }
      guard let most = ticket.most else {
        if count != nil { return unruly("sent unexpected bytes") }
        return complete(ticket, .success(()))
      }
      guard let count, count <= most else { return unruly("sent more bytes than requested") }
      ticket.bytes.reserveCapacity(Int(count))
      bytesLeft = Int(count)
      if bytesLeft == 0 { complete(ticket, .success(())) }
    case .error(let code, let text):
      // An unknown code, from a later version, is treated as a general failure.
      let refusal = HelperFault.refused(WireCode(rawValue: code) ?? .failed, text)
      if ticket.greets { hasGreeted = true }
      complete(ticket, .failure(refusal))
    }
  }
}

/// Measures the speed of a helper. Only the time spent waiting counts.
struct HelperPace {
  /// The minimum speed in bytes per second.
  static let least = 100

  private let span: Int64
  private let least: Int
  private var waited: Int64 = 0
  private var moved = 0
  private var hasCome = false
  private var line: Int64 = 0

  /// - Parameter seconds: the time limit for a line, and the period in which a minimum amount must arrive.
  init(seconds: Int) {
    span = Int64(seconds) * 1_000_000_000
    least = seconds * HelperPace.least
  }

  mutating func begin() { (waited, moved, hasCome) = (0, 0, false) }

  /// Adds a waiting period. Sent bytes also count, because a helper need not answer before it has received them.
  /// - Parameter hadPart: whether part of a line had already arrived.
  mutating func add(_ nanoseconds: Int64, came: Int, sent: Int, hadPart: Bool) {
    line = hadPart ? line + nanoseconds : 0
    // As long as data is moving, the first byte of an answer can take any amount of time.
    if came > 0, !hasCome { (waited, moved, hasCome) = (0, 0, true) } else { waited += nanoseconds }
    moved += came + max(0, sent)
  }

  /// - Parameter hasPart: whether an incomplete line has been received.
  mutating func isTooSlow(hasPart: Bool) -> Bool {
    if !hasPart { line = 0 }
    guard waited > span else { return line > span }
    defer { (waited, moved) = (0, 0) }
    return moved < least || line > span
  }
}

/// Limits the wait for a helper after the time of the run is up.
struct HelperEnd {
  /// The time in nanoseconds that the helper can be silent, unless it has reported that a request takes a while.
  private static let grace: Int64 = 5_000_000_000
  /// The minimum rate in bytes per second for finishing a transfer.
  private static let least: Int64 = 16 << 10

  /// The end of the run in monotonic nanoseconds. From then on, only progress extends the wait.
  private let ends: Int64
  private let isStopped: () -> Bool
  private let rate: Int64
  /// The number of nanoseconds waited since the end of the run. The next property is the number of bytes transferred in
  /// that time.
  private var waited: Int64 = 0
  private var moved: Int64 = 0
  /// The number of bytes in unanswered requests. The helper has one second to transfer each 16 KiB.
  var unanswered: Int64 = 0

  /// - Parameter rate: the limit in bytes per second; nil for no limit.
  init(_ ends: Int64, rate: Int64? = nil, _ isStopped: @escaping () -> Bool = { false }) {
    (self.ends, self.isStopped) = (ends, isStopped)
    self.rate = min(HelperEnd.least, max(1, (rate ?? .max) / 2))
  }

  var latest: Int64 {
    isStopped() ? 0 : ends == .max ? ends : ends + min(unanswered / rate, 86_400) * 1_000_000_000
  }

  mutating func add(_ start: Int64, _ now: Int64, bytes: Int) {
    guard now > ends else { return }
    waited += now - max(start, ends)
    moved += Int64(bytes)
  }

  /// Whether the transfer is so slow that it will not finish soon.
  var drips: Bool { waited > HelperEnd.grace + min((moved + unanswered) / rate, 86_400) * 1_000_000_000 }

  /// Returns the time in nanoseconds that the helper can still be silent, starting at `now`.
  /// - Parameter saysWait: whether the helper has reported that the request takes a while.
  func left(_ now: Int64, saysWait: Bool) -> Int64 {
    let latest = latest
    return latest == .max ? .max : max(0, latest - now) + (saysWait ? 0 : HelperEnd.grace)
  }
}
