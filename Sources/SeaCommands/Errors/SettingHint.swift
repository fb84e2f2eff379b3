import SeaEngine
import SeaWords

/// How a setting is read and set, for who wrote `NAME` or `NAME=VALUE` where that is not taken.
struct SettingHint {
  private let name: String
  private let value: String?
  private let scope: [String]

  /// - Parameter beside: the options that were given.
  /// - Returns: nil if it is no name of a setting.
  init?(_ word: String, _ beside: [String]) {
    let equals = word.firstIndex(of: "=")
    let name = String(word[..<(equals ?? word.endIndex)])
    guard let key = ConfigKey(name) else { return nil }
    let isKnown = SettingKind.of(key) != nil
    let likeliest = key.section == "type" ? name.defaultName : SettingKind.likeliest(for: name) ?? name
    self.name = isKnown ? name : likeliest
    value = equals.map { String(word[word.index(after: $0)...]) }
    scope = beside.filter { ConfigScope(rawValue: String($0.dropFirst(2))) != nil }
  }

  var words: String {
    let set = (["sea config set"] + scope + [Escape.shellWord(name)]).joined(separator: " ")
    guard let value else { return "to read it: sea config get \(Escape.shellWord(name)); to set it: \(set) VALUE" }
    return "to set it: \(set) \(Escape.shellWord(value))"
  }
}
