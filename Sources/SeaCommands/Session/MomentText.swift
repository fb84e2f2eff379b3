import SeaCore
import SeaEngine

/// `RECORD@{WHEN}`, `RECORD@{@{N}}`
enum MomentText {
  /// The record, and the rest with the `@` in front.
  static func split(_ text: String) -> (record: String, moment: String)? {
    guard text.hasSuffix("}") else { return nil }
    let bytes = Array(text.utf8)
    func begins(_ at: Int) -> Bool { at >= 0 && bytes[at] == UInt8(ascii: "@") && bytes[at + 1] == UInt8(ascii: "{") }
    guard var at = bytes.indices.dropLast().last(where: begins) else { return nil }
    if text.hasSuffix("}}"), begins(at - 2) { at -= 2 }
    guard at > 0 else { return nil }
    return (String(decoding: bytes[..<at], as: UTF8.self), String(decoding: bytes[at...], as: UTF8.self))
  }
}

extension Session {
  /// `op:HEX`, `@{N}` or `@{TIME}`; within another `@{}` too.
  func operation(_ text: String) throws -> OperationName {
    if text.hasPrefix("op:") {
      let digits = text.dropFirst(3)
      guard (4...64).contains(digits.utf8.count), digits.utf8.allSatisfy({ Hex.value($0) != nil }) else {
        throw KitError.badName(.operation(text))
      }
      return .digest(String(digits))
    }
    guard text.hasPrefix("@{"), text.hasSuffix("}") else { throw KitError.badName(.operation(text)) }
    let inner = String(text.dropFirst(2).dropLast())
    if inner.hasPrefix("op:") || inner.hasPrefix("@{") { return try operation(inner) }
    if let number = UInt32(inner) { return .number(Int(number)) }
    return .time(try time(inner), text)
  }
}
