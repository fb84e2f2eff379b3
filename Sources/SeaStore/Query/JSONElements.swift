import SeaCore

/// Whether an element of a JSON array, or a key of a JSON object, is a value. SQLite and `PlainJSON` wrote the text; of another one
/// that is no JSON the answer is no.
struct JSONElements {
  private let text: UnsafeBufferPointer<UInt8>
  private var k = 0

  private init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  /// - Returns: nil if the text is neither array nor object.
  static func contain(_ value: QueryValue, in text: UnsafeBufferPointer<UInt8>) -> Bool? {
    var elements = JSONElements(text)
    switch elements.next {
    case UInt8(ascii: "["): return elements.find(value, isObject: false)
    case UInt8(ascii: "{"): return elements.find(value, isObject: true)
    default: return nil
    }
  }

  private var next: UInt8 {
    mutating get {
      while k < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[k]) { k += 1 }
      return k < text.count ? text[k] : 0
    }
  }

  private mutating func find(_ value: QueryValue, isObject: Bool) -> Bool {
    k += 1
    while next != 0, next != UInt8(ascii: "]"), next != UInt8(ascii: "}") {
      if isMatch(value, element()) { return true }
      if isObject, next == UInt8(ascii: ":") {
        k += 1
        _ = element()
      }
      guard next == UInt8(ascii: ",") else { break }
      k += 1
    }
    return false
  }

  /// Passes over one element.
  private mutating func element() -> UnsafeBufferPointer<UInt8> {
    _ = next
    let start = k
    var depth = 0
    loop: while k < text.count {
      switch text[k] {
      case UInt8(ascii: "\""):
        k += 1
        while k < text.count, text[k] != UInt8(ascii: "\"") { k += text[k] == UInt8(ascii: "\\") ? 2 : 1 }
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { break loop }
        depth -= 1
      case UInt8(ascii: ","), UInt8(ascii: ":"): if depth == 0 { break loop }
      default: break
      }
      k += 1
    }
    k = min(k, text.count)
    return UnsafeBufferPointer(rebasing: text[start..<k])
  }

  private func isMatch(_ value: QueryValue, _ element: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = element.first else { return false }
    switch value {
    case .text(let text):
      guard first == UInt8(ascii: "\"") else { return false }
      guard element.contains(UInt8(ascii: "\\")) else {
        return text.utf8.elementsEqual(element.dropFirst().dropLast())
      }
      guard case .string(let plain)? = try? Value.json(String(decoding: element, as: UTF8.self)) else { return false }
      return plain == text
    case .json(let text): return text.utf8.elementsEqual(element)
    case .integer, .double:
      if element.elementsEqual("true".utf8) { return value == .integer(1) }
      if element.elementsEqual("false".utf8) { return value == .integer(0) }
      guard let a = try? Value.json(String(decoding: element, as: UTF8.self)) else { return false }
      let b: Value = if case .integer(let number) = value { .integer(number) } else { QueryFunctions.number(value) }
      return Value.compareNumbers(a, b) == 0
    case .null: return element.elementsEqual("null".utf8)
    case .data: return false
    }
  }
}
