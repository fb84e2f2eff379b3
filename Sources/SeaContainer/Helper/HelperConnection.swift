import SeaCore
import SeaSystem

/// The line to a helper: requests go out, and answers come in their order, each to its ticket. Any number may be under way,
/// and whoever waits for one takes in those before it.
///
/// What a helper says is held against the protocol, and against what it was asked for, before anything of it is kept. Once
/// something was wrong, nothing more is sent or believed.
final class HelperConnection {
  /// What was not sent yet is not more than this, and one request.
  private static let mostWaiting = 1 << 22
  /// A farewell takes no longer: seconds.
  private static let farewell = 5.0

  private let place: String
  private let conversation: Conversation
  /// Seconds without a byte.
  private let silence: Int
  /// A helper may say for so many seconds that it is still at work on one request.
  private let longestWait: Int
  private let mostFiles: Int
  private var end: HelperEnd
  private var tickets: [HelperTicket] = []
  private var firstOpen = 0
  private var bytesLeft = 0
  private var hasGreeted = false
  private var isFeeding = false
  private var pace: HelperPace
  /// Whether nothing was written since everything was made durable.
  private var isSettled = true
  private(set) var fault: HelperFault?
  /// What the helper says of itself.
  private(set) var words: Set<String> = []
  private(set) var requests = 0
  /// How many of them change something.
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

  /// Greets; what is asked next may follow at once.
  func greet() -> HelperTicket { ask(.greet(version: Wire.version, words: [])) }

  /// Sends a request, and what belongs to it. A fault is told by the ticket.
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

  /// Sends a line that is no request.
  func ask(line: String) -> HelperTicket {
    let ticket = HelperTicket(.flush)
    if let fault { ticket.outcome = .failure(fault) } else { tickets.append(ticket) }
    conversation.send(line + "\n")
    return ticket
  }

  /// Sends a request whose bytes come in pieces: as many as it says, or the line is of no use afterwards.
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

  /// Waits for the answer.
  /// - Parameters:
  ///   - most: so many seconds in all, nil for as long as something comes.
  ///   - isEnough: whether what has come of it is what is waited for.
  func finish(
    _ ticket: HelperTicket, most: Double? = nil, isEnough: () -> Bool = { false }
  ) throws(HelperFault) {
    let ends = most.map { Clock.monotonic() + Int64($0 * 1e9) }
    while ticket.outcome == nil, !isEnough() {
      // What came with the answer before may be enough.
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

  /// Whether the answer is there, or can be had without waiting for it.
  var isIdle: Bool { tickets.isEmpty && !isFeeding }

  /// Whether all that was asked is on its way.
  var isSent: Bool { conversation.waiting == 0 }

  /// Nothing more is sent, and nothing is waited for.
  func drop() {
    fail(.ended(status: 0, greeted: hasGreeted))
    conversation.end(seconds: 0)
  }

  /// Nothing more will be asked. How it ended.
  func hangUp() -> Launch.Ending? {
    defer { fail(.ended(status: 0, greeted: hasGreeted)) }
    return conversation.end(seconds: HelperConnection.farewell)
  }

  /// Takes leave. Where everything is done that was asked for, the end of the line says it as well.
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

  // MARK: What comes

  private func step(nanoseconds: Int64 = .max) {
    do throws(SystemError) {
      let (start, here, unsent) = (Clock.monotonic(), conversation.available.count, conversation.waiting)
      let (least, most) = (Int64(silence) * 1_000_000_000, end.left(start, saysWait: isTold))
      switch try conversation.step(nanoseconds: min(nanoseconds, least, most)) {
      case .moved:
        let (came, now) = (conversation.available.count - here, Clock.monotonic())
        pace.note(now - start, came: came, sent: unsent - conversation.waiting, hadPart: here > 0)
        end.note(start, now, bytes: came + max(0, unsent - conversation.waiting))
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

  /// Whether what is waited for was said to take long, and nothing of it has come.
  private var isTold: Bool { firstOpen < tickets.count && tickets[firstOpen].waitsSince != nil && bytesLeft == 0 }

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
    fail(.unruly(what))
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

  /// Goes through what has come as far as it is whole. False if nothing was there to go on with.
  private func parse() -> Bool {
    var moved = false
    while fault == nil, !conversation.available.isEmpty {
      guard firstOpen < tickets.count else {
        unruly("said something that it was not asked")
        break
      }
      let ticket = tickets[firstOpen]
      if bytesLeft > 0 {
        let count = min(bytesLeft, conversation.available.count)
        ticket.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: conversation.available[..<count]))
        conversation.take(count)
        bytesLeft -= count
        if bytesLeft == 0 { complete(ticket, .success(())) }
        moved = true
        continue
      }
      guard let line = conversation.line(most: Wire.longestLine) else {
        if conversation.available.count > Wire.longestLine {
          unruly("a line of more than \(Wire.longestLine) bytes")
        }
        break
      }
      moved = true
      guard let answer = Wire.Answer(line) else {
        unruly("'\(line.prefix(80))' is no answer")
        break
      }
      take(answer, for: ticket)
    }
    return moved
  }

  private func take(_ answer: Wire.Answer, for ticket: HelperTicket) {
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
        unruly("it took too long")
      }
    case .greet(let version, let words):
      guard ticket.greets else { return unruly("greeted a second time") }
      guard (1...Wire.version).contains(version) else {
        fail(.version(version))
        conversation.end(seconds: 0)
        return
      }
      hasGreeted = true
      self.words = Set(words)
      complete(ticket, .success(()))
    case .news(let folder):
      guard ticket.awaits, ticket.news.count < 1000 else { return unruly("told news where none were asked for") }
      ticket.news.append(folder)
    case .file(let file):
      guard ticket.lists else { return unruly("named a file where none was asked for") }
      ticket.note(file)
      guard ticket.fileCount <= mostFiles, ticket.pathBytes <= Wire.mostPathBytes else {
        return unruly("it names more than \(mostFiles) files, or paths of more than \(Wire.mostPathBytes >> 20) MiB")
      }
    case .ok(let count):
      if ticket.greets { return unruly("did not greet") }
      guard let most = ticket.most else {
        if count != nil { return unruly("has bytes where none belong") }
        return complete(ticket, .success(()))
      }
      guard let count, count <= most else { return unruly("has not as many bytes as it was asked for, but more") }
      ticket.bytes.reserveCapacity(Int(count))
      bytesLeft = Int(count)
      if bytesLeft == 0 { complete(ticket, .success(())) }
    case .error(let code, let text):
      // One that a later version has says no more than that it failed.
      let refusal = HelperFault.refused(WireCode(rawValue: code) ?? .failed, text)
      if ticket.greets { hasGreeted = true }
      complete(ticket, .failure(refusal))
    }
  }
}

/// How fast a helper goes: only the time counts in which it was waited for.
struct HelperPace {
  /// Bytes in a second.
  static let least = 100

  /// Nanoseconds.
  private let span: Int64
  private let least: Int
  private var waited: Int64 = 0
  private var moved = 0
  private var hasCome = false
  private var line: Int64 = 0

  /// - Parameter seconds: so long a line may take from its first byte on, and in each such span of an answer the least must come.
  init(seconds: Int) {
    span = Int64(seconds) * 1_000_000_000
    least = seconds * HelperPace.least
  }

  /// An answer is done, or is to be waited for.
  mutating func begin() { (waited, moved, hasCome) = (0, 0, false) }

  /// What was sent counts as well: who is told much has not to answer yet.
  /// - Parameter hadPart: whether a part of a line was there before.
  mutating func note(_ nanoseconds: Int64, came: Int, sent: Int, hadPart: Bool) {
    line = hadPart ? line + nanoseconds : 0
    // Up to its first byte an answer may take as long as something moves.
    if came > 0, !hasCome { (waited, moved, hasCome) = (0, 0, true) } else { waited += nanoseconds }
    moved += came + max(0, sent)
  }

  /// - Parameter hasPart: whether a part of a line has come and no more since.
  mutating func isTooSlow(hasPart: Bool) -> Bool {
    if !hasPart { line = 0 }
    guard waited > span else { return line > span }
    defer { (waited, moved) = (0, 0) }
    return moved < least || line > span
  }
}

/// Until when a helper is waited for by a run that has no more time.
struct HelperEnd {
  /// So long one may say nothing who has not said that it takes long: nanoseconds.
  private static let grace: Int64 = 5_000_000_000
  /// So many bytes a second move of what is brought to its end; what drips is not waited for.
  private static let least: Int64 = 16 << 10

  /// When nothing is waited for any more on which nothing moves: monotonic nanoseconds.
  private let ends: Int64
  /// Whether that is now.
  private let isStopped: () -> Bool
  /// Bytes a second.
  private let rate: Int64
  /// Nanoseconds in which it was waited for after the end, and bytes that have moved then.
  private var waited: Int64 = 0
  private var moved: Int64 = 0
  /// Bytes of requests that were not answered yet. To hand over what was begun takes a second for each 16 KiB.
  var unanswered: Int64 = 0

  /// - Parameter rate: so many bytes a second may move; nil for as many as can.
  init(_ ends: Int64, rate: Int64? = nil, _ isStopped: @escaping () -> Bool = { false }) {
    (self.ends, self.isStopped) = (ends, isStopped)
    self.rate = min(HelperEnd.least, max(1, (rate ?? .max) / 2))
  }

  var latest: Int64 {
    isStopped() ? 0 : ends == .max ? ends : ends + min(unanswered / rate, 86_400) * 1_000_000_000
  }

  /// Notes that something has moved, between two times.
  mutating func note(_ start: Int64, _ now: Int64, bytes: Int) {
    guard now > ends else { return }
    waited += now - max(start, ends)
    moved += Int64(bytes)
  }

  /// Whether too little has moved for so long that what was begun would not come to its end soon.
  var drips: Bool { waited > HelperEnd.grace + min((moved + unanswered) / rate, 86_400) * 1_000_000_000 }

  /// How long nothing may move, from `now` on: nanoseconds.
  /// - Parameter saysWait: whether it was said that it takes long.
  func left(_ now: Int64, saysWait: Bool) -> Int64 {
    let latest = latest
    return latest == .max ? .max : max(0, latest - now) + (saysWait ? 0 : HelperEnd.grace)
  }
}
