import SeaEngine
import SeaWords

/// `sea config`: read and write settings.
enum ConfigCommand: Command {
  static var title: Title { Title("config", .setup, .plumbing, "get and set options") }
  static var synopsis: [String] {
    [
      "get [SCOPE] [--show-origin] [--type=TYPE] [--default=VALUE] [--all] NAME",
      "set [SCOPE] [-n] [--type=TYPE] [--add] [--force] NAME VALUE", "unset [SCOPE] [-n] [--all] NAME",
      "list [SCOPE] [--show-origin]", "list --describe", "path [SCOPE]", "edit [SCOPE]",
    ]
  }
  static let scopes = [
    Option("system", help: "the file for all users of this machine"),
    Option("global", help: "the file of this user"),
    Option("shared", help: "the settings that all instances of the database share"),
    Option("local", help: "the file of this database"),
  ]
  static let showOrigin = Option("show-origin", help: "show where each value comes from")
  static let type = Option(
    "type", nil, .choice(ConfigType.allCases.map(\.rawValue)), "TYPE",
    "what the value must be: bool, int, size, duration, path")
  static let fallback = Option("default", nil, .text, "VALUE", "the value if the setting has none")
  static let all = Option("all", help: "all values of the setting, not the strongest only")
  static let add = Option("add", help: "add a value and keep the others")
  static let force = Option("force", help: "also a name or a value that this version does not know")
  static let describe = Option("describe", help: "all settings that there are, what they may be, and what they are for")
  static var options: [Option] { scopes + [showOrigin, describe, type, fallback, all, add, force, .dryRun] }
  static let actions = ["get", "set", "unset", "list", "path", "edit"]
  static var operands: [Operand] {
    [.one("ACTION", .choice(actions)), .optional("NAME", .configKey), .optional("VALUE", .settingValue)]
  }
  static func isPaged(_ arguments: Arguments) -> Bool { arguments.has(describe) }
  static var exits: [Exit] {
    [
      Exit(.no, "the setting has no value"), Exit(.notFound, "the setting has several values where one is to change"),
      Exit(.denied, "the setting may not be shared, or not by this instance"),
      Exit(.noDatabase, "no database found, and the local or the shared layer is meant"),
      Exit(.badData, "a file or a value cannot be read"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let scope = try arguments.only(of: scopes).flatMap { ConfigScope(rawValue: $0.long) }
    let action = arguments.operands[0]
    let names = ["get", "set", "unset"].contains(action)
    if !names, let extra = arguments.operand(1) { throw UsageFault.extraOperand(extra) }
    if names, arguments.operand(1) == nil { throw UsageFault.missingOperand("NAME") }
    if action != "set", let extra = arguments.operand(2) { throw UsageFault.extraOperand(extra) }
    let writing = ConfigWriting(session: session, arguments: arguments, scope: scope ?? .local)
    switch action {
    case "get": return try ConfigReading(session, arguments, scope).get(key(arguments.operands[1]))
    case "list": return try ConfigReading(session, arguments, scope).list()
    case "set":
      guard let value = arguments.operand(2) else {
        throw UsageFault.settingWithoutValue(arguments.operands[1], beside: arguments.flags)
      }
      return try writing.set(key(arguments.operands[1]), value)
    case "unset": return try writing.unset(key(arguments.operands[1]))
    case "path": return try writing.path()
    default: return try writing.edit()
    }
  }

  private static func key(_ text: String) throws -> ConfigKey {
    guard let key = ConfigKey(text) else { throw ConfigError.badKey(text) }
    return key
  }
}
