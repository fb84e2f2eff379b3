import SeaCore
import SeaEngine

extension Terminal {
  func short(_ operation: Operation) -> String { String(operation.name.prefix(3 + max(4, abbrev))) }
}

extension Operation.Effect {
  static func words(_ counts: [Operation.Effect: Int]) -> String {
    allCases.compactMap { effect in counts[effect].map { "\(effect.rawValue) \($0)" } }.joined(separator: ", ")
  }
}
