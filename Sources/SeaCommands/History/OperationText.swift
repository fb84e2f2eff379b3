import SeaCore
import SeaKit

extension Session {
  /// `op:HEX`, `@{N}` or `@{TIME}`.
  func operation(_ text: String) throws -> OperationName {
    if text.hasPrefix("op:") {
      let digits = text.dropFirst(3)
      guard (4...64).contains(digits.utf8.count), digits.utf8.allSatisfy({ Hex.value($0) != nil }) else {
        throw KitError.badSpec(text)
      }
      return .digest(String(digits))
    }
    guard text.hasPrefix("@{"), text.hasSuffix("}") else { throw KitError.badSpec(text) }
    let inner = String(text.dropFirst(2).dropLast())
    if let number = UInt32(inner) { return .number(Int(number)) }
    return .time(try time(inner), text)
  }
}

extension Terminal {
  /// An operation for people.
  func short(_ operation: Operation) -> String { String(operation.name.prefix(3 + max(4, abbrev))) }
}

extension Operation.Effect {
  /// `created 2, updated 1`
  static func words(_ counts: [Operation.Effect: Int]) -> String {
    allCases.compactMap { effect in counts[effect].map { "\(effect.rawValue) \($0)" } }.joined(separator: ", ")
  }
}
