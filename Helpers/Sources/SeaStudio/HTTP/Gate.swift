import Synchronization

/// Decides which requests are answered.
///
/// Any page in the web can send requests to this computer, and so can every user of this computer. Therefore, the gate
/// has these rules:
///
/// - The address is random, and `Host` must be exactly this address. Another name cannot lead here (DNS rebinding).
/// - A request needs a cookie. Only the browser that was opened with the token gets the cookie.
/// - A change must come from a page of this server (`Origin`), in a form with a token of this server.
package final class Gate: Sendable {
  /// The address and the port, as in `127.83.4.211:40123`.
  package let host: String
  /// The secret that forms carry.
  package let formToken: String
  private let session: String
  private let token: Mutex<String?>
  package let isReadOnly: Bool

  package static let cookie = "sea-studio"
  package static let entrance = "/enter"

  package init(host: String, isReadOnly: Bool) {
    (self.host, self.isReadOnly) = (host, isReadOnly)
    (formToken, session) = (Secret.new(), Secret.new())
    token = Mutex(Secret.new())
  }

  /// The address to open, which is valid once; nil if it has been opened.
  package var address: String? {
    token.withLock { token in token.map { "http://\(host)\(Gate.entrance)?token=\($0)" } }
  }

  /// A random address of this computer. Cookies do not know ports, so other servers of this computer must not have it.
  package static func randomAddress() -> String {
    var chance = SystemRandomNumberGenerator()
    func part(_ range: ClosedRange<UInt8>) -> UInt8 { UInt8.random(in: range, using: &chance) }
    return "127.\(part(1...254)).\(part(1...254)).\(part(2...254))"
  }

  /// - Returns: the answer for the browser that brings the token; nil if the request has passed.
  /// - Throws: `Refusal`.
  package func check(_ request: Request) throws(Refusal) -> Answer? {
    guard request.count(header: "host") == 1, request[header: "host"] == host else {
      throw Refusal(421, "this server is known only by its address")
    }
    if let site = request[header: "sec-fetch-site"], site != "same-origin", site != "none" {
      throw Refusal(403, "the request comes from another page")
    }
    if request.path == Gate.entrance { return try enter(request) }
    guard let cookie = request.cookie(Gate.cookie), Secret.equal(cookie, session) else {
      throw Refusal(403, "this browser was not opened by sea studio; open the address that sea studio printed")
    }
    switch request.method {
    case "GET", "HEAD": break
    case "POST":
      guard request.count(header: "origin") == 1, request[header: "origin"] == "http://\(host)" else {
        throw Refusal(403, "the form comes from another page")
      }
      if isReadOnly { throw Refusal(403, "sea studio was started with --read-only; nothing was changed") }
    default: throw Refusal(405, "only GET and POST are supported")
    }
    return nil
  }

  /// - Throws: `Refusal` if a form does not carry the token.
  package func check(form token: String?) throws(Refusal) {
    guard let token, Secret.equal(token, formToken) else {
      throw Refusal(403, "the form is not of this session; reload the page and try again")
    }
  }

  private func enter(_ request: Request) throws(Refusal) -> Answer {
    guard request.method == "GET" else { throw Refusal(405, "only GET is supported") }
    let given = request.query["token"] ?? ""
    let isValid = token.withLock { token in
      guard let wanted = token, Secret.equal(given, wanted) else { return false }
      token = nil
      return true
    }
    var answer = Answer.redirect(Link("/"))
    if isValid {
      answer.set("set-cookie", "\(Gate.cookie)=\(session); HttpOnly; SameSite=Strict; Path=/")
      return answer
    }
    // The browser that has the cookie may reload the address.
    if let cookie = request.cookie(Gate.cookie), Secret.equal(cookie, session) { return answer }
    throw Refusal(403, "this address was already opened; run sea studio again for a new one")
  }
}

/// Random texts that cannot be guessed.
package enum Secret {
  package static func new() -> String {
    var chance = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let hex = String(UInt64.random(in: 0 ... .max, using: &chance), radix: 16)
      return String(repeating: "0", count: 16 - hex.count) + hex
    }.joined()
  }

  /// Compares in a time that depends only on the lengths.
  package static func equal(_ a: String, _ b: String) -> Bool {
    let (a, b) = (Array(a.utf8), Array(b.utf8))
    guard a.count == b.count else { return false }
    var difference: UInt8 = 0
    for k in a.indices { difference |= a[k] ^ b[k] }
    return difference == 0
  }
}
