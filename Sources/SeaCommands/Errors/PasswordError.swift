import SeaEngine

/// The reason why there is no password. `source` is the option, variable, setting or program that should provide it.
package enum PasswordError: Error, Equatable {
  case empty(source: String)
  case tooLong(source: String)
  /// The line begins with a byte order mark.
  case marked(source: String)
  /// The line begins or ends with white space.
  case blanks(source: String)
  /// A relative path leads to no file.
  case noFile(source: String, path: String, isBelow: String?)
  /// The prompt was answered with an empty line.
  case notTyped
  /// The two answers differed in every try.
  case notRepeated
  /// No open file with this number was passed to the program.
  case noDescriptor(source: String)
  /// The command line has an open quote, or no program.
  case badCommand(source: String)
  /// There is no source, and no one to prompt.
  case none(PasswordUse)
}
