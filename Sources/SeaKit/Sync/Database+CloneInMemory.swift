internal import SeaEngine
internal import SeaSystem

extension Database {
  /// Creates another instance of this database in memory, for tests with several devices.
  ///
  ///     let laptop = try await Database.inMemory()
  ///     let phone = try await laptop.cloneInMemory(name: "phone")
  ///
  /// This database is synced with a container in memory first. Both instances then exchange their changes through this
  /// container whenever they sync. The new instance has the options of this database.
  /// - Parameter name: the display name of the new instance.
  /// - Throws: `usage` if this database was not created by ``inMemory(_:name:_:)``; errors of the sync.
  public func cloneInMemory(name: String) async throws -> Database {
    guard folder.with({ $0 != nil }) else {
      throw SeaError(.usage, "'\(path)' is not a database in memory", ["path": path])
    }
    var shared = (name: "memory", location: "memory:shared")
    if let known = try await containers().first(where: { $0.location.hasPrefix("memory:") }) {
      shared = (known.name, known.location)
    } else {
      try await addContainer(shared.name, at: shared.location, creating: true)
    }
    if let error = try await sync(shared.name).outcomes.first?.error { throw error }
    return try await SerialThread.made().result(log) { [options, shared] cancellation in
      let folder = try TemporaryFolder(inMemory: "SeaKit")
      let made = try Engine.clone(
        shared.location, to: folder.path(of: "database"), name: name,
        options.settings(of: nil, isWriting: true, cancellation)
      ).database
      made.close()
      return try Database(path: made.path, options, folder: folder)
    }
  }
}
