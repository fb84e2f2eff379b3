import SeaEngine

/// Why there is no password. `source` is the option, variable, setting or program that it was to come from.
package enum PasswordError: Error, Equatable {
  case empty(source: String)
  case tooLong(source: String)
  /// The line begins with a byte order mark.
  case marked(source: String)
  /// The line has a blank at one of its ends.
  case blanks(source: String)
  /// There is no file of that name where a relative path leads.
  case noFile(source: String, path: String, isBelow: String?)
  /// Asked for, and answered with nothing.
  case notTyped
  /// Asked for twice, and not answered the same in any of the tries.
  case notRepeated
  /// The caller of the program handed over no open file of that number.
  case noDescriptor(source: String)
  /// A command line with an open quote, or without a program.
  case badCommand(source: String)
  /// Nothing says where it comes from, and there is nobody to ask.
  case none(PasswordUse)
}
