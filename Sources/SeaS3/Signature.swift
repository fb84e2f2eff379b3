import SeaCore

package struct S3Request: Equatable, Sendable {
  package var method: String
  /// The URL's path without percent-encoding, such as `/bucket/key`.
  package var path: String
  /// The names and values in the query, without percent-encoding.
  package var query: [(name: String, value: String)] = []
  package var headers: [(name: String, value: String)] = []

  package init(
    method: String, path: String, query: [(name: String, value: String)] = [],
    headers: [(name: String, value: String)] = []
  ) {
    (self.method, self.path, self.query, self.headers) = (method, path, query, headers)
  }

  package static func == (x: S3Request, y: S3Request) -> Bool {
    x.line == y.line && x.headers.elementsEqual(y.headers, by: ==)
  }

  /// The target in the request line, with the same percent-encoding as in the signature.
  package var target: String { PercentText.path(path) + (query.isEmpty ? "" : "?" + canonicalQuery) }

  private var line: String { "\(method) \(target)" }

  package var canonicalQuery: String {
    let pairs = query.map { (PercentText.word($0.name), PercentText.word($0.value)) }
    return pairs.sorted { $0.0 == $1.0 ? $0.1 < $1.1 : $0.0 < $1.0 }.map { "\($0)=\($1)" }.joined(separator: "&")
  }
}

/// Percent-encoding for signatures, which encodes all bytes except letters, digits, `-`, `.`, `_` and `~`.
package enum PercentText {
  package static func word(_ text: String) -> String { encoded(text, besides: nil) }
  package static func path(_ text: String) -> String { encoded(text, besides: 0x2F) }

  private static func encoded(_ text: String, besides: UInt8?) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: result.append(byte)
      case besides: result.append(byte)
      default: result += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? { Hex.value(byte | (byte > 0x40 ? 0x20 : 0)) }

  /// Decodes a name in a listing, where `+` means a space. Returns nil if the result is not valid.
  package static func decoded(_ text: String) -> String? {
    var result: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      switch byte {
      case 0x2B: result.append(0x20)
      case 0x25:
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
        result.append(high << 4 | low)
      default: result.append(byte)
      }
    }
    return String(validating: result, as: UTF8.self)
  }
}

/// Signs requests with AWS Signature Version 4 for S3.
package struct Signature {
  let credentials: Credentials
  let region: String
  let time: String

  package init(credentials: Credentials, region: String, time: String) {
    (self.credentials, self.region, self.time) = (credentials, region, time)
  }

  static let algorithm = "AWS4-HMAC-SHA256"

  private var day: String { String(time.prefix(8)) }
  private var scope: String { "\(day)/\(region)/s3/aws4_request" }

  /// Returns all headers of the request, including the signature, with lowercase names.
  package func headers(of request: S3Request, host: String, body: Digest) -> [(name: String, value: String)] {
    var signed =
      request.headers + [
        ("host", host), ("x-amz-content-sha256", body.description), ("x-amz-date", time),
      ]
    if let token = credentials.token { signed.append(("x-amz-security-token", token)) }
    signed.sort { $0.name < $1.name }
    let names = signed.map(\.name).joined(separator: ";")
    let canonical =
      ([
        request.method, PercentText.path(request.path), request.canonicalQuery,
      ] + signed.map { "\($0.name):\($0.value)" } + ["", names, body.description]).joined(separator: "\n")
    let text = [Signature.algorithm, time, scope, SHA256.hash(Array(canonical.utf8)).description].joined(
      separator: "\n")
    var key = Array("AWS4\(credentials.secret)".utf8)
    for part in [day, region, "s3", "aws4_request"] { key = HMACSHA256.code(of: Array(part.utf8), key: key).bytes }
    let code = HMACSHA256.code(of: Array(text.utf8), key: key)
    let value =
      "\(Signature.algorithm) Credential=\(credentials.id)/\(scope), SignedHeaders=\(names), Signature=\(code)"
    return signed + [("authorization", value)]
  }
}
