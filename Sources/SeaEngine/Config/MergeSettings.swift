import SeaCore

/// What the settings `merge.*` say: whether records are merged unasked, and what decides a clash.
///
/// `merge.NAME` is for every record, `merge.TYPE.NAME` for those of a type, `merge.TYPE/PATH.NAME` for a property of
/// them, and `merge./PATH.NAME` for a property of every record. The most specific holds.
package struct MergeSettings: Sendable {
  package enum Automatic: String, Sendable {
    case off, clean
    /// Also with merge programs.
    case drivers
  }

  /// What holds here, and what every instance has, whatever this one sets on top of it.
  private struct Setting<Value: Sendable>: Sendable {
    private var here: Value?
    private var everywhere: Value?

    mutating func set(_ value: Value, isShared: Bool) {
      here = value
      if isShared { everywhere = value }
    }

    func value(own: Bool) -> Value? { own ? here : everywhere }
  }

  /// By the bytes of the subsection; those without one have none.
  private struct Rule: Sendable {
    var policy = Setting<Policy?>()
    var atomic = Setting<[[PropertyPath]]>()
    var driver: String?
  }

  package private(set) var automatic = Automatic.clean
  private var rules: [[UInt8]: Rule] = [:]
  /// What the settings are told apart by from others.
  package private(set) var digest = Digest.zero

  /// - Parameter entries: settings from the weakest to the strongest; others than `merge.*` are passed over, and of the
  ///   shared ones those that say nothing this program knows.
  /// - Throws: `badMerge` for a setting of one's own that cannot be read.
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

  /// - Returns: false if the value is none.
  private mutating func take(_ entry: Config.Entry, isShared: Bool) -> Bool {
    let place = entry.key.subsection.map { Array($0.utf8) } ?? []
    let value = entry.value ?? ""
    switch entry.key.name {
    case "auto" where entry.key.subsection == nil:
      guard let automatic = Automatic(rawValue: value), !isShared || automatic != .drivers else { return false }
      self.automatic = automatic
    case "policy":
      // Nothing takes a policy back for this instance.
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

  /// Groups with white space between, each of paths with commas between.
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

  /// Whether all instances may have it: what depends on where it is applied would end differently on each of them.
  package static func isShareable(_ name: String, _ value: String) -> Bool {
    switch name {
    case "auto": value == Automatic.off.rawValue || value == Automatic.clean.rawValue
    case "policy": value.isEmpty || Policy(rawValue: value)?.isShareable ?? false
    case "atomic": groups(value) != nil
    default: false
    }
  }

  // MARK: What holds

  /// What holds for records of a type.
  /// - Parameters:
  ///   - own: whether settings that only this instance has count.
  ///   - first: what comes before the settings, and `last`, what comes after them.
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

  /// The merge program for a property of a record; without a path for the whole of it.
  package func driver(type: String?, _ path: PropertyPath = PropertyPath(names: [])) -> String? {
    find(type, path) { $0.driver }
  }

  /// The most specific place that says something.
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
  /// Whether everybody comes to the same by it.
  package var isShareable: Bool { self != .ours && self != .theirs }
}
