import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOConcurrencyHelpers
import NIOCore
import SeaKit
import SeaStudio

/// The pages. They are made as soon as the address is known.
final class Site: Sendable {
  private let box = NIOLockedValueBox<Studio?>(nil)

  var studio: Studio? { box.withLockedValue { $0 } }
  func open(_ studio: Studio) { box.withLockedValue { $0 = studio } }
}

/// The connection through which a request came.
struct Caller: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
  }
}

/// Passes requests to the pages, and their answers back.
struct Responder: HTTPResponder {
  let site: Site

  func respond(to request: HummingbirdCore.Request, context: Caller) async throws -> Response {
    guard let studio = site.studio else { return Response(status: .serviceUnavailable) }
    guard Peer.isOwn(context.channel) else { return Response(status: .forbidden) }
    let target = request.head.path ?? "/"
    var headers: [(name: String, value: String)] = []
    // HTTP types keep the host apart from the other headers.
    if let host = request.head.authority { headers.append(("host", host)) }
    for field in request.headers { headers.append((field.name.canonicalName, field.value)) }
    let source = request.body.makeAsyncIterator()
    let reader = BodyReader(source)
    let passed = SeaStudio.Request(
      method: request.method.rawValue, target: target, headers: headers, body: .init { try await reader.next() })
    guard let passed else { return Response(status: .badRequest) }
    let start = ContinuousClock.now
    var answer = await studio.answer(passed)
    let time = ContinuousClock.now - start
    let milliseconds = Double(time.components.seconds) * 1e3 + Double(time.components.attoseconds) / 1e15
    answer.set("server-timing", "app;dur=\(milliseconds)")
    // The rest of an unread form must not be taken for the next request.
    if request.method == .post { answer.set("connection", "close") }
    var response = Response(status: .init(code: answer.status))
    for (name, value) in answer.headers { if let name = HTTPField.Name(name) { response.headers[name] = value } }
    switch answer.content {
    case .bytes(let bytes): response.body = .init(byteBuffer: ByteBuffer(bytes: bytes))
    case .asset(let pieces, let size):
      response.body = .init(contentLength: Int(size)) { writer in
        for try await piece in pieces { try await writer.write(ByteBuffer(bytes: piece)) }
        try await writer.finish(nil)
      }
    case .events(let run):
      response.body = .init { writer in
        let box = Writer(writer)
        try await run { try await box.write($0) }
        try await box.finish()
      }
    }
    return response
  }
}

/// A body is read by one task at a time, so sharing its iterator is safe.
private final class BodyReader: @unchecked Sendable {
  private var source: RequestBody.AsyncIterator

  init(_ source: RequestBody.AsyncIterator) { self.source = source }

  func next() async throws -> [UInt8]? {
    var source = source
    defer { self.source = source }
    return try await source.next().map { Array($0.readableBytesView) }
  }
}

private final class Writer: @unchecked Sendable {
  private var writer: any ResponseBodyWriter

  init(_ writer: any ResponseBodyWriter) { self.writer = writer }

  func write(_ bytes: [UInt8]) async throws { try await writer.write(ByteBuffer(bytes: bytes)) }
  func finish() async throws { try await writer.finish(nil) }
}

/// Finds the user at the other end of a connection. The address with the token is an argument of the browser, and other
/// users of this computer can read the arguments of programs. A server of theirs at another port gets the cookie.
enum Peer {
  /// Returns whether the other end belongs to this user. The kernel lists IPv6 sockets that connect to an IPv4 address in
  /// another file, so this refuses an end that it does not find.
  static func isOwn(_ channel: any Channel) -> Bool {
    guard let near = channel.remoteAddress, let far = channel.localAddress, let from = row(near), let to = row(far),
      let file = fopen("/proc/net/tcp", "re")
    else { return false }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), file) != nil {
      let bytes = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
      if words.count > 7, words[1] == from, words[2] == to, let user = uid_t(words[7]) { return user == getuid() }
    }
    return false
  }

  /// Returns an address in the form of the kernel: hexadecimal digits of the address as a native number, and of the port.
  private static func row(_ address: SocketAddress) -> String? {
    guard let port = address.port, let parts = address.ipAddress?.split(separator: ".").compactMap({ UInt32($0) }),
      parts.count == 4
    else { return nil }
    let number = parts.reduce(0) { $0 << 8 | $1 }.bigEndian
    func hex(_ number: some BinaryInteger, _ count: Int) -> String {
      let digits = String(number, radix: 16, uppercase: true)
      return String(repeating: "0", count: count - digits.count) + digits
    }
    return "\(hex(number, 8)):\(hex(port, 4))"
  }
}
