import SeaEngine
import SeaSystem

/// The options of `sea` itself, which may come before or after the command.
package struct GlobalOptions: Sendable {
  package enum Color: String, Sendable { case auto, always, never }

  /// The values of `-C`, each relative to the previous directory.
  package var directories: [String] = []
  package var seaDirectory: String?
  /// The `NAME=VALUE` settings of `-c`, in order.
  package var settings: [String] = []
  /// The `NAME=VARIABLE` settings of `--config-env`, in order.
  package var settingVariables: [String] = []
  package var quiet = false
  package var verbose = false
  package var json = false
  /// Whether JSON contains values without their kinds.
  package var plain = false
  package var porcelain = false
  /// Whether output items end with NUL instead of LF.
  package var zero = false
  /// When to use color; nil to let the environment and settings decide.
  package var color: Color?
  /// Whether to show progress; nil to show progress only to a person at a terminal.
  package var progress: Bool?
  package var noInput = false
  package var noPager = false
  package var noHooks = false
  package var literalIDs = false
  package var lockWait: String?
  package var date: String?
  package var passwordFile: String?
  package var passwordCommand: String?
  package var passwordDescriptor: String?
  package var version = false

  func path(_ text: String) -> String { directories.reversed().reduce(text) { Path.join($1, $0) } }

  var namesPassword: Bool { passwordFile != nil || passwordCommand != nil || passwordDescriptor != nil }

  static let workingDirectory = Option("", "C", .directory, "DIR", "run as if started in DIR", repeatable: true)
  static let seaDir = Option("sea-dir", nil, .directory, "DIR", "use this '.sea' directory")
  static let setting = Option(
    "", "c", .setting, "NAME=VALUE", "set a configuration value for this run", repeatable: true)
  static let configEnv = Option(
    "config-env", nil, .setting, "NAME=VAR", "like -c, with the value of environment variable VAR", repeatable: true)
  static let quietly = Option("quiet", "q", help: "print no notices or reports, only data and errors")
  static let verbosely = Option("verbose", "v", help: "print more on standard error")
  static let jsonLines = Option("json", help: "print JSON Lines, including errors")
  static let plainValues = Option("plain", help: "with --json: print values without their kinds, for other programs")
  static let porcelainLines = Option(
    "porcelain", nil, .choice(["v1"]), "v1", "print lines of a stable format", valueIsOptional: true)
  static let nul = Option("", "z", help: "end each item with NUL instead of LF")
  static let colors = Option(
    "color", nil, .choice(["auto", "always", "never"]), "WHEN", "use color: auto, always or never")
  static let pagerOff = Option("no-pager", "P", help: "do not use a pager")
  static let progressOn = Option("progress", help: "show progress even if standard error is not a terminal")
  static let progressOff = Option("no-progress", help: "do not show progress")
  static let inputOff = Option("no-input", help: "never prompt; fail instead")
  static let wait = Option(
    "lock-wait", nil, .offered(["forever"]), "SECONDS", "wait this long for the writer lock: a number or 'forever'")
  static let hooksOff = Option("no-hooks", help: "run no hooks")
  static let literal = Option("literal-ids", help: "treat each RECORD as an id only")
  static let dates = Option(
    "date", nil, .offered(DateStyle.names.filter { !$0.contains(":") }), "FORMAT",
    "show times as iso, iso-local, relative, unix or format:STRFTIME")
  static let passwordLine = Option(
    "password-file", nil, .file, "FILE", "read the passphrase from the first line of FILE")
  static let passwordProgram = Option(
    "password-command", nil, .text, "COMMAND", "read the passphrase from the first line that COMMAND prints")
  static let passwordNumber = Option(
    "password-fd", nil, .integer, "N", "read the passphrase from the next line of file descriptor N")
  static let showVersion = Option("version", help: "print the version")
  static let usage = Option("", "h", help: "print usage and options")
  static let page = Option("help", help: "open the man page")

  package static let all: [Option] = [
    workingDirectory, seaDir, setting, configEnv, quietly, verbosely, jsonLines, plainValues, porcelainLines, nul,
    colors, pagerOff,
    progressOn, progressOff, inputOff, wait, hooksOff, literal, dates, passwordLine, passwordProgram, passwordNumber,
    showVersion, usage, page,
  ]

  package var isForPrograms: Bool { json || porcelain }

  mutating func apply(_ key: String, _ value: String?) throws(UsageFault) {
    switch key {
    case "C": directories.append(value ?? "")
    case "sea-dir": seaDirectory = value
    case "c": try settings.append(pair(value ?? "", "-c", needsValue: false))
    case "config-env": try settingVariables.append(pair(value ?? "", "--config-env", needsValue: true))
    case "quiet": quiet = true
    case "verbose": verbose = true
    case "json": json = true
    case "plain": plain = true
    case "porcelain": porcelain = true
    case "z": zero = true
    case "color": color = value.flatMap(Color.init)
    case "no-pager": noPager = true
    case "progress": progress = true
    case "no-progress": progress = false
    case "no-input": noInput = true
    case "no-hooks": noHooks = true
    case "literal-ids": literalIDs = true
    case "lock-wait":
      guard let value, value == "forever" || Quantity.duration(value) != nil else {
        throw .badValue(option: "--lock-wait", value: value ?? "", expected: .duration)
      }
      lockWait = value
    case "date":
      guard let value, DateStyle(value) != nil else {
        throw .badValue(option: "--date", value: value ?? "", expected: .choice(DateStyle.names))
      }
      date = value
    case "password-file": passwordFile = value
    case "password-command": passwordCommand = value
    case "password-fd": passwordDescriptor = value
    case "version": version = true
    default: break
    }
  }

  /// Checks `NAME=VALUE`. As in git, `-c NAME` without a value means true.
  private func pair(_ text: String, _ option: String, needsValue: Bool) throws(UsageFault) -> String {
    let name = text.prefix { $0 != "=" }
    guard name.contains("."), !needsValue || name.utf8.count < text.utf8.count else {
      throw .badValue(option: option, value: text, expected: .configKey)
    }
    return text
  }
}
