import SeaEngine

/// Names of settings that are none, and like one that there is: somebody probably meant that. Others are another program's.
enum UnknownSettings {
  static func warn(of key: ConfigKey, at place: String, _ terminal: Terminal) {
    guard SettingKind.of(key) == nil, let similar = SettingKind.likeliest(for: key.description) else { return }
    terminal.warning(
      "unknown-setting", "\(place): there is no setting '\(key)'", hint: "did you mean: \(similar)")
  }

  /// Those that the command line has for this run.
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
