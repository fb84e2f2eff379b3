internal import SeaEngine
internal import SeaSystem

extension Database {
  /// Replaces this database by a new instance, cloned from a container: for example, after the user has changed the
  /// account, or because another device writes as this instance.
  ///
  /// The new instance is cloned beside the old one and then takes its place in a single step. If anything fails, and
  /// even after a crash, the folder contains either the old database or the new one. All state of the old instance is
  /// removed: its keys, settings, hooks, containers, and assets that were not pushed. The new instance has the container
  /// as `origin`.
  ///
  /// This object continues with the new database. Live lists run again, and ``changes(since:of:)-(_,String?)`` throws
  /// `expired` for positions of the old database. Other processes that have the folder open are safe: a write that is
  /// running completes first, so it counts below. Later writes to the old database fail with the code `system`, and
  /// nothing is written. Other `Database` objects open the new database at their next call if it has the same id;
  /// otherwise, they throw `incompatible`.
  /// - Parameters:
  ///   - container: the location of the container. It may contain another database with the same content type.
  ///   - name: the display name of the new instance.
  ///   - discarding: whether to discard blocks and assets that no container has, as far as this instance knows.
  ///   - progress: receives the progress on another thread; it must return quickly.
  /// - Throws: `refused` if blocks or assets would be lost, the message has their numbers; `incompatible` if the content
  ///   type differs; `partial` if the container is incomplete; and the errors of ``clone(_:to:name:_:)``.
  public func replace(
    from container: String, name: String, discarding: Bool = false, progress: (@Sendable (Progress) -> Void)? = nil
  ) async throws {
    try options.requireWriting()
    let replacement = try await SerialThread.made().result(Log(options.log)) { [path, options] cancellation in
      var settings = options.settings(of: nil, isWriting: true, cancellation)
      settings.report = Progress.report(progress)
      return Handover(made: try Replacement(of: path, from: container, name: name, settings))
    }
    try await writer.run { [identity] engine in
      try identity.becoming(replacement.made.databaseID) {
        try replacement.made.exchange(for: engine) { loss in
          guard discarding || loss.isNothing else { throw SeaError(loss) }
        }
      }
    }
    await close()
    writeNotifier.ring()
  }

  /// A replacement, which only one thread uses at a time.
  private struct Handover: @unchecked Sendable { let made: Replacement }
}

extension SeaError {
  fileprivate init(_ loss: Replacement.Loss) {
    func count(_ number: Int, _ one: String) -> String? {
      number == 0 ? nil : "\(number) \(one)\(number == 1 ? "" : "s")"
    }
    let lost = [count(loss.blocks, "block"), count(loss.files, "asset file")].compactMap { $0 }
    self.init(
      .refused,
      "this instance has \(lost.joined(separator: " and ")) that no container has; sync first, or discard them",
      ["blocks": "\(loss.blocks)", "assets": "\(loss.files)"])
  }
}
