import SeaCore

extension Value {
  /// The set with its last element added again; nil for other values.
  var addedAnew: Value? {
    guard case .set(var set) = self, let element = set.elements.last else { return nil }
    set.addAnew(element)
    return .set(set)
  }
}
