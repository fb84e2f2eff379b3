import SeaCore

extension Value {
  package var kindName: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .bigInteger, .double, .decimal: "a number"
    case .string: "text"
    case .date: "a date"
    case .day: "a day"
    case .data: "data"
    case .array, .packed: "an array"
    case .dictionary: "a dictionary"
    case .reference: "a reference"
    case .asset: "an asset"
    case .counter, .counterDraft: "a counter"
    case .set, .setDraft: "a set"
    case .labeled(let value, _): value.kindName
    }
  }
}

extension WriteBatch {
  /// Sets whether additions may change the type of an existing record and the kind of an existing value.
  package func replaceKinds(_ mayReplace: Bool) {
    mayRetype = mayReplace
    self.mayReplace = { id, name, old, new in
      guard !mayReplace, old.kindName != new.kindName, old.kindName != "null" else { return }
      throw KitError.replacesType(
        id: id, path: PropertyPath(names: [name]).description, have: old.kindName, want: new.kindName)
    }
  }
}
