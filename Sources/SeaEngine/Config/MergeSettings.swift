import SeaCore

/// The settings `merge.*`: whether records are merged automatically, and which rule decides each conflict.
///
/// `merge.NAME` applies to all records and `merge.TYPE.NAME` to the records of a type. Paths are in the values.
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
    var policy = Setting<MergeItems>()
    var atomic = Setting<[[PropertyPath]]>()
    var driver: MergeItems?
  }

  package private(set) var automatic = Automatic.clean
  /// By type; nil for all records.
  private var rules: [[UInt8]?: Rule] = [:]
  package private(set) var digest = Digest.zero

  /// - Parameter entries: settings in ascending precedence. Settings other than `merge.*`, and shared settings that
  ///   this program does not support, are skipped.
  /// - Throws: `badSetting` for an invalid setting that is not shared.
  package init(_ entries: [Config.Entry]) throws(ConfigError) {
    var hash = SHA256()
    for entry in entries where entry.key.section == "merge" {
      let isShared = entry.origin.scope == .shared
      hash.update("\(entry.key)\n\(entry.value ?? "")\n\(isShared)\n")
      if isShared {
        if MergeSettings.unshareable(entry.key.name, entry.value ?? "") != nil { continue }
      } else {
        try ConfigError.check(entry)
      }
      try? add(entry, isShared: isShared)
    }
    digest = hash.digest()
  }

  private mutating func add(_ entry: Config.Entry, isShared: Bool) throws(MergeItems.Fault) {
    let type = entry.key.subsection.map { Array($0.utf8) }
    let value = entry.value ?? ""
    switch entry.key.name {
    case "auto" where type == nil: automatic = Automatic(rawValue: value) ?? automatic
    case "policy": rules[type, default: Rule()].policy.set(try MergeItems(policies: value), isShared: isShared)
    case "atomic": rules[type, default: Rule()].atomic.set(try MergeItems.groups(value), isShared: isShared)
    case "driver": rules[type, default: Rule()].driver = try MergeItems(drivers: value)
    default: break
    }
  }

  package static var policies: [String] { Policy.allCases.map(\.rawValue) }

  /// Returns the part of a value that cannot be shared, because it is invalid or its result depends on the instance;
  /// nil if the value can be shared.
  static func unshareable(_ name: String, _ value: String) -> String? {
    do throws(MergeItems.Fault) {
      switch name {
      case "auto" where value == Automatic.off.rawValue || value == Automatic.clean.rawValue: return nil
      case "policy": _ = try MergeItems(policies: value, isShared: true)
      case "atomic": _ = try MergeItems.groups(value)
      default: return value
      }
      return nil
    } catch { return error.item }
  }

  // MARK: Effective rules

  /// - Parameters:
  ///   - own: whether to use this instance's private settings too.
  ///   - first: returns policies that take precedence over the settings; `last` returns policies after the settings.
  package func rules(
    type: String?, own: Bool = true, first: @escaping (PropertyPath) -> Policy? = { _ in nil },
    last: @escaping (PropertyPath) -> Policy? = { _ in nil }
  ) -> MergeRules {
    let types: [[UInt8]?] = [nil] + (type.map { [Array($0.utf8)] } ?? [])
    return MergeRules(atomic: types.flatMap { rules[$0]?.atomic.value(own: own) ?? [] }) { path in
      first(path) ?? word(type, path) { $0.policy.value(own: own) }.flatMap { Policy(rawValue: $0) } ?? last(path)
    }
  }

  /// Returns the merge program for a property or, if the path is empty, for the whole record.
  package func driver(type: String?, _ path: PropertyPath = PropertyPath(names: [])) -> String? {
    word(type, path) { $0.driver }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the word for a path in the setting of the type or, if it has none, in the setting of all records.
  private func word(_ type: String?, _ path: PropertyPath, _ items: (Rule) -> MergeItems?) -> String? {
    if rules.isEmpty { return nil }
    let own = type.flatMap { rules[Array($0.utf8)] }.flatMap(items)?.word(at: path)
    return own ?? rules[nil].flatMap(items)?.word(at: path)
  }
}

/// The items of a policy or driver setting: a word for the whole record, and words for paths.
struct MergeItems: Sendable {
  /// The first item that makes a value invalid.
  struct Fault: Error {
    let item: String
  }

  /// The maximum number of paths in a value. It limits the work that other instances can cause.
  private static let mostPaths = 1000

  /// The words by JSON Pointer. The empty pointer is the whole record. An empty word means no policy or driver.
  private var words: [[UInt8]: String] = [:]

  init(policies text: String, isShared: Bool = false) throws(Fault) {
    try self.init(text) { Policy(rawValue: $0).map { !isShared || $0.isShareable } ?? false }
  }

  init(drivers text: String) throws(Fault) { try self.init(text) { _ in true } }

  private init(_ text: String, _ isWord: (String) -> Bool) throws(Fault) {
    for item in MergeItems.split(text) {
      let equals = item.lastIndex(of: 0x3D)
      let path = Array(item[..<(equals ?? item.startIndex)])
      let word = String(decoding: item[(equals.map { $0 + 1 } ?? item.startIndex)...], as: UTF8.self)
      let isGood = word.isEmpty ? equals != nil : isWord(word) && word.utf8.first != 0x2F
      guard isGood, path.isEmpty || MergeItems.path(path) != nil, words.count < MergeItems.mostPaths,
        words.updateValue(word, forKey: path) == nil
      else { throw Fault(item: String(decoding: item, as: UTF8.self)) }
    }
  }

  private static func split(_ text: String) -> [ArraySlice<UInt8>] {
    Array(text.utf8).split { $0 == 0x20 || $0 == 0x09 }
  }

  private static func path(_ pointer: some Collection<UInt8>) -> PropertyPath? {
    pointer.first == 0x2F ? try? PropertyPath(String(decoding: pointer, as: UTF8.self)) : nil
  }

  /// Parses groups separated by white space. Each group consists of paths separated by commas.
  static func groups(_ text: String) throws(Fault) -> [[PropertyPath]] {
    var groups: [[PropertyPath]] = []
    var count = 0
    for group in split(text) {
      let paths = group.split(separator: 0x2C, omittingEmptySubsequences: false).map(path)
      count += paths.count
      guard !paths.contains(where: { $0 == nil }), count <= mostPaths else {
        throw Fault(item: String(decoding: group, as: UTF8.self))
      }
      groups.append(paths.compactMap { $0 })
    }
    return groups
  }

  /// Returns the word of the longest path that contains `path`; nil if no path contains it.
  func word(at path: PropertyPath) -> String? {
    if words.isEmpty { return nil }
    var pointer = Array(path.pointer.utf8)
    while true {
      if let word = words[pointer] { return word }
      guard let slash = pointer.lastIndex(of: 0x2F) else { return nil }
      pointer.removeSubrange(slash...)
    }
  }
}

extension Policy {
  /// Whether the policy gives the same result on all instances.
  package var isShareable: Bool { self != .ours && self != .theirs }
}
