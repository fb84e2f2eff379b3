import SeaContainer
import SeaCore
import SeaHTTP
import SeaSystem

/// What all connections to a store share.
final class S3Shared: Sendable {
  struct State {
    var region: String
    var credentials: Credentials?
    var once: Once
    /// Until then nobody goes on trying what somebody else has tried in vain: monotonic nanoseconds.
    var isGoneUntil: Int64 = 0
  }

  /// Whether the server writes what is not there only if it is told so.
  enum Once: Equatable {
    case unknown(puts: Int)
    case honoured
    case ignored
  }

  let location: S3Location
  let settings: S3Settings
  let state: Guarded<State>

  init(_ location: S3Location, _ settings: S3Settings) {
    (self.location, self.settings) = (location, settings)
    let once: Once = settings.endpoint.isAWS ? .honoured : .unknown(puts: 0)
    state = Guarded(State(region: settings.region, credentials: nil, once: once))
  }

  /// Those that are good for some minutes more, if they can be had.
  func credentials() throws(S3Fault) -> Credentials {
    let found: Result<Credentials, S3Fault> = state.with { state in
      if let known = state.credentials, known.ends.map({ $0 > Clock.now() + 300_000 }) ?? true {
        return .success(known)
      }
      return Result { () throws(S3Fault) in try settings.source.credentials() }.map { fresh in
        state.credentials = fresh
        return fresh
      }
    }
    return try found.get()
  }

  var isGone: Bool { state.with { $0.isGoneUntil > Clock.monotonic() } }

  /// Somebody has tried for long, and nobody answers.
  func noteGone() { state.with { $0.isGoneUntil = Clock.monotonic() + Retries.gone } }

  /// They were refused because their time is over. False if there are no others.
  func renew(_ old: Credentials) -> Bool {
    state.with { state in
      guard case .program = settings.source else { return false }
      if state.credentials == old { state.credentials = nil }
      return true
    }
  }
}

/// One connection: requests with their signatures, made again where that may help.
final class S3Client {
  let shared: S3Shared
  private let transport: Transport
  /// How long is waited; for tests.
  var sleep: (Int64) -> Void = { Clock.sleep(nanoseconds: $0) }

  init(_ shared: S3Shared) throws(S3Fault) {
    self.shared = shared
    guard let transport = Transport(authorities: shared.settings.authorities, setting: S3Settings.authoritiesName)
    else {
      throw S3Fault(.failed, "libcurl cannot be started")
    }
    self.transport = transport
  }

  var location: S3Location { shared.location }

  struct Ask {
    var method: String
    /// Nil for the bucket itself.
    var key: String?
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var most = XMLTree.largest
    var skip: Int64?
  }

  /// What the store answers to a request: of success, `not-found` of an object (404), a condition (412) or a range (416).
  /// - Parameter isGood: whether an answer of success is what it should be; one that is not is asked for again.
  func ask(
    _ ask: Ask, _ body: [UInt8]? = nil, isGood: (Transport.Answer) -> Bool = { _ in true }
  ) throws(S3Fault) -> Transport.Answer {
    var retries = Retries()
    var hasMoved = false
    var hasRenewed = false
    while true {
      let (outcome, credentials, region) = try once(ask, body)
      var fault: S3Fault
      var wanted: Int64 = 0
      switch outcome {
      case .failure(let broken):
        fault = S3Fault(.gone, broken.reason)
        if !broken.isPassing || shared.isGone { throw fault }
      case .success(let answer):
        shared.state.with { $0.isGoneUntil = 0 }
        let error = S3Error(answer.body)
        switch S3Verdict(answer, error, isOfObject: ask.key != nil) {
        case .good where isGood(answer), .telling: return answer
        case .good: fault = S3Fault(.failed, "the server answers with what cannot be read")
        case .refused(let refusal): throw refusal
        case .passing(let passing): (fault, wanted) = (passing, S3Verdict.wanted(answer))
        case .expired(let refusal):
          guard !hasRenewed, shared.renew(credentials) else { throw refusal }
          hasRenewed = true
          continue
        case .elsewhere(let other, let refusal):
          guard !hasMoved, let other, other != region, Endpoint.isRegion(other) else { throw refusal }
          hasMoved = true
          shared.state.with { $0.region = other }
          continue
        }
      }
      let isBusy = fault.code == .busy
      guard let pause = retries.next(isBusy: isBusy, wanted: wanted) else {
        if case .failure = outcome { shared.noteGone() }
        // Not busy: whoever asked would begin to wait anew.
        throw isBusy ? S3Fault(.gone, fault.text) : fault
      }
      sleep(pause)
    }
  }

  private func once(
    _ ask: Ask, _ body: [UInt8]?
  ) throws(S3Fault) -> (Result<Transport.Answer, Transport.Broken>, Credentials, String) {
    let credentials = try shared.credentials()
    let region = shared.state.with { $0.region }
    let endpoint = shared.settings.endpoint
    let place = endpoint.place(of: location.bucket, region: region)
    let request = S3Request(
      method: ask.method, path: place.path + (ask.key ?? ""), query: ask.query, headers: ask.headers)
    let digest = SHA256.hash(body ?? [])
    let signature = Signature(credentials: credentials, region: region, time: Stamp.basic(Clock.now() / 1000))
    var headers = signature.headers(of: request, host: place.host, body: digest)
    if body != nil { headers.append(("content-type", "application/octet-stream")) }
    let call = Transport.Call(
      method: ask.method, url: "\(endpoint.isSecure ? "https" : "http")://\(place.host)\(request.target)",
      headers: headers, body: body, most: ask.most, skip: ask.skip)
    let start = Trace.start()
    let outcome = Result { () throws(Transport.Broken) in try transport.perform(call) }
    // Neither headers nor bodies: there stand signatures, and what is kept.
    Trace.note(
      "http", since: start,
      [
        ("method", .text(ask.method)), ("host", .text(place.host)), ("target", .text(request.target)),
        ("answer", .text((try? outcome.get()).map { String($0.status) } ?? "broken")),
        ("sent", .number(body?.count ?? 0)), ("received", .number((try? outcome.get())?.body.count ?? 0)),
      ])
    return (outcome, credentials, region)
  }
}
