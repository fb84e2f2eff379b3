import SeaEngine

/// A source of a password. `name` is the option, variable or setting that selects the source.
enum PasswordSource: Equatable {
  case descriptor(String, name: String)
  case file(String, name: String)
  case command(String, name: String)
  case askpass(String)
  case terminal

  var name: String {
    switch self {
    case .descriptor(_, let name), .file(_, let name), .command(_, let name), .askpass(let name): name
    case .terminal: "terminal"
    }
  }

  var isInput: Bool {
    switch self {
    case .descriptor("0", _), .file("-", _): true
    default: false
    }
  }

  /// Returns the first configured source; nil if no source is configured and prompting is disabled.
  /// - Parameters:
  ///   - arguments: the arguments of a command that sets a new password; nil for the current password.
  ///   - setting: returns the value of `setting`.
  static func find(
    _ options: GlobalOptions, _ host: Environment, new arguments: Arguments?, setting: () throws -> String?
  ) throws -> PasswordSource? {
    if let said = said(options, host, new: arguments) { return said }
    // The command in the setting prints the current password and cannot provide a new one.
    if arguments == nil, let command = try setting() { return .command(command, name: self.setting) }
    if options.noInput { return nil }
    for name in ["SEA_ASKPASS", "SSH_ASKPASS"] {
      if let program = host.given(name) { return .askpass(program) }
    }
    return .terminal
  }

  static func said(_ options: GlobalOptions, _ host: Environment, new arguments: Arguments?) -> PasswordSource? {
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
    if let number = host.given("\(prefix)_FD") { return .descriptor(number, name: "\(prefix)_FD") }
    if let file = host.given("\(prefix)_FILE") { return .file(file, name: "\(prefix)_FILE") }
    if let command = host.given("\(prefix)_COMMAND") { return .command(command, name: "\(prefix)_COMMAND") }
    return nil
  }

  /// The setting that contains a command. It is read only from the user's own files, because received data must not run
  /// programs.
  static let setting = "password.command"
}

extension Option {
  package static let newPasswordFile = Option(
    "new-password-file", nil, .file, "FILE", "read the new passphrase from the first line of FILE")
  package static let newPasswordCommand = Option(
    "new-password-command", nil, .text, "COMMAND", "read the new passphrase from the first line that COMMAND prints")
  package static let newPasswordDescriptor = Option(
    "new-password-fd", nil, .integer, "N", "read the new passphrase from the next line of file descriptor N")
  /// The options that provide the new password in commands that change a password.
  package static let newPassword = [newPasswordFile, newPasswordCommand, newPasswordDescriptor]
}
