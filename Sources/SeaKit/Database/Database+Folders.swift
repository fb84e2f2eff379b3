import SeaSystem

extension Database {
  /// The folder `.sea`, from the root.
  package func absolutePath() throws -> String { try Path.absolute(path) }

  static let temporaryName = "tmp"

  /// A folder in `.sea/tmp`: what is in a sealed database lies nowhere else as it is.
  package func temporaryFolder() throws -> TemporaryFolder {
    try TemporaryFolder(in: absolutePath(), named: Database.temporaryName)
  }

  /// Takes away what is left of such folders by processes that died.
  package func sweepTemporaryFolders() {
    _ = try? TemporaryFolder.collect(in: path, named: Database.temporaryName, removes: true)
  }
}
