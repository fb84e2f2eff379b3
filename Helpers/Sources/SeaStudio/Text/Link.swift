/// An address of this server: a path, and parameters that are encoded.
package struct Link: Sendable, Equatable {
  package let text: String

  package init(_ path: StaticString, _ parameters: [(String, String?)] = []) {
    self.init(path: "\(path)", parameters)
  }

  init(path: String, _ parameters: [(String, String?)] = []) {
    let pairs = parameters.compactMap { name, value in value.map { "\(name)=\(Percent.encoded($0))" } }
    text = pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
  }
}

/// Percent encoding of UTF-8.
package enum Percent {
  package static func encoded(_ text: String) -> String {
    var all = ""
    all.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E, 0x2F:
        all.unicodeScalars.append(Unicode.Scalar(byte))
      default: all += "%" + Hex.byte(byte)
      }
    }
    return all
  }

  /// - Parameter plus: whether `+` stands for a space, as in forms and query strings.
  /// - Returns: nil if the text is not valid.
  package static func decoded(_ text: some StringProtocol, plus: Bool = true) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+") where plus: bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(Hex.digit), let low = rest.popFirst().flatMap(Hex.digit) else {
          return nil
        }
        bytes.append(high << 4 | low)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }
}

enum Hex {
  private static let digits = Array("0123456789ABCDEF".utf8)

  static func byte(_ byte: UInt8) -> String {
    String(decoding: [digits[Int(byte >> 4)], digits[Int(byte & 15)]], as: UTF8.self)
  }

  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }
}

/// The parameters of an address or of a form, in order.
package struct Parameters: Sendable, Equatable {
  package private(set) var all: [(name: String, value: String)] = []
  private var first: [String: Int] = [:]

  package init() {}

  /// - Returns: nil if the text is not valid.
  package init?(_ text: some StringProtocol) {
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Percent.decoded(parts[0]), let value = Percent.decoded(parts.count > 1 ? parts[1] : "") else {
        return nil
      }
      append(name, value)
    }
  }

  mutating package func append(_ name: String, _ value: String) {
    if first[name] == nil { first[name] = all.count }
    all.append((name, value))
  }

  /// The first value with this name; nil if it is missing or empty.
  package subscript(_ name: String) -> String? {
    guard let value = text(name), !value.isEmpty else { return nil }
    return value
  }

  /// The first value with this name, even if it is empty.
  package func text(_ name: String) -> String? { first[name].map { all[$0].value } }
  package func values(_ name: String) -> [String] { all.filter { $0.name == name }.map(\.value) }

  package static func == (a: Parameters, b: Parameters) -> Bool { a.all.elementsEqual(b.all, by: ==) }
}
