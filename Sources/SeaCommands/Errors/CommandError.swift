import SeaEngine
import SeaCore
import SeaSystem

/// What commands find wrong themselves; what the libraries find wrong they let pass.
package enum CommandError: Error {
  /// A fault in an input, at a line (from 1) and a byte of that line (from 1), and what stands there.
  case input(name: String, line: Int, column: Int, any Error, excerpt: String? = nil)
  /// An input that is no JSON, which it was taken for as nobody said otherwise.
  indirect case guessedForm(CommandError)
  /// The same, or what is no bundle, in a file whose name says that it is of another program.
  case foreignForm(any Error, file: String)
  /// What was to be a file with records may be the id of one.
  case noDocument(SystemError, operand: String)
  /// A fault after which nobody can say where the next record begins.
  indirect case noLines(CommandError)
  /// A fault behind transactions that stay.
  indirect case afterChunks(CommandError)
  /// The file that keeps the position of `sea watch`, and what is wrong with that.
  case badState(String, KitError)
  /// The folder of a database that was watched.
  case databaseGone(String)
  /// What was left out would take the place of what is read.
  case rejectsIntoInput(String, option: Option)
  /// A JSON input that begins with a byte order mark.
  case byteOrderMark(name: String)
  /// An input that is no text at all.
  case noText(name: String, NoText)
  case table(name: String, line: Int, column: Int, TableFault)
  /// A fault in a file of tables.
  case foreign(ForeignPlace, any Error)
  case tables(file: String, TablesFault)
  /// A value on the command line that is no JSON; the column counts its bytes from 1, and `meant` is how it is written, where
  /// that is known.
  case badJSONValue(id: String, path: String, column: Int, CoreError, excerpt: String?, meant: String? = nil)
  /// An input that has no records where some are needed.
  case emptyInput(name: String)
  /// A line of an input that is valid JSON and not what the command reads.
  case badLine(name: String, line: Int, LineFault)
  /// A record that was to be read only without a conflict.
  case inConflict(String)
  /// What a record refers to is more than is put into one.
  case tooMuchToExpand(String, most: Int)
  /// More records would be written than an option allows.
  case tooManyRecords(Int, limit: Int, option: Option, deletes: Bool)
  /// A file that is not replaced unasked.
  case fileExists(String, BundleObstacle = .other)
  /// What cannot be taken back was not confirmed, or by another name than that of this instance.
  case notConfirmed(given: String?, name: String)
  /// Records still refer to the one to be deleted.
  case stillReferenced(String, by: [String])
  /// A container that may hold what is nowhere else; `blocks` is nil if it cannot be looked at.
  case onlyCopy(String, blocks: Int?)
  /// A container that has the content of so many assets, which no other place is known to have.
  case onlyAssets(String, Int)
  /// A folder that something was to be written into.
  case nothingAt(String)
  /// A database is there, and is not what was to be made.
  case otherDatabaseThere(String, Lack)
  /// A sealed source of which no password has opened anything.
  case unopened(KitError, source: String)
  /// Nor a backup.
  case noBackupAt(String)
  /// Something that is no bundle and has none was to be restored.
  case noBackup(String)
  /// A place elsewhere that is to be a container holds bundles.
  case bundlesElsewhere(String)
  /// A table or JSON that is to be a bundle or a container, with the error.
  case noBundle(any Error, file: String)
  /// A container, attached under that name, that bundles were to go into.
  case bundleIntoContainer(String, name: String?)
  /// A place of containers that was to have a bundle, or to get one.
  case noPlaceForBundles(String)
  /// A file whose bytes from `offset` on are no block that belongs there.
  case badBlock(name: String, offset: Int, BlockFault)
  /// A document that was given for one record names another.
  case otherRecord(have: String, want: String)
  /// Versions of a record that do not merge alone, and the pointers of where they clash.
  case clashes([String])
  /// Neither the man page nor its reader was found.
  case noPage(String, similar: String?)
  /// A program that could not be started.
  case notStarted(String, SystemError)
  /// A program that ended with a status other than 0.
  case programFailed(String, Int32)
  /// What an index is to be made of.
  case badIndex(String, IndexPart)
  /// What came over ssh asks for more than the key in authorized_keys is for.
  case notServed(String)
  /// The words of an instance are others than those that its owner reads out.
  case wordsDiffer(String)
  /// Whoever was asked whether they are the same has not said yes.
  case wordsNotConfirmed
  /// Nobody can be asked to compare words.
  case needsWords

  /// What a database lacks that was made before, and was asked for now.
  package enum Lack: Sendable { case seal, members, recoveryKey, keylessness }
}

/// What is wrong with an index that is asked for: all of it, its name, or that it is of what is no property.
package enum IndexPart: Sendable { case form, name, field }

/// Why it is not clear what to do with a file of tables.
package enum TablesFault: Error {
  /// It is to be read from what is no file.
  case noFile(form: String)
  case noTable(String)
  /// A table whose name is no type.
  case noType(String)
  /// Records of several tables would have one type.
  case several(Option)
  /// A file that was to be made.
  case exists
  case tooManyColumns(type: String, Int, most: Int)
}

/// Where something stands in a file of tables: rows are counted from 1.
package struct ForeignPlace: Sendable {
  package var file: String
  package var table: String?
  package var row: Int?
}

/// Why a line of input is not what a filter reads.
package enum LineFault: Error, Equatable, Sendable {
  case missingKey(String)
  case wrongType(key: String, expected: String)
  case badRevision(String)
  /// Not INSTANCE, index and hash with tabs between.
  case notAHead
  /// A counter or a set, whose bytes depend on who writes and on what came before.
  case needsState
  /// The same revision was described differently before.
  case contradiction(String)
}
