import SeaCore

extension EntityFault {
  /// - Parameter key: what it is about: the name of a property or a key of a value.
  package func words(_ key: String) -> String {
    switch self {
    case .notEntities: "not Datastore's interchange, which is {\"entities\":[...]}"
    case .otherKey: "only \"entities\" may stand in the outermost object, once"
    case .array: "\(key): an array is no value of an entity"
    case .noValue: "\(key): none of string, integer, double, boolean, date, entity and data"
    case .unknownKey: "a value has no key '\(key)'"
    case .badType: "the type of a value is 1 to 255 bytes of text, of an entity 1024, without control characters"
    case .notText: "\"\(key)\" must be text"
    case .notInteger: "\"\(key)\" must be a whole number"
    case .notNumber: "\"\(key)\" must be a number"
    case .notBoolean: "\"\(key)\" must be true or false"
    case .notADate: "\(key) is no date"
    case .datestamps: "\(key) is no dictionary of dates, and here the datestamps of properties would go into it"
    }
  }

  package var hint: String? {
    switch self {
    case .notEntities: "other JSON is loaded with: --format=json"
    case .array, .noValue, .unknownKey: "the forms are in sea-datastore(5)"
    default: nil
    }
  }
}
