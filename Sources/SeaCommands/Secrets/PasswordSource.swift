import SeaKit

/// Where a password comes from. `name` is the option, variable or setting that says so.
enum PasswordSource: Equatable {
  case descriptor(String, name: String)
  case file(String, name: String)
  case command(String, name: String)
  case askpass(String)
  case terminal

  /// Whether an answer is there without anybody typing it now.
  var isGiven: Bool {
    switch self {
    case .descriptor, .file, .command: true
    case .askpass, .terminal: false
    }
  }

  /// Whether it is the first line of standard input.
  var isInput: Bool {
    switch self {
    case .descriptor("0", _), .file("-", _): true
    default: false
    }
  }

  /// The first that there is; nil if nobody may be asked.
  ///
  /// - Parameter arguments: those of a command that changes a password, for the new one.
  static func find(_ context: Context, new arguments: Arguments?) throws -> PasswordSource? {
    if let said = said(context, new: arguments) { return said }
    // What it answers is the password that holds.
    if arguments == nil, let command = try configured(context) { return .command(command, name: setting) }
    if context.options.noInput { return nil }
    for name in ["SEA_ASKPASS", "SSH_ASKPASS"] {
      if let program = variable(name, context) { return .askpass(program) }
    }
    return .terminal
  }

  /// What an option or a variable says.
  static func said(_ context: Context, new arguments: Arguments?) -> PasswordSource? {
    let options = context.options
    let isNew = arguments != nil
    let option = isNew ? "--new-password" : "--password"
    if let number = isNew ? arguments?.text(.newPasswordDescriptor) : options.passwordDescriptor {
      return .descriptor(number, name: "\(option)-fd")
    }
    if let file = isNew ? arguments?.text(.newPasswordFile) : options.passwordFile {
      return .file(file, name: "\(option)-file")
    }
    if let command = isNew ? arguments?.text(.newPasswordCommand) : options.passwordCommand {
      return .command(command, name: "\(option)-command")
    }
    let prefix = isNew ? "SEA_NEW_PASSWORD" : "SEA_PASSWORD"
    if let number = variable("\(prefix)_FD", context) { return .descriptor(number, name: "\(prefix)_FD") }
    if let file = variable("\(prefix)_FILE", context) { return .file(file, name: "\(prefix)_FILE") }
    if let command = variable("\(prefix)_COMMAND", context) { return .command(command, name: "\(prefix)_COMMAND") }
    return nil
  }

  private static func variable(_ name: String, _ context: Context) -> String? {
    context.host.variable(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  private static let setting = "password.command"

  /// From files of the user's own: a setting that runs a program may not come along with data.
  private static func configured(_ context: Context) throws -> String? {
    let own: [ConfigScope] = [.system, .global, .local]
    let entry = try context.config().all(setting).last { own.contains($0.origin.scope) }
    return entry?.value.flatMap { $0.isEmpty ? nil : $0 }
  }
}

extension Option {
  package static let newPasswordFile = Option(
    "new-password-file", nil, .file, "FILE", "the new password is the first line of FILE")
  package static let newPasswordCommand = Option(
    "new-password-command", nil, .text, "COMMAND", "the new password is the first line that COMMAND prints")
  package static let newPasswordDescriptor = Option(
    "new-password-fd", nil, .integer, "N", "the new password is the next line of file descriptor N")
  /// The options of a command that changes a password.
  package static let newPassword = [newPasswordFile, newPasswordCommand, newPasswordDescriptor]
}
