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

  /// The first that there is; nil if nobody may be asked.
  ///
  /// - Parameter arguments: those of a command that changes a password, for the new one.
  static func find(_ context: Context, new arguments: Arguments?) throws -> PasswordSource? {
    func variable(_ name: String) -> String? { context.host.variable(name).flatMap { $0.isEmpty ? nil : $0 } }
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
    if let number = variable("\(prefix)_FD") { return .descriptor(number, name: "\(prefix)_FD") }
    if let file = variable("\(prefix)_FILE") { return .file(file, name: "\(prefix)_FILE") }
    if let command = variable("\(prefix)_COMMAND") { return .command(command, name: "\(prefix)_COMMAND") }
    // What it answers is the password that holds.
    if !isNew, let command = try configured(context) { return .command(command, name: setting) }
    if options.noInput { return nil }
    return (variable("SEA_ASKPASS") ?? variable("SSH_ASKPASS")).map { .askpass($0) } ?? .terminal
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
