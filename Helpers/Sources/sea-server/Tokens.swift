import CServer
import Glibc
import NIOConcurrencyHelpers

/// The rights of a token. Instead of the token itself, its SHA-256 digest is stored.
struct Grant: Sendable {
  enum Right: String, Sendable {
    case everything
    case appendOnly = "append-only"
    case readOnly = "read-only"
    /// The right to read the metrics of the server, but no container.
    case metrics
  }

  var name: String
  var digest: [UInt8]
  var right: Right
  /// The names of the containers that the token gives access to; nil for all containers.
  var containers: Set<String>?
  /// The expiration time in seconds since 1970; nil if the token does not expire.
  var ends: Int64?

  func allows(_ container: String) -> Bool { right != .metrics && containers?.contains(container) ?? true }

  var line: String {
    let place = containers?.sorted().joined(separator: ",") ?? "*"
    return "\(name) sha256:\(Grant.hex(digest)) \(right.rawValue) \(place)" + (ends.map { " until=\($0)" } ?? "")
  }

  init?(_ line: Substring) {
    let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "\r" })
    guard (4...5).contains(words.count), Grant.isName(words[0]), words[1].hasPrefix("sha256:"),
      let digest = Grant.bytes(words[1].dropFirst(7)), let right = Right(rawValue: String(words[2]))
    else { return nil }
    (name, self.digest, self.right) = (String(words[0]), digest, right)
    if words[3] != "*" {
      let names = words[3].split(separator: ",", omittingEmptySubsequences: false)
      guard names.allSatisfy(Grant.isName) else { return nil }
      containers = Set(names.map(String.init))
    }
    guard words.count == 5 else { return }
    guard words[4].hasPrefix("until="), let ends = Int64(words[4].dropFirst(6)) else { return nil }
    self.ends = ends
  }

  init(name: String, token: String, right: Right, containers: Set<String>?, ends: Int64?) {
    (self.name, digest, self.right) = (name, Grant.digest(of: token), right)
    (self.containers, self.ends) = (containers, ends)
  }

  /// Whether a string is a valid name for a token or container. A name has 1 to 64 letters, digits, `.`, `_` and `-`,
  /// and begins with a letter or digit.
  static func isName(_ text: some StringProtocol) -> Bool {
    let bytes = text.utf8
    func isPlain(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: false
      }
    }
    return (1...64).contains(bytes.count) && isPlain(bytes.first!)
      && bytes.allSatisfy { isPlain($0) || [0x2E, 0x5F, 0x2D].contains($0) }
  }

  static func digest(of token: String) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    let bytes = Array(token.utf8)
    _ = SHA256(bytes, bytes.count, &digest)
    return digest
  }

  static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static func bytes(_ hex: Substring) -> [UInt8]? {
    guard hex.utf8.count == 64, hex.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }) else { return nil }
    var bytes: [UInt8] = []
    var rest = hex
    while !rest.isEmpty {
      guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}

/// The file that contains the tokens. The file is reread after each change, so that a removed token is refused
/// immediately.
final class Tokens: Sendable {
  private struct Read {
    var mark: [Int] = []
    var grants: [Grant] = []
    var known: [[UInt8]: Grant] = [:]
    var complaint = ""
    /// The requests in progress, each with a closure that ends it.
    var open: [Int: (grant: Grant, container: String, end: @Sendable () -> Void)] = [:]
    var next = 0

    func holds(_ grant: Grant, _ container: String) -> Bool {
      guard let now = known[grant.digest], now.right == grant.right, now.allows(container) else { return false }
      return now.ends.map { $0 > Int64(time(nil)) } ?? true
    }
  }

  private let path: String
  private let state: NIOLockedValueBox<Read>

  init(_ path: String) throws(Fault) {
    self.path = path
    let mark = Tokens.mark(path)
    let grants = try Tokens.read(path)
    state = NIOLockedValueBox(Read(mark: mark, grants: grants, known: Tokens.byDigest(grants)))
  }

  static func read(_ path: String) throws(Fault) -> [Grant] {
    var grants: [Grant] = []
    let lines = try TextFile.read(path).split(separator: "\n", omittingEmptySubsequences: false)
    for (number, line) in lines.enumerated() {
      let line = TextFile.trimmed(line)
      if line.isEmpty || line.first == "#" { continue }
      guard let grant = Grant(line) else {
        throw Fault(
          .badData, "\(path), line \(number + 1): expected NAME sha256:DIGEST RIGHT CONTAINER,... [until=TIME]")
      }
      grants.append(grant)
    }
    return grants
  }

  private static func mark(_ path: String) -> [Int] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [] }
    return [
      Int(status.st_dev), Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
      status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
    ]
  }

  private static func byDigest(_ grants: [Grant]) -> [[UInt8]: Grant] {
    Dictionary(grants.map { ($0.digest, $0) }, uniquingKeysWith: { $1 })
  }

  private func renew(_ state: inout Read) {
    let mark = Tokens.mark(path)
    guard mark != state.mark || mark.isEmpty else { return }
    state.mark = mark
    do throws(Fault) {
      state.grants = try Tokens.read(path)
      state.complaint = ""
    } catch {
      state.grants = []
      if state.complaint != error.text { Log.line("\(error.text): all requests are refused") }
      state.complaint = error.text
    }
    state.known = Tokens.byDigest(state.grants)
  }

  func holds(_ grant: Grant, _ container: String) -> Bool {
    state.withLockedValue { state in
      renew(&state)
      return state.holds(grant, container)
    }
  }

  // MARK: Requests in progress

  /// Registers a request, which is ended when its token is revoked.
  /// - Parameter end: ends the request. This closure is called while a lock is held, and never after `close`.
  func open(_ grant: Grant, _ container: String, end: @escaping @Sendable () -> Void) -> Int {
    state.withLockedValue { state in
      state.next += 1
      state.open[state.next] = (grant, container, end)
      return state.next
    }
  }

  func close(_ number: Int) { state.withLockedValue { $0.open[number] = nil } }

  /// Until this task is cancelled, ends the requests of tokens that are revoked or expire.
  func watch() async {
    while (try? await Task.sleep(for: .milliseconds(200))) != nil {
      state.withLockedValue { state in
        if state.open.isEmpty { return }
        renew(&state)
        for one in state.open.values where !state.holds(one.grant, one.container) { one.end() }
      }
    }
  }

  /// Returns the rights of a token; nil if the token is invalid or the file cannot be read.
  func grant(for token: String) -> Grant? {
    let digest = Grant.digest(of: token)
    return state.withLockedValue { state in
      renew(&state)
      var found: Grant?
      // All bytes of all tokens are compared, so the time does not reveal anything about a token.
      for grant in state.grants where CRYPTO_memcmp(grant.digest, digest, digest.count) == 0 { found = grant }
      if let ends = found?.ends, ends <= Int64(time(nil)) { return nil }
      return found
    }
  }
}
