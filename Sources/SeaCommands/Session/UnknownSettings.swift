import SeaEngine

/// Warns about unknown settings with names similar to known settings. Other unknown settings may belong to another
/// program.
enum UnknownSettings {
  static func warn(of key: ConfigKey, at place: String, _ terminal: Terminal) {
    guard SettingKind.of(key) == nil, let similar = SettingKind.likeliest(for: key.description) else { return }
    terminal.warning(
      "unknown-setting", "\(place): unknown setting '\(key)'", hint: "did you mean: \(similar)")
  }

  static func warn(_ terminal: Terminal) {
    warn(of: terminal.options.settings, at: "-c", terminal)
    warn(of: terminal.options.settingVariables, at: "--config-env", terminal)
  }

  private static func warn(of texts: [String], at option: String, _ terminal: Terminal) {
    for text in texts {
      if let key = ConfigKey(String(text.prefix { $0 != "=" })) { warn(of: key, at: option, terminal) }
    }
  }
}
