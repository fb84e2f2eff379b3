import SeaSystem

/// Why a program of the user's has not merged what it was given. `program` is how people call it: `driver 'notes'`.
package enum ProgramError: Error {
  /// No setting says what to run.
  case unknown(program: String, setting: String)
  /// A setting that is no command line, or another word than the ones there are.
  case badSetting(String, value: String, wanted: String)
  /// A program for whole records where one for values is needed, or the other way.
  case wrongScope(driver: String)
  case failed(program: String, id: String, Launch.Ending)
  case notStarted(program: String, SystemError)
  /// What it left is not there, or no file.
  case noResult(program: String, id: String, SystemError)
  case tooLarge(program: String, id: String, limit: Int)
  /// What it left is no JSON, or not of that record.
  case badResult(program: String, id: String, any Error)
  /// What was edited cannot be read; the text is kept.
  case badText(any Error, kept: String)
  /// What was edited has clashes left, at these pointers; the text is kept if anything was changed.
  case clashesLeft(id: String, [String], kept: String?)
  /// A signal from the terminal ended the program, and means this one too.
  case interrupted

  var isInterrupt: Bool { if case .interrupted = self { true } else { false } }
}
