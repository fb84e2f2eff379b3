import SeaEngine
import SeaCore
import SeaSystem

/// Errors that the commands themselves detect. Errors from libraries are passed on unchanged.
package enum CommandError: Error {
  /// An error in an input, with its line and byte column (both start at 1) and the text at this position.
  case input(name: String, line: Int, column: Int, any Error, excerpt: String? = nil)
  /// An input that is not JSON, although no other format was requested.
  indirect case guessedForm(CommandError)
  /// An input with a key that another program uses but Sea reserves.
  indirect case foreignKey(CommandError)
  /// An input that is neither JSON nor a bundle. Its file name extension belongs to another program's format.
  case foreignForm(any Error, file: String)
  /// An operand that is not a readable file with records, but may be a record id.
  case noDocument(SystemError, operand: String)
  /// An error after which the start of the next record is unknown.
  indirect case noLines(CommandError)
  indirect case afterChunks(CommandError)
  case badState(String, KitError)
  case databaseGone(String)
  case rejectsIntoInput(String, option: Option)
  case noText(name: String, BinaryFileKind)
  /// - Parameter cell: the position in a sheet, such as `C17`; nil for other tables.
  case table(name: String, line: Int, column: Int, TableFault, cell: String? = nil)
  case workbook(String, WorkbookFault)
  /// An error in a foreign database file, such as an SQLite file.
  case foreign(ForeignPlace, any Error)
  case tables(file: String, TablesFault)
  /// A value on the command line that is not JSON. The column is in bytes and starts at 1; `meant` is the correct
  /// spelling, if known.
  case badJSONValue(id: String, path: String, column: Int, CoreError, excerpt: String?, meant: String? = nil)
  case emptyInput(name: String)
  /// A line that is valid JSON but has the wrong content for this command.
  case badLine(name: String, line: Int, LineFault)
  case inConflict(String)
  case tooMuchToExpand(String, most: Int)
  case tooManyRecords(Int, limit: Int, option: Option, deletes: Bool)
  /// A file already exists, and the command replaces files only on request.
  case fileExists(String, BundleObstacle = .other)
  /// A permanent action was not confirmed, or was confirmed with a wrong name.
  case notConfirmed(given: String?, name: String)
  case stillReferenced(String, by: [String])
  /// A container that may have the only copy of some blocks; `blocks` is nil if their number is unknown.
  case onlyCopy(String, blocks: Int?)
  case onlyAssets(String, Int)
  case nothingAt(String)
  /// The existing database lacks a requested feature.
  case databaseLacks(String, Lack)
  /// An encrypted source that no password could open.
  case unopened(KitError, source: String)
  case noBackupAt(String)
  /// The source to restore from is not a bundle and contains no bundles.
  case noBackup(String)
  /// The remote location given for a container contains bundles.
  case bundlesElsewhere(String)
  /// A file that is a table or JSON instead of a bundle or a container.
  case noBundle(any Error, file: String)
  /// The destination for bundles is a container; `name` is set if the container is attached.
  case bundleIntoContainer(String, name: String?)
  /// The remote location can hold containers but no bundles.
  case noPlaceForBundles(String)
  /// A file that does not have the expected block at `offset`.
  case badBlock(name: String, offset: Int, BlockFault)
  case otherRecord(have: String, want: String)
  /// Versions of a record that cannot be merged automatically; the strings are the paths in conflict.
  case clashes([String])
  case noPage(String, similar: String?)
  /// A program that a command consists of is missing.
  case noProgram(String)
  case notStarted(String, SystemError)
  case programFailed(String, Int32)
  case badIndex(String, IndexPart)
  /// An ssh request that authorized_keys does not permit.
  case notServed(String)
  /// The fingerprint of an instance differs from the expected one.
  case fingerprintDiffers(String)
  case wordsNotConfirmed
  /// The user must confirm the fingerprint, but there is no terminal to ask at.
  case needsFingerprint

  /// A requested feature that an existing database lacks.
  package enum Lack: Sendable { case seal, members, recoveryKey, keylessness }
}

/// The invalid part of an index definition: the form, the name, or a path that is not a property.
package enum IndexPart: Sendable { case form, name, field }

/// An invalid request to read or write the tables of a foreign database file.
package enum TablesFault: Error {
  case noFile(form: String)
  case noTable(String)
  case noType(String)
  /// Records from several tables would get the same type.
  case several(Option)
  case exists
  case tooManyColumns(type: String, Int, most: Int)
}

/// The reason why a workbook cannot be read.
package enum WorkbookFault: Equatable, Sendable {
  /// The program that reads workbooks is missing.
  case noProgram
  case unreadable(String)
}

/// A position in a foreign database file. The first row is 1.
package struct ForeignPlace: Sendable {
  package var file: String
  package var table: String?
  package var row: Int?
}

/// An error in an input line of a filter command.
package enum LineFault: Error, Equatable, Sendable {
  case missingKey(String)
  case wrongType(key: String, expected: String)
  case badRevision(String)
  /// The line is not an instance, an index and a hash, separated by tabs.
  case notAHead
  /// A counter or set, whose encoding depends on the writer and the previous value.
  case needsState
  case contradiction(String)
}
