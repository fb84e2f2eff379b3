import SeaSystem

/// The reason why a user's merge program failed. `program` is a name for messages, such as `driver 'notes'`.
package enum ProgramError: Error {
  case unknown(program: String, setting: String)
  /// The setting is neither a command line nor one of the valid words.
  case badSetting(String, value: String, wanted: String)
  /// The program merges whole records, but a program that merges values is needed, or vice versa.
  case wrongScope(driver: String)
  case failed(program: String, id: String, Launch.Ending)
  case notStarted(program: String, SystemError)
  case noResult(program: String, id: String, SystemError)
  case tooLarge(program: String, id: String, limit: Int)
  /// The result is not JSON, or belongs to another record.
  case badResult(program: String, id: String, any Error)
  /// The edited text cannot be parsed. The file `kept` contains the text.
  case badText(any Error, kept: String)
  /// The edited text still has conflicts at the listed paths. If the text was changed, the file `kept` contains it.
  case clashesLeft(id: String, [String], kept: String?)
  /// A signal from the terminal ended the program and should end this process, too.
  case interrupted

  var isInterrupt: Bool { if case .interrupted = self { true } else { false } }
}
