import SeaEngine
import SeaWords

/// The reading half of `sea config`.
struct ConfigReading {
  private let session: Session
  private let arguments: Arguments
  private let config: Config
  private let scope: ConfigScope?

  /// With a scope, only what stands in that layer.
  init(_ session: Session, _ arguments: Arguments, _ scope: ConfigScope?) throws {
    self.session = session
    self.arguments = arguments
    self.scope = scope
    if scope == .local || scope == .shared { _ = try session.seaDirectory() }
    config = try session.config()
  }

  func get(_ key: ConfigKey) throws -> ExitStatus {
    var found = try config.values(key, scope)
    if !arguments.has(ConfigCommand.all) { found = found.suffix(1) }
    if found.isEmpty, let value = arguments.text(ConfigCommand.fallback) {
      found = [Config.Entry(key: key, value: value, origin: ConfigOrigin(.command))]
    }
    for entry in found { try show(entry, named: false) }
    if found.isEmpty, SettingKind.of(key) == nil {
      if let similar = SettingKind.likeliest(for: key.description) {
        session.terminal.notice("there is no setting '\(key)': did you mean '\(similar)'?")
      } else if session.host.isTerminal(2) {
        // It may be one of another program, which asks without a terminal.
        session.terminal.notice("there is no setting '\(key)'", hint: "all that there are: sea config list --describe")
      }
    }
    return found.isEmpty ? .no : .success
  }

  func list() throws -> ExitStatus {
    if arguments.has(ConfigCommand.describe) { return try describe() }
    for entry in try config.entries(scope) { try show(entry, named: true) }
    return .success
  }

  /// Every setting that there is: what holds, what it may be, and what it is for.
  private func describe() throws -> ExitStatus {
    if scope != nil { throw UsageFault.excluded([ConfigCommand.describe.dashed, "SCOPE"]) }
    if arguments.has(ConfigCommand.showOrigin) {
      throw UsageFault.excluded([ConfigCommand.describe.dashed, ConfigCommand.showOrigin.dashed])
    }
    let room = min(session.terminal.width ?? TextWidth.widest, TextWidth.widest) - 4
    for kind in SettingKind.all {
      let value =
        try kind.middle == nil ? ConfigKey(kind.pattern).flatMap(config.entry).map { $0.value ?? "true" } : nil
      let item: Item = [
        "name": .text(kind.pattern), "value": .text(value), "about": .text(kind.explanation),
        "allowed": .text(kind.rule.words),
        "choices": kind.rule.choices.isEmpty ? .absent : .texts(kind.rule.choices),
        "shareable": .flag(kind.isShareable),
      ]
      try session.terminal.painter.show(item) {
        let text = "\(kind.explanation); \(kind.rule.words)" + (kind.isShareable ? "; can be shared" : "")
        return [Painted(kind.pattern, .heading) + Painted(value.map { "=\($0)" } ?? "")]
          + TextWidth.filled(text, to: room).map { Painted("    \($0)") }
      }
    }
    return .success
  }

  private func show(_ entry: Config.Entry, named: Bool) throws {
    var value = entry.value ?? "true"
    if let type = arguments.text(ConfigCommand.type).flatMap(ConfigType.init) {
      value = try config.canonical(entry, type)
    }
    if session.options.json {
      return try session.terminal.object([
        "name": .text(entry.key), "value": .text(value), "scope": .text(entry.origin.scope.rawValue),
        "file": .text(entry.origin.path), "line": .integer(entry.origin.line),
      ])
    }
    if arguments.has(ConfigCommand.showOrigin) {
      try session.terminal.output.write(origin(entry.origin))
      try session.terminal.output.byte(session.options.zero ? 0 : 0x09)
    }
    // NUL-terminated, the name ends with a newline, which it cannot have in it, while it may have "=".
    if named {
      try session.terminal.output.write(
        session.terminal.value(entry.key.description) + (session.options.zero ? "\n" : "="))
    }
    try session.terminal.item(session.terminal.value(value))
  }

  private func origin(_ origin: ConfigOrigin) -> String {
    guard let path = origin.path else { return "\(origin.scope.rawValue):" }
    return "file:\(session.terminal.value(path)):\(origin.line ?? 0)"
  }
}
