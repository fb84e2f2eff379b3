import SeaContainer
import SeaCore
import SeaHTTP
import SeaSystem

/// The state that all connections to an object store share.
final class S3Shared: Sendable {
  struct State {
    var region: String
    var credentials: Credentials?
    var once: Once
    /// The time, in monotonic nanoseconds, until which nothing is retried.
    var isGoneUntil: Int64 = 0
  }

  /// Whether the server honors `if-none-match: *`, the condition that an object must not exist yet.
  enum Once: Equatable {
    case unknown(puts: Int)
    case honored
    case ignored
  }

  let location: S3Location
  let settings: S3Settings
  let state: Guarded<State>

  init(_ location: S3Location, _ settings: S3Settings) {
    (self.location, self.settings) = (location, settings)
    let once: Once = settings.endpoint.isAWS ? .honored : .unknown(puts: 0)
    state = Guarded(State(region: settings.region, credentials: nil, once: once))
  }

  /// Returns credentials that are valid for at least five more minutes, if available.
  func credentials() throws(WireRefusal) -> Credentials {
    let found: Result<Credentials, WireRefusal> = state.with { state in
      if let known = state.credentials, known.ends.map({ $0 > Clock.now() + 300_000 }) ?? true {
        return .success(known)
      }
      return Result { () throws(WireRefusal) in try settings.source.credentials() }.map { fresh in
        state.credentials = fresh
        return fresh
      }
    }
    return try found.get()
  }

  var isGone: Bool { state.with { $0.isGoneUntil > Clock.monotonic() } }

  func markGone() { state.with { $0.isGoneUntil = Clock.monotonic() + Retries.gone } }

  /// Discards expired credentials. Returns false if no other credentials are available.
  func renew(_ old: Credentials) -> Bool {
    state.with { state in
      guard case .program = settings.source else { return false }
      if state.credentials == old { state.credentials = nil }
      return true
    }
  }
}

/// A connection to an object store, which signs requests and repeats those that fail.
final class S3Client {
  let shared: S3Shared
  private let transport: Transport
  /// A closure that waits between retries. Tests replace it.
  var sleep: (Int64) -> Void = { Clock.sleep(nanoseconds: $0) }

  init(_ shared: S3Shared) throws(WireRefusal) {
    self.shared = shared
    guard let transport = Transport(authorities: shared.settings.authorities, setting: S3Settings.authoritiesName)
    else {
      throw WireRefusal(.failed, "cannot initialize libcurl")
    }
    self.transport = transport
  }

  var location: S3Location { shared.location }

  struct Ask {
    var method: String
    var key: String?
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    var most = XMLTree.largest
    var skip: Int64?
  }

  /// Returns the store's answer, which is success or, for an object, not found (404), a failed condition (412) or an
  /// invalid range (416).
  /// - Parameter isGood: returns whether a successful answer is complete. If it is not, the request is repeated.
  func ask(
    _ ask: Ask, _ body: [UInt8]? = nil, isGood: (Transport.Answer) -> Bool = { _ in true }
  ) throws(WireRefusal) -> Transport.Answer {
    var retries = Retries()
    var hasMoved = false
    var hasRenewed = false
    while true {
      let (outcome, credentials, region) = try once(ask, body)
      var fault: WireRefusal
      var wanted: Int64 = 0
      switch outcome {
      case .failure(let broken):
        fault = WireRefusal(.gone, broken.reason)
        if !broken.isTemporary || shared.isGone { throw fault }
      case .success(let answer):
        shared.state.with { $0.isGoneUntil = 0 }
        let error = S3Error(answer.body)
        switch S3Verdict(answer, error, isOfObject: ask.key != nil) {
        case .good where isGood(answer), .objectState: return answer
        case .good: fault = WireRefusal(.failed, "the answer of the server is invalid")
        case .refused(let refusal): throw refusal
        case .temporary(let passing): (fault, wanted) = (passing, S3Verdict.wanted(answer))
        case .expired(let refusal):
          guard !hasRenewed, shared.renew(credentials) else { throw refusal }
          hasRenewed = true
          continue
        case .otherRegion(let other, let refusal):
          guard !hasMoved, let other, other != region, Endpoint.isRegion(other) else { throw refusal }
          hasMoved = true
          shared.state.with { $0.region = other }
          continue
        }
      }
      let isBusy = fault.code == .busy
      guard let pause = retries.next(isBusy: isBusy, wanted: wanted) else {
        if case .failure = outcome { shared.markGone() }
        // The code `busy` would make the caller wait again.
        throw isBusy ? WireRefusal(.gone, fault.text) : fault
      }
      sleep(pause)
    }
  }

  private func once(
    _ ask: Ask, _ body: [UInt8]?
  ) throws(WireRefusal) -> (Result<Transport.Answer, Transport.Broken>, Credentials, String) {
    let credentials = try shared.credentials()
    let region = shared.state.with { $0.region }
    let endpoint = shared.settings.endpoint
    let place = endpoint.address(of: location.bucket, region: region)
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
    // Headers and bodies are not traced, because they contain signatures and data.
    Trace.record(
      "http", since: start,
      [
        ("method", .text(ask.method)), ("host", .text(place.host)), ("target", .text(request.target)),
        ("answer", .text((try? outcome.get()).map { String($0.status) } ?? "broken")),
        ("sent", .number(body?.count ?? 0)), ("received", .number((try? outcome.get())?.body.count ?? 0)),
      ])
    return (outcome, credentials, region)
  }
}

extension S3Client {
  /// The header that contains a random mark, which helps a writer recognize its own object.
  static let markHeader = "x-amz-meta-sea-put"

  enum Presence: Equatable {
    case free
    case taken(mark: String?)
  }

  func probe(_ key: String) throws(WireRefusal) -> Presence {
    var ask = Ask(method: "GET", key: key, headers: [("range", "bytes=0-0")], most: 1)
    ask.skip = 0
    let answer = try self.ask(ask) { $0.isOfStore }
    return answer.status == 404 ? .free : .taken(mark: answer.headers[S3Client.markHeader])
  }

  func read(_ key: String, from offset: Int64, count: Int) throws(WireRefusal) -> [UInt8] {
    guard count > 0 else {
      guard case .taken = try probe(key) else { throw .notFound }
      return []
    }
    var ask = Ask(
      method: "GET", key: key, headers: [("range", "bytes=\(offset)-\(offset + Int64(count) - 1)")], most: count)
    ask.skip = offset
    let answer = try self.ask(ask) { answer in
      (answer.status == 200 && !answer.isPart)
        || S3Range(answer)?.isAnswer(from: offset, count: count, got: answer.body.count) ?? false
    }
    switch answer.status {
    case 404: throw .notFound
    case 416: return []
    default: return answer.body
    }
  }

  func size(of key: String) throws(WireRefusal) -> Int64 {
    var ask = Ask(method: "GET", key: key, headers: [("range", "bytes=0-0")], most: 1)
    ask.skip = 0
    let answer = try self.ask(ask) { $0.isOfStore && ($0.isPart || $0.status != 206) }
    if answer.status == 404 { throw .notFound }
    if answer.status == 416 { return 0 }
    let size = answer.isPart ? S3Range(answer)?.size : answer.headers["content-length"].flatMap { Wire.number($0) }
    guard let size else { throw WireRefusal(.failed, "the server did not send the size of an object") }
    return size
  }

  /// - Returns: false if the source object does not exist.
  func copy(_ key: String, to other: String) throws(WireRefusal) -> Bool {
    guard try probe(other) == .free else { throw .exists }
    let source = PercentText.path("/\(location.bucket)/\(key)")
    let answer = try ask(
      Ask(method: "PUT", key: other, headers: [("x-amz-copy-source", source)]),
      []
    ) { $0.status != 200 || XMLTree.parse($0.body)?.text("ETag") != nil }
    return answer.status != 404
  }

  func delete(_ key: String) throws(WireRefusal) { _ = try ask(Ask(method: "DELETE", key: key)) }

  func list(_ prefix: String, _ body: (S3Page) throws(WireRefusal) -> Void) throws(WireRefusal) {
    var token: String?
    // The limit protects against an endless listing from a faulty server. No container has this many objects.
    var pages = 0
    repeat {
      var query = [("list-type", "2"), ("prefix", prefix), ("encoding-type", "url")]
      if let token { query.append(("continuation-token", token)) }
      var page: S3Page?
      _ = try ask(Ask(method: "GET", query: query)) { answer in
        page = S3Page(answer.body)
        return page != nil
      }
      guard let page else { throw WireRefusal(.failed, "the server sent no listing") }
      pages += 1
      guard pages <= 100_000, page.next == nil || page.next != token else {
        throw WireRefusal(.failed, "the listing of the server does not end")
      }
      try body(page)
      token = page.next
    } while token != nil
  }

  // MARK: Writing

  func replace(_ key: String, _ bytes: [UInt8]) throws(WireRefusal) {
    let answer = try ask(Ask(method: "PUT", key: key), bytes) { $0.isOfStore }
    guard answer.status == 200 else { throw WireRefusal(.failed, "the server rejected the object") }
  }

  /// Writes a new object. Unless the server is known to honor the condition, checks first whether the object exists.
  func put(_ key: String, _ bytes: [UInt8]) throws(WireRefusal) {
    let mark = try S3Client.mark()
    let known = shared.state.with { $0.once }
    if known != .honored, try probe(key) != .free { throw .exists }
    guard try put(key, bytes, mark, conditional: known != .ignored) else {
      shared.state.with { $0.once = .honored }
      // If an answer was lost or a request repeated, the existing object may be the one that this call wrote.
      if try probe(key) == .taken(mark: mark) { return }
      throw .exists
    }
    guard case .unknown = known else { return }
    // After several writes, the same object is written again to test whether the server honors the condition. Even if
    // the server does not, the object's content stays the same.
    let isTest = shared.state.with { state in
      guard case .unknown(let now) = state.once else { return false }
      state.once = .unknown(puts: now + 1)
      return now == 3
    }
    guard isTest else { return }
    let isIgnored = try put(key, bytes, mark, conditional: true)
    shared.state.with { $0.once = isIgnored ? .ignored : .honored }
  }

  /// - Returns: false if the object already exists.
  private func put(_ key: String, _ bytes: [UInt8], _ mark: String, conditional: Bool) throws(WireRefusal) -> Bool {
    var headers = [(S3Client.markHeader, mark)]
    if conditional { headers.append(("if-none-match", "*")) }
    do throws(WireRefusal) {
      let answer = try ask(Ask(method: "PUT", key: key, headers: headers), bytes) { $0.isOfStore }
      if answer.status == 404 { throw WireRefusal(.failed, "the server rejected the object") }
      return answer.status != 412
    } catch {
      guard conditional, error.code == .unsupported else { throw error }
      shared.state.with { $0.once = .ignored }
      return try put(key, bytes, mark, conditional: false)
    }
  }

  static func mark() throws(WireRefusal) -> String {
    do throws(SystemError) { return Hex.text(try Random.bytes(8)) } catch { throw WireRefusal(.failed, error.reason) }
  }
}

/// The range of an object that an answer contains, such as `bytes 0-99/1234`.
package struct S3Range: Equatable {
  let first: Int64
  let last: Int64
  let size: Int64

  package init?(_ answer: Transport.Answer) {
    switch answer.status {
    // A missing object has no range.
    case 404, 416: (first, last, size) = (0, -1, 0)
    case 200, 206:
      guard let text = answer.headers["content-range"], text.hasPrefix("bytes ") else { return nil }
      let parts = text.dropFirst(6).split { $0 == "-" || $0 == "/" }
      guard parts.count == 3, let first = Wire.number(parts[0]), let last = Wire.number(parts[1]),
        let size = Wire.number(parts[2]), first <= last, last < size
      else { return nil }
      (self.first, self.last, self.size) = (first, last, size)
    default: return nil
    }
  }

  /// Whether the answer contains the requested range, or its part up to the end of the object.
  package func isAnswer(from offset: Int64, count: Int, got: Int) -> Bool {
    if last < first { return true }
    return first == offset && last == min(offset + Int64(count), size) - 1 && got == last - first + 1
  }
}

extension Transport.Answer {
  /// Whether the answer comes from the object store. A successful answer without an entity tag comes from a proxy.
  var isOfStore: Bool { headers["etag"] != nil || !isSuccess }
}

/// The meaning of an answer for the request.
package enum S3Verdict: Equatable {
  case good
  /// The object is missing (404), a condition failed (412), or a range is invalid (416).
  case objectState
  case refused(WireRefusal)
  case temporary(WireRefusal)
  case expired(WireRefusal)
  /// The bucket is in another region; the value is nil if the answer does not name the region.
  case otherRegion(String?, WireRefusal)

  package init(_ answer: Transport.Answer, _ error: S3Error?, isOfObject: Bool) {
    let code = error?.code ?? ""
    let said = code.isEmpty ? "HTTP \(answer.status)" : "\(code) (HTTP \(answer.status))"
    switch (answer.status, code) {
    case (200..<300, ""): self = .good
    // For some requests, the server sends a success status even though the request then fails.
    case (200..<300, "InternalError"), (200..<300, "SlowDown"), (200..<300, "ServiceUnavailable"):
      self = .temporary(WireRefusal(.busy, said))
    case (200..<300, _): self = .refused(WireRefusal(.failed, said))
    case (_, "ExpiredToken"), (_, "TokenRefreshRequired"):
      self = .expired(WireRefusal(.denied, "the credentials have expired"))
    case (404, "NoSuchKey") where isOfObject, (404, "NoSuchUpload") where isOfObject, (412, _), (416, _):
      self = .objectState
    case (404, "NoSuchBucket"): self = .refused(WireRefusal(.gone, "the bucket does not exist"))
    // An error that lacks an error code from the object store comes from a proxy.
    case (404, ""): self = .temporary(WireRefusal(.gone, said))
    case (401, ""), (403, ""): self = .temporary(WireRefusal(.denied, said))
    case (_, "AuthorizationHeaderMalformed") where error?.region != nil:
      self = .otherRegion(error?.region, WireRefusal(.denied, said))
    case (300..<400, _):
      self = .otherRegion(
        answer.headers["x-amz-bucket-region"],
        WireRefusal(.failed, "the server redirects, which is not supported: \(said)"))
    case (_, "RequestTimeTooSkewed"):
      self = .refused(WireRefusal(.denied, "the local clock differs from the server's clock: \(said)"))
    case (401, _), (403, _): self = .refused(WireRefusal(.denied, said))
    case (413, _), (_, "EntityTooLarge"): self = .refused(WireRefusal(.tooLarge, said))
    case (507, _), (_, "QuotaExceeded"): self = .refused(WireRefusal(.full, said))
    case (501, _): self = .refused(WireRefusal(.unsupported, said))
    case (429, _), (503, _), (_, "SlowDown"): self = .temporary(WireRefusal(.busy, said))
    case (500..<600, _), (408, _), (_, "RequestTimeout"): self = .temporary(WireRefusal(.gone, said))
    case (409, "OperationAborted"), (409, "ConditionalRequestConflict"): self = .temporary(WireRefusal(.busy, said))
    default: self = .refused(WireRefusal(.failed, said))
    }
  }

  /// Returns the time in nanoseconds that the server asks the client to wait.
  static func wanted(_ answer: Transport.Answer) -> Int64 {
    guard let seconds = answer.headers["retry-after"].flatMap({ Wire.number($0) }) else { return 0 }
    return min(seconds, 20) * 1_000_000_000
  }
}

package struct S3Error: Equatable {
  package let code: String
  package let region: String?

  /// Parses an error message; returns nil if the body is something else.
  package init?(_ body: [UInt8]) {
    guard !body.isEmpty, let tree = XMLTree.parse(body), tree.name == "Error", let code = tree.text("Code") else {
      return nil
    }
    self.code = String(code.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(80))
    region = tree.text("Region")
  }
}

package struct S3Page: Equatable {
  package struct Object: Equatable {
    package let key: String
    package let size: Int64
    /// The time of the last change, in milliseconds since 1970; 0 if unknown.
    package let time: Int64

    package init(key: String, size: Int64, time: Int64) { (self.key, self.size, self.time) = (key, size, time) }
  }

  package var objects: [Object] = []
  package var next: String?

  /// Returns nil if the listing is invalid, or if it is truncated and lacks the token of the next page.
  package init?(_ body: [UInt8]) {
    guard let tree = XMLTree.parse(body), tree.name == "ListBucketResult" else { return nil }
    let isEncoded = tree.text("EncodingType") == "url"
    for entry in tree.children where entry.name == "Contents" {
      guard let key = entry.text("Key"), let size = entry.text("Size").flatMap({ Wire.number($0) }) else { return nil }
      // A name that cannot be decoded cannot be that of a container's file.
      guard let name = isEncoded ? PercentText.decoded(key) : key else { continue }
      objects.append(
        Object(key: name, size: size, time: max(0, entry.text("LastModified").flatMap(Stamp.parse) ?? 0)))
    }
    if tree.text("IsTruncated") == "true" {
      guard let token = tree.text("NextContinuationToken"), !token.isEmpty else { return nil }
      next = token
    } else if tree.text("IsTruncated") != "false" {
      return nil
    }
  }
}
