import SeaCore

extension Value {
  /// Of a set with elements, the same with the last one added once more.
  var addedAnew: Value? {
    guard case .set(var set) = self, let element = set.elements.last else { return nil }
    set.addAnew(element)
    return .set(set)
  }
}
