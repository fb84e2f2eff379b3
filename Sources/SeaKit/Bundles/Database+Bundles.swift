internal import SeaCore
internal import SeaEngine
internal import SeaSystem

extension Database {
  /// Creates a new instance of the database in a bundle, with all its content.
  /// - Parameters:
  ///   - options: how the database is opened.
  ///   - path: a full bundle (of volumes, any of them), or an exchange directory, whose bundles are imported as far as
  ///     possible. `bundles.import(allIn:)` then reports the errors of the others.
  ///   - folder: the folder in which `.sea` is created.
  ///   - name: the name of the instance, for people.
  /// - Throws: an error, and nothing is left in the folder: `incompatible` if it is not a bundle, `base-missing` if it
  ///   is not full, or errors for damage, a wrong password, or an existing database.
  public static func clone(
    bundle path: String, to folder: String, name: String, _ options: Options = Options()
  ) async throws -> Database {
    try await Lane.made().result {
      try options.made(from: path, in: folder, name, restores: false, $0).database
    }
  }

  /// Restores a backup as a new instance with the settings of the original one. Settings that could run a program are
  /// not restored. Backups have no keys: a database that is encrypted needs its password or the recovery key.
  /// - Parameters:
  ///   - options: how the database is opened.
  ///   - path: a bundle exported with `isBackup`, or a directory with several, which are imported in order.
  ///   - folder: the folder in which `.sea` is created.
  ///   - name: the name of the instance, for people.
  /// - Throws: the errors of `clone(bundle:)`.
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
  /// Creates a database from the bundles at a path.
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
