import SeaCore

/// The default values for new records of a type, from the settings `type.TYPE/PATH.default`, and the rules for records
/// of the type, from its other settings. The type ends at the first slash. Defaults are copied into the record. Private
/// settings of this instance take precedence over shared settings.
package struct Prototypes {
  /// The maximum number of defaults per type, and of rules. If there are more, only the first ones by name are used.
  package static let most = 256

  private struct Setting {
    let place: [UInt8]
    let key: ConfigKey
    let text: String
    /// Nil for a shared setting.
    let origin: ConfigOrigin?
  }

  private var settings: [Setting] = []

  package init(shared: [(key: ConfigKey, value: String)], own: [Config.Entry]) {
    var strongest: [ConfigKey: Setting] = [:]
    for (key, text) in shared {
      guard let place = Prototypes.typeName(of: key) else { continue }
      strongest[key] = Setting(place: place, key: key, text: text, origin: nil)
    }
    for entry in own {
      guard let place = Prototypes.typeName(of: entry.key) else { continue }
      // A name without a value means true.
      let text = entry.value ?? (entry.key.name == "default" ? "" : "true")
      strongest[entry.key] = Setting(place: place, key: entry.key, text: text, origin: entry.origin)
    }
    settings = strongest.values.sorted { a, b in
      a.place == b.place ? a.key.name < b.key.name : a.place.lexicographicallyPrecedes(b.place)
    }
  }

  private static func typeName(of key: ConfigKey) -> [UInt8]? {
    guard key.section == "type", let place = key.subsection else { return nil }
    return Array(place.utf8)
  }

  /// Parses a string or, after `:=`, JSON as described in sea-record(5). An empty string removes the default.
  /// - Returns: nil if the text is invalid.
  private static func value(_ text: String) -> Value?? {
    if text.isEmpty { return .some(nil) }
    guard text.hasPrefix(":=") else { return .some(.string(text)) }
    guard let value = try? Value.json(String(text.dropFirst(2))) else { return nil }
    if case .null = value { return .some(nil) }
    return .some(value)
  }

  /// The maximum total size of a type's defaults, in bytes. This limits how much shared settings can enlarge records.
  package static let mostBytes = 1 << 16

  /// Whether a record can have the value at the setting's path.
  package static func isValue(_ text: String, for key: ConfigKey) -> Bool {
    guard let value = value(text) else { return false }
    guard let value, let place = key.subsection, let slash = place.utf8.firstIndex(of: 0x2F),
      let path = path(place.utf8[slash...].dropFirst())
    else { return true }
    return size(value, at: path) != nil
  }

  private static func size(_ value: Value, at path: PropertyPath) -> Int? {
    var record = Value.empty
    var bytes = ByteWriter()
    do {
      try record.set(value, at: path)
      _ = try Value.adopting(record, previous: nil, instance: UUID(high: 0, low: 0)).encodeBody(into: &bytes)
    } catch {
      return nil
    }
    return bytes.count <= mostBytes ? bytes.count : nil
  }

  package static func isName(_ key: ConfigKey) -> Bool {
    guard let place = key.subsection, let slash = place.utf8.firstIndex(of: 0x2F), slash != place.startIndex else {
      return false
    }
    return path(place.utf8[slash...].dropFirst()) != nil
  }

  private static func path(_ text: some Collection<UInt8>) -> PropertyPath? {
    guard let path = try? PropertyPath(String(decoding: text, as: UTF8.self)), let first = path.names.first,
      (try? Name.checkProperty(first)) != nil
    else { return nil }
    return path
  }

  private func settings(of type: String) -> (ArraySlice<Setting>, start: Int) {
    let start = Array(type.utf8) + [0x2F]
    var (low, high) = (0, settings.count)
    while low < high {
      let middle = (low + high) / 2
      if settings[middle].place.lexicographicallyPrecedes(start) { low = middle + 1 } else { high = middle }
    }
    return (settings[low...].prefix { $0.place.starts(with: start) }, start.count)
  }

  /// Returns the rules for records of a type, sorted by name. Skips invalid shared settings.
  /// - Throws: `badSetting` for an invalid setting that is not shared.
  func rules(of type: String) throws -> [TypeRule] {
    var found: [TypeRule] = []
    let (settings, start) = settings(of: type)
    for one in settings where found.count < Prototypes.most {
      guard let word = TypeRule.Word(rawValue: one.key.name), let path = Prototypes.path(one.place[start...]) else {
        continue
      }
      if let origin = one.origin { try ConfigError.check(Config.Entry(key: one.key, value: one.text, origin: origin)) }
      if let rule = TypeRule(word, path, one.text, setting: one.key.description) { found.append(rule) }
    }
    return found
  }

  /// Returns the defaults for records of a type, sorted by name. Skips invalid shared settings.
  /// - Throws: `badDefault` for an invalid setting that is not shared.
  func values(of type: String) throws -> [(path: PropertyPath, value: Value)] {
    var found: [(path: PropertyPath, value: Value)] = []
    var bytes = 0
    let (settings, start) = settings(of: type)
    for one in settings where one.key.name == "default" {
      guard found.count < Prototypes.most else { break }
      guard let value = Prototypes.value(one.text) else {
        if let origin = one.origin {
          throw ConfigError.badDefault(key: one.key.description, value: one.text, origin: origin)
        }
        continue
      }
      guard let value, let path = Prototypes.path(one.place[start...]) else { continue }
      guard let size = Prototypes.size(value, at: path), bytes + size <= Prototypes.mostBytes else {
        if let origin = one.origin {
          throw ConfigError.badDefault(key: one.key.description, value: one.text, origin: origin)
        }
        continue
      }
      bytes += size
      found.append((path, value))
    }
    return found
  }
}
