import SeaSystem

/// The reason why a program of the user has not merged. `program` is its name for people: `driver 'notes'`.
package enum ProgramError: Error {
  /// No setting defines the program.
  case unknown(program: String, setting: String)
  /// The setting is not a command line, or not one of the valid words.
  case badSetting(String, value: String, wanted: String)
  /// The program merges whole records where one for values is needed, or vice versa.
  case wrongScope(driver: String)
  case failed(program: String, id: String, Launch.Ending)
  case notStarted(program: String, SystemError)
  /// The result is missing, or not a file.
  case noResult(program: String, id: String, SystemError)
  case tooLarge(program: String, id: String, limit: Int)
  /// The result is not JSON, or belongs to another record.
  case badResult(program: String, id: String, any Error)
  /// The edited text cannot be parsed; it is kept in a file.
  case badText(any Error, kept: String)
  /// The edited text still has conflicts at these pointers; it is kept in a file if it was changed.
  case clashesLeft(id: String, [String], kept: String?)
  /// A signal from the terminal ended the program, and should end this one, too.
  case interrupted

  var isInterrupt: Bool { if case .interrupted = self { true } else { false } }
}
