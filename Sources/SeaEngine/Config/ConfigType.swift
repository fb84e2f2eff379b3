package enum ConfigType: String, CaseIterable, Sendable {
  case bool, int, size, duration, path

  /// Returns the value in canonical form; nil if the value does not have this type. A name without a value is valid
  /// only for a Boolean setting, where it means true.
  package func canonical(_ value: String?, home: String?) -> String? {
    switch self {
    case .bool: return ConfigType.bool(value).map { $0 ? "true" : "false" }
    case .int: return value.flatMap { Int64($0) }.map { String($0) }
    case .size: return value.flatMap(Quantity.size).map { String($0) }
    case .duration: return value.flatMap(Quantity.duration).map { String($0) }
    case .path:
      guard let value, !value.isEmpty else { return nil }
      if value == "~" { return home }
      if value.hasPrefix("~/") { return home.map { $0 + value.dropFirst() } }
      return value
    }
  }

  package static func bool(_ value: String?) -> Bool? {
    guard let value else { return true }
    switch value.lowercased() {
    case "true", "yes", "on", "1": return true
    case "false", "no", "off", "0", "": return false
    default: return nil
    }
  }
}
