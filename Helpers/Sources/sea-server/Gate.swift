import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// The connection through which a request came.
struct Caller: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }

  /// The client's address; `unix` for a Unix socket.
  var address: String { channel.remoteAddress?.ipAddress ?? "unix" }
}

/// Authenticates, checks and routes all requests. The responses are described in sea-server(5).
struct Gate: HTTPResponder {
  let settings: Settings
  let tokens: Tokens
  let limits: Limits
  let metrics: Metrics
  let engine: Engine
  let news: News
  let connections: Connections

  static let lines = "application/vnd.sea.lines"
  static let mark = HTTPField.Name("sea-server")!
  private static let version = "1"

  private struct Refusal: Error {
    let status: HTTPResponse.Status
    let text: String
    var retryAfter: Int?

    init(_ status: HTTPResponse.Status, _ text: String, retryAfter: Int? = nil) {
      (self.status, self.text, self.retryAfter) = (status, text, retryAfter)
    }
  }

  func respond(to request: Request, context: Caller) async throws -> Response {
    let address = caller(request, context)
    var name = "-"
    var response: Response
    do {
      response = try answer(request, address, context.channel, &name)
    } catch {
      let refusal = error as? Refusal ?? Refusal(.internalServerError, "internal error")
      response = Response(
        status: refusal.status, body: ResponseBody(byteBuffer: ByteBuffer(string: refusal.text + "\n")))
      response.headers[.contentType] = "text/plain; charset=utf-8"
      if let seconds = refusal.retryAfter { response.headers[.retryAfter] = "\(seconds)" }
      if refusal.status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer realm=\"sea\"" }
      if refusal.status == .methodNotAllowed { response.headers[.allow] = "GET, POST" }
      leaveUnread(request, context, &response)
      log(address, name, request, refusal.status.code, 0, 0)
    }
    response.headers[Gate.mark] = Gate.version
    response.headers[.cacheControl] = "no-store"
    metrics.record(status: response.status.code)
    return response
  }

  /// Closes the connection, instead of reading the body, if a refused request has a large body.
  private func leaveUnread(_ request: Request, _ context: Caller, _ response: inout Response) {
    let isChunked = request.headers[.transferEncoding] != nil
    guard isChunked || (request.headers[.contentLength].flatMap(Int64.init) ?? 0) > 1 << 16 else { return }
    response.headers[.connection] = "close"
    let channel = context.channel
    // Give the client time to read the response.
    channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
  }

  /// Returns the client's address. If the request comes through a trusted proxy, the address is in a header.
  private func caller(_ request: Request, _ context: Caller) -> String {
    let near = context.address
    guard settings.proxies.contains(near),
      let last = request.headers[values: .init("x-forwarded-for")!].last?.split(separator: ",").last
    else { return near }
    let address = String(TextFile.trimmed(last))
    let isAddress =
      (1...45).contains(address.utf8.count)
      && address.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x3A, 0x41...0x46, 0x61...0x66, 0x2E: true
        default: false
        }
      }
    return isAddress ? address : near
  }

  private func log(
    _ address: String, _ name: String, _ request: Request, _ status: Int, _ received: Int64, _ sent: Int64
  ) {
    guard settings.logsRequests || status >= 500 else { return }
    Log.line("\(address) \(name) \(request.method) \(request.uri.path.prefix(100)) \(status) \(received) \(sent)")
  }

  // MARK: Requests

  private enum Asked {
    case container(String)
    case news(String)
    case metrics
    case health
  }

  private func asked(_ request: Request) throws(Refusal) -> Asked {
    guard request.uri.query == nil else { throw Refusal(.badRequest, "query strings are not supported") }
    let path = request.uri.path
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let first = parts.first ?? ""
    let allowed: HTTPRequest.Method
    let asked: Asked
    switch parts.count {
    case 1 where first == "-health": (asked, allowed) = (.health, .get)
    case 1 where first == "-metrics": (asked, allowed) = (.metrics, .get)
    case 1 where Grant.isName(first): (asked, allowed) = (.container(String(first)), .post)
    case 2 where Grant.isName(first) && parts.last == "news": (asked, allowed) = (.news(String(first)), .get)
    default: throw Refusal(.notFound, "not found")
    }
    guard request.method == allowed else { throw Refusal(.methodNotAllowed, "method not allowed") }
    return asked
  }

  private func answer(
    _ request: Request, _ address: String, _ channel: any Channel, _ name: inout String
  ) throws -> Response {
    let asked = try asked(request)
    if case .health = asked {
      guard engine.isThere else { throw Refusal(.serviceUnavailable, "the folder of the containers is unavailable") }
      return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "ok\n")))
    }
    let grant = try grant(request, address)
    connections.isKnown(channel)
    name = grant.name
    switch asked {
    case .health, .metrics:
      guard grant.right == .metrics else { throw Refusal(.forbidden, "the token does not allow this") }
      let now = limits.now
      let text = metrics.text(running: now.running, watching: now.watching, connections.now)
      var response = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
      response.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
      return response
    case .container(let container):
      guard grant.allows(container) else { throw Refusal(.forbidden, "the token does not allow this container") }
      return try exchange(request, container, grant, address)
    case .news(let container):
      guard grant.allows(container) else { throw Refusal(.forbidden, "the token does not allow this container") }
      return try listen(request, container, grant, address)
    }
  }

  private func grant(_ request: Request, _ address: String) throws(Refusal) -> Grant {
    let words = (request.headers[.authorization] ?? "").split(separator: " ", omittingEmptySubsequences: false)
    if words.count == 2, words[0].lowercased() == "bearer", (20...200).contains(words[1].utf8.count),
      let grant = tokens.grant(for: String(words[1]))
    {
      return grant
    }
    defer { limits.recordRefusal(address) }
    if limits.isBarred(address) { throw Refusal(.tooManyRequests, "too many failed attempts", retryAfter: 60) }
    throw Refusal(.unauthorized, "unknown token")
  }

  private func enter(_ kind: Limits.Kind, _ grant: Grant) throws(Refusal) {
    switch limits.enter(kind, grant.name) {
    case .allowed: break
    case .tooMuch(let seconds): throw Refusal(.tooManyRequests, "too many requests", retryAfter: seconds)
    case .busy(let seconds): throw Refusal(.serviceUnavailable, "server busy", retryAfter: seconds)
    }
  }

  // MARK: Answers

  private func exchange(_ request: Request, _ container: String, _ grant: Grant, _ address: String) throws -> Response {
    guard request.headers[.contentType] == Gate.lines else {
      throw Refusal(.unsupportedMediaType, "expected content type \(Gate.lines)")
    }
    if let size = request.headers[.contentLength].flatMap(Int64.init), size > settings.largestRequest {
      throw Refusal(.contentTooLarge, "the request exceeds \(settings.largestRequest) bytes")
    }
    try enter(.request, grant)
    let exchange = Exchange(
      engine: engine, tokens: tokens, limits: limits, metrics: metrics, largest: settings.largestRequest,
      container: container, grant: grant
    ) { received, sent, isWhole in
      if !isWhole { metrics.recordFailure() }
      log(address, grant.name, request, isWhole ? 200 : 599, received, sent)
    }
    do {
      var response = Response(status: .ok, body: try exchange.answer(request.body))
      response.headers[.contentType] = Gate.lines
      response.headers[.init("x-accel-buffering")!] = "no"
      return response
    } catch {
      limits.leave(.request, grant.name)
      Log.line(error.text)
      if error.kind == .elsewhere { throw Refusal(.notFound, "not found") }
      throw Refusal(.serviceUnavailable, "cannot start the helper", retryAfter: 5)
    }
  }

  private func listen(_ request: Request, _ container: String, _ grant: Grant, _ address: String) throws -> Response {
    try enter(.watcher, grant)
    let body = ResponseBody { [tokens] writer in
      let (events, stream) = news.listen(container)
      let session = tokens.open(grant, container) { stream.finish() }
      defer { tokens.close(session) }
      do {
        // Writing something makes the server send the response headers immediately.
        try await writer.write(ByteBuffer(string: ": \(container)\n\n"))
        for await event in events {
          // The token may have been revoked in the meantime.
          guard tokens.holds(grant, container) else { break }
          let text =
            switch event {
            case .ready: "event: ready\ndata:\n\n"
            case .folder(let folder): "event: news\ndata: \(folder)\n\n"
            }
          try await writer.write(ByteBuffer(string: text))
        }
      } catch {
        limits.leave(.watcher, grant.name)
        throw error
      }
      limits.leave(.watcher, grant.name)
      log(address, grant.name, request, 200, 0, 0)
      try await writer.finish(nil)
    }
    var response = Response(status: .ok, body: body)
    response.headers[.contentType] = "text/event-stream"
    response.headers[.init("x-accel-buffering")!] = "no"
    return response
  }
}
