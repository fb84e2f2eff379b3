import SeaCore

/// The settings `merge.*`: whether records are merged automatically, and which rule decides each conflict.
///
/// `merge.NAME` applies to all records and `merge.TYPE.NAME` to records of a type. `merge.TYPE/PATH.NAME` applies to
/// one property of such records, and `merge./PATH.NAME` to a property of all records. The most specific setting wins.
package struct MergeSettings: Sendable {
  package enum Automatic: String, Sendable {
    case off, clean
    /// Merges automatically, using merge programs too.
    case drivers
  }

  /// The value in effect on this instance, and the shared value, which ignores this instance's private settings.
  private struct Setting<Value: Sendable>: Sendable {
    private var here: Value?
    private var everywhere: Value?

    mutating func set(_ value: Value, isShared: Bool) {
      here = value
      if isShared { everywhere = value }
    }

    func value(own: Bool) -> Value? { own ? here : everywhere }
  }

  private struct Rule: Sendable {
    var policy = Setting<Policy?>()
    var atomic = Setting<[[PropertyPath]]>()
    var driver: String?
  }

  package private(set) var automatic = Automatic.clean
  private var rules: [[UInt8]: Rule] = [:]
  package private(set) var digest = Digest.zero

  /// - Parameter entries: settings in ascending order of precedence. Skips settings other than `merge.*`, and shared
  ///   settings that this version does not support.
  /// - Throws: `badMerge` for an invalid setting that is not shared.
  package init(_ entries: [Config.Entry]) throws(ConfigError) {
    var hash = SHA256()
    for entry in entries where entry.key.section == "merge" {
      hash.update("\(entry.key)\n\(entry.value ?? "")\n\(entry.origin.scope == .shared)\n")
      let isShared = entry.origin.scope == .shared
      if !take(entry, isShared: isShared), !isShared {
        throw .badMerge(key: entry.key.description, value: entry.value ?? "", origin: entry.origin)
      }
    }
    digest = hash.digest()
  }

  private mutating func take(_ entry: Config.Entry, isShared: Bool) -> Bool {
    let place = entry.key.subsection.map { Array($0.utf8) } ?? []
    let value = entry.value ?? ""
    switch entry.key.name {
    case "auto" where entry.key.subsection == nil:
      guard let automatic = Automatic(rawValue: value), !isShared || automatic != .drivers else { return false }
      self.automatic = automatic
    case "policy":
      // An empty value removes the policy for this instance.
      if value.isEmpty {
        rules[place, default: Rule()].policy.set(nil, isShared: isShared)
        return true
      }
      guard let policy = Policy(rawValue: value), !isShared || policy.isShareable else { return false }
      rules[place, default: Rule()].policy.set(policy, isShared: isShared)
    case "atomic":
      guard let groups = MergeSettings.groups(value) else { return false }
      rules[place, default: Rule()].atomic.set(groups, isShared: isShared)
    case "driver" where !isShared:
      rules[place, default: Rule()].driver = value.isEmpty ? nil : value
    default: break
    }
    return true
  }

  package static var policies: [String] { Policy.allCases.map(\.rawValue) }

  /// Parses groups of paths. White space separates the groups, and commas separate the paths in a group.
  package static func groups(_ text: String) -> [[PropertyPath]]? {
    var groups: [[PropertyPath]] = []
    for group in text.utf8.split(whereSeparator: { $0 == 0x20 || $0 == 0x09 }) {
      var paths: [PropertyPath] = []
      for path in group.split(separator: 0x2C, omittingEmptySubsequences: false) {
        guard let path = try? PropertyPath(String(decoding: path, as: UTF8.self)) else { return nil }
        paths.append(path)
      }
      groups.append(paths)
    }
    return groups
  }

  /// Whether a setting can be shared. A value that gives different results on different instances cannot.
  package static func isShareable(_ name: String, _ value: String) -> Bool {
    switch name {
    case "auto": value == Automatic.off.rawValue || value == Automatic.clean.rawValue
    case "policy": value.isEmpty || Policy(rawValue: value)?.isShareable ?? false
    case "atomic": groups(value) != nil
    default: false
    }
  }

  // MARK: Effective rules

  /// - Parameters:
  ///   - own: whether to use this instance's private settings too.
  ///   - first: returns policies that take precedence over the settings; `last` returns policies after the settings.
  package func rules(
    type: String?, own: Bool = true, first: @escaping (PropertyPath) -> Policy? = { _ in nil },
    last: @escaping (PropertyPath) -> Policy? = { _ in nil }
  ) -> MergeRules {
    let places = [[], type.map { Array($0.utf8) }].compactMap { $0 }
    return MergeRules(atomic: places.flatMap { rules[$0]?.atomic.value(own: own) ?? [] }) { path in
      if let policy = first(path) { return policy }
      let found = find(type, path) { $0.policy.value(own: own) }
      return found.flatMap { $0 } ?? last(path)
    }
  }

  /// Returns the merge program for a property or, if the path is empty, for the whole record.
  package func driver(type: String?, _ path: PropertyPath = PropertyPath(names: [])) -> String? {
    find(type, path) { $0.driver }
  }

  private func find<Value>(_ type: String?, _ path: PropertyPath, _ look: (Rule) -> Value?) -> Value? {
    if rules.isEmpty { return nil }
    let type = type.map { Array($0.utf8) }
    for start in [type, []].compactMap({ $0 }) {
      for count in stride(from: path.names.count, to: 0, by: -1) {
        let pointer = PropertyPath(names: Array(path.names[..<count])).pointer
        if let found = rules[start + Array(pointer.utf8)].flatMap(look) { return found }
      }
    }
    return type.flatMap { rules[$0] }.flatMap(look) ?? rules[[]].flatMap(look)
  }
}

extension Policy {
  /// Whether the policy gives the same result on all instances.
  package var isShareable: Bool { self != .ours && self != .theirs }
}
