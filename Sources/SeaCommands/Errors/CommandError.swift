import SeaEngine
import SeaCore
import SeaSystem

/// The errors that commands detect themselves; errors of the libraries are passed on unchanged.
package enum CommandError: Error {
  /// A fault in an input, with the line and the byte in the line, both from 1, and the text there.
  case input(name: String, line: Int, column: Int, any Error, excerpt: String? = nil)
  /// An input that is not JSON, although no other format was given.
  indirect case guessedForm(CommandError)
  /// An input that is neither JSON nor a bundle, in a file with the name suffix of another program.
  case foreignForm(any Error, file: String)
  /// An operand that is not a readable file with records, and may be the id of one.
  case noDocument(SystemError, operand: String)
  /// A fault after which the start of the next record is unknown.
  indirect case noLines(CommandError)
  /// A fault after transactions that were already written.
  indirect case afterChunks(CommandError)
  /// The state file of `sea watch` is invalid.
  case badState(String, KitError)
  /// The watched database was removed.
  case databaseGone(String)
  /// The file for rejected records is the input itself.
  case rejectsIntoInput(String, option: Option)
  /// A JSON input that begins with a byte order mark.
  case byteOrderMark(name: String)
  /// An input that is not text.
  case noText(name: String, NoText)
  case table(name: String, line: Int, column: Int, TableFault)
  /// A fault at a place in a file of tables.
  case foreign(ForeignPlace, any Error)
  case tables(file: String, TablesFault)
  /// A value on the command line that is not JSON, at a byte counted from 1; `meant` is the correct form, if known.
  case badJSONValue(id: String, path: String, column: Int, CoreError, excerpt: String?, meant: String? = nil)
  /// An input without records.
  case emptyInput(name: String)
  /// A line that is valid JSON but has the wrong content for the command.
  case badLine(name: String, line: Int, LineFault)
  /// A record in conflict, although the read must be strict.
  case inConflict(String)
  /// The records that a record refers to are too large to be included.
  case tooMuchToExpand(String, most: Int)
  /// More records would be written than an option permits.
  case tooManyRecords(Int, limit: Int, option: Option, deletes: Bool)
  /// An existing file, which is replaced only on request.
  case fileExists(String, BundleObstacle = .other)
  /// A permanent action was not confirmed, or with the wrong name.
  case notConfirmed(given: String?, name: String)
  /// Records still refer to the record to delete.
  case stillReferenced(String, by: [String])
  /// A container that may have the only copy of some blocks; `blocks` is nil if it cannot be checked.
  case onlyCopy(String, blocks: Int?)
  /// A container that is the only known location of the content of some assets.
  case onlyAssets(String, Int)
  /// The destination folder does not exist.
  case nothingAt(String)
  /// A database exists already, and lacks a requested property.
  case otherDatabaseThere(String, Lack)
  /// An encrypted source that no password has opened.
  case unopened(KitError, source: String)
  /// There is no backup at the path.
  case noBackupAt(String)
  /// The source to restore from is not a bundle and contains none.
  case noBackup(String)
  /// The remote location for a container contains bundles.
  case bundlesElsewhere(String)
  /// A table or JSON instead of a bundle or a container, with the error.
  case noBundle(any Error, file: String)
  /// A container, attached under that name, instead of a folder for bundles.
  case bundleIntoContainer(String, name: String?)
  /// A location of containers instead of one for bundles.
  case noPlaceForBundles(String)
  /// A file without a matching block at `offset`.
  case badBlock(name: String, offset: Int, BlockFault)
  /// A document for one record contains the id of another one.
  case otherRecord(have: String, want: String)
  /// Versions of a record that do not merge automatically, with the pointers of the conflicts.
  case clashes([String])
  /// The man page was not found, or the program to show it.
  case noPage(String, similar: String?)
  case notStarted(String, SystemError)
  /// A program that ended with a status other than 0.
  case programFailed(String, Int32)
  /// An index with an invalid definition.
  case badIndex(String, IndexPart)
  /// A request over ssh exceeds the permissions of its key in authorized_keys.
  case notServed(String)
  /// The fingerprint of an instance differs from the expected one.
  case wordsDiffer(String)
  /// The person did not confirm the fingerprint.
  case wordsNotConfirmed
  /// The fingerprint must be compared, and there is no one to prompt.
  case needsWords

  /// The requested property that an existing database lacks.
  package enum Lack: Sendable { case seal, members, recoveryKey, keylessness }
}

/// The invalid part of an index: the form, the name, or a path that is not a property.
package enum IndexPart: Sendable { case form, name, field }

/// A fault in the request for a file of tables.
package enum TablesFault: Error {
  /// The input is not a file.
  case noFile(form: String)
  case noTable(String)
  /// The name of a table is not a valid type.
  case noType(String)
  /// Records of several tables would get one type.
  case several(Option)
  /// The file to create exists.
  case exists
  case tooManyColumns(type: String, Int, most: Int)
}

/// A position in a file of tables; rows are counted from 1.
package struct ForeignPlace: Sendable {
  package var file: String
  package var table: String?
  package var row: Int?
}

/// A fault in a line of a filter's input.
package enum LineFault: Error, Equatable, Sendable {
  case missingKey(String)
  case wrongType(key: String, expected: String)
  case badRevision(String)
  /// The line is not INSTANCE, index and hash, separated by tabs.
  case notAHead
  /// A counter or a set, whose encoding depends on the writer and the previous value.
  case needsState
  /// The same revision was described differently in an earlier line.
  case contradiction(String)
}
