import SeaCore
import SeaEngine

extension Terminal {
  /// Returns the id of an operation, shortened for people.
  func short(_ operation: Operation) -> String { String(operation.name.prefix(3 + max(4, abbrev))) }
}

extension Operation.Effect {
  /// Returns a text such as `created 2, updated 1`.
  static func words(_ counts: [Operation.Effect: Int]) -> String {
    allCases.compactMap { effect in counts[effect].map { "\(effect.rawValue) \($0)" } }.joined(separator: ", ")
  }
}
