import SeaEngine

/// The reason why no password is available. `source` is the option, variable, setting or program that should provide
/// the password.
package enum PasswordError: Error, Equatable {
  case empty(source: String)
  case tooLong(source: String)
  /// The password line begins with a byte order mark.
  case marked(source: String)
  /// The password line begins or ends with white space.
  case blanks(source: String)
  /// A relative path does not lead to a file.
  case noFile(source: String, path: String, isBelow: String?)
  case notTyped
  case notRepeated
  /// The process that started this program did not pass an open file with the given descriptor.
  case noDescriptor(source: String)
  /// The command line in the setting has an unclosed quote or does not name a program.
  case badCommand(source: String)
  case none(PasswordUse)
}
