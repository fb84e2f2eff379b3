import SeaKit

/// An answer to a request.
package struct Answer: Sendable {
  package enum Content: Sendable {
    case bytes([UInt8])
    case asset(AssetPieces, size: Int64)
    /// Server-sent events, until the client leaves.
    case events(@Sendable (_ send: ([UInt8]) async throws -> Void) async throws -> Void)
  }

  package var status: Int
  package private(set) var headers: [(name: String, value: String)] = []
  package var content: Content

  package init(_ status: Int, _ type: String, _ content: Content) {
    (self.status, self.content) = (status, content)
    set("content-type", type)
  }

  package static func page(_ html: HTML, status: Int = 200) -> Answer {
    Answer(status, "text/html; charset=utf-8", .bytes(html.bytes))
  }

  static func text(_ status: Int, _ text: String) -> Answer {
    Answer(status, "text/plain; charset=utf-8", .bytes(Array((text + "\n").utf8)))
  }

  static func redirect(_ link: Link) -> Answer {
    var answer = text(303, "see \(link.text)")
    answer.set("location", link.text)
    return answer
  }

  package mutating func set(_ name: String, _ value: String) {
    headers.removeAll { $0.name == name }
    headers.append((name, value))
  }

  package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }

  /// A page may load only from this server, and nothing may be inserted into it.
  static let pagePolicy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
    frame-ancestors 'none'; base-uri 'none'
    """
  /// The content of an asset is never a page, even if a browser takes it for one.
  static let contentPolicy = "default-src 'none'; sandbox; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

  /// Adds the headers that all answers have.
  func secured() -> Answer {
    var answer = self
    if header("content-security-policy") == nil { answer.set("content-security-policy", Answer.pagePolicy) }
    answer.set("x-content-type-options", "nosniff")
    // Other servers get no referrer. With `no-referrer`, browsers send no origin with the forms of these pages.
    answer.set("referrer-policy", "same-origin")
    answer.set("cache-control", "no-store")
    answer.set("cross-origin-opener-policy", "same-origin")
    answer.set("cross-origin-resource-policy", "same-origin")
    answer.set("x-frame-options", "DENY")
    answer.set("permissions-policy", "camera=(), geolocation=(), microphone=()")
    return answer
  }
}

/// A request that is refused, with the reason for people.
package struct Refusal: Error {
  package let status: Int
  package let text: String

  package init(_ status: Int, _ text: String) { (self.status, self.text) = (status, text) }
}
