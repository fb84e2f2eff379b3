internal import SeaCore
internal import SeaEngine
internal import SeaSystem

extension Database {
  /// Creates a new instance of a database from a bundle. If cloning fails, nothing is left in the folder.
  /// - Parameters:
  /// - path: a full bundle, any of its volumes, or an exchange directory. Bundles in the directory that cannot be
  /// imported are skipped; to get their errors, call `bundles.import(allIn:)`.
  ///   - folder: the folder in which `.sea` is created.
  ///   - name: the display name of the new instance.
  ///   - options: the options for opening the database.
  /// - Throws: `incompatible` if the path is not a bundle, `base-missing` if the bundle is not full, and other errors
  ///   if the bundle is damaged, the password is wrong or a database already exists.
  public static func clone(
    bundle path: String, to folder: String, name: String, _ options: Options = Options()
  ) async throws -> Database {
    try await SerialThread.made().result(Log(options.log)) {
      try options.made(from: path, in: folder, name, restores: false, $0).database
    }
  }

  /// Restores a backup as a new instance with the original instance's settings, except those that can run a program.
  /// Backups contain no keys, so an encrypted database requires its password or the recovery key.
  /// - Parameters:
  /// - path: a bundle exported with `isBackup`, or a directory that contains such bundles.
  ///   - folder: the folder in which `.sea` is created.
  ///   - name: the display name of the new instance.
  ///   - options: the options for opening the database.
  /// - Throws: the errors of `clone(bundle:)`.
  public static func restore(
    from path: String, to folder: String, name: String, _ options: Options = Options()
  ) async throws -> RestoredBackup {
    try await SerialThread.made().result(Log(options.log)) { cancellation in
      let (database, cloned) = try options.made(from: path, in: folder, name, restores: true, cancellation)
      return RestoredBackup(
        database: database, settings: cloned.restored.settings, omittedSettings: cloned.restored.programs,
        disabledHooks: cloned.restored.hooks, failures: cloned.failures.map { SeaError(known: $0) })
    }
  }

}

extension Database.Options {
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
