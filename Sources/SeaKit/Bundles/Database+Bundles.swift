internal import SeaCore
internal import SeaEngine
internal import SeaSystem

extension Database {
  /// Makes a new instance of the database that a bundle holds, with all that it brings.
  /// - Parameters:
  ///   - options: how it is opened.
  ///   - path: a bundle with everything; of several volumes any of them. Or an exchange directory: then all that lie there are taken in as far
  ///     as they go, and `bundles.import(allIn:)` tells what is wrong with the rest.
  ///   - folder: where `.sea` is to be.
  ///   - name: what the instance is called, for people.
  /// - Throws: an error, and nothing is left behind, if it is no bundle (`incompatible`), does not begin with the beginning
  ///   (`base-missing`), is damaged, the password opens nothing, or a database is there already.
  public static func clone(
    bundle path: String, to folder: String, name: String, _ options: Options = Options()
  ) async throws -> Database {
    try await Lane.made().result {
      try options.made(from: path, in: folder, name, restores: false, $0).database
    }
  }

  /// Makes a database again from a backup: an instance of its own, with the settings of the one that was backed up. What could run a program
  /// does not come into force by itself. No key is in a backup: what opens a sealed one is its password, or the key of recovery.
  /// - Parameters:
  ///   - options: how it is opened.
  ///   - path: a bundle that was exported with `isBackup`, or a directory with several; they are taken in one after another.
  ///   - folder: where `.sea` is to be.
  ///   - name: what the instance is called, for people.
  /// - Throws: as `clone(bundle:)` does.
  public static func restore(
    from path: String, to folder: String, name: String, _ options: Options = Options()
  ) async throws -> RestoredBackup {
    try await Lane.made().result { cancellation in
      let (database, cloned) = try options.made(from: path, in: folder, name, restores: true, cancellation)
      return RestoredBackup(
        database: database, settings: cloned.restored.settings, omittedSettings: cloned.restored.programs,
        disabledHooks: cloned.restored.hooks, failures: cloned.failures.map { SeaError(known: $0) })
    }
  }

}

extension Database.Options {
  /// A database of the bundles at a path.
  fileprivate func made(
    from path: String, in folder: String, _ name: String, restores: Bool, _ cancellation: Cancellation
  ) throws -> (database: Database, cloned: Cloned) {
    var source = CloneBundles(bundles: [(path, Path.name(path))], folder: nil, place: path)
    if try Path.statusFollowing(path)?.kind == .directory {
      let directory = try BundleDirectory(Path.absolute(path))
      source.folder = directory
      source.bundles = try directory.bundles().map { ($0.path, $0.name) }
    }
    source.temporary = ThisProcess.environment("TMPDIR") ?? source.temporary
    source.restores = restores
    let made = try Engine.clone(
      .bundles(source), to: folder, name: name, assets: nil, settings(of: nil, isWriting: true, cancellation))
    made.database.close()
    return (try Database(path: made.database.path, self), made)
  }
}
