import SeaCore
import SeaEngine
import SeaSystem
import SeaWords

/// A page as a file: there with all of it, or not there.
struct PageFile {
  private let session: Session
  private let place: any InspectedPlace
  private let name: String
  private let database: Database?
  private static let mostConflicts = 50

  init(_ session: Session, _ place: any InspectedPlace, named name: String, _ database: Database?) {
    (self.session, self.place, self.name, self.database) = (session, place, name, database)
  }

  /// - Parameter force: whether a file that is there is replaced.
  func write(_ file: String, force: Bool) throws -> ExitStatus {
    let path = session.path(file)
    try Location.checkWritable(path, of: database?.folder)
    // Nobody waits for a page that cannot be kept.
    if let kind = try Path.statusFollowing(path)?.kind, kind != .file { throw SystemError.wrongKind(path, kind) }
    if Path.meansOpenFile(path) { throw SystemError.wrongKind(path, .other) }
    if !force, try Path.exists(path) { throw CommandError.fileExists(file) }
    let overview = try PlaceOverview(place)
    let isOurs = database.map { $0.databaseID == place.facts.database } ?? false
    let names = isOurs ? try database?.members.names() ?? [:] : [:]
    var page = Page(session.terminal, place, named: name, overview, names, try conflicts())
    let text = try page.make()
    do throws(SystemError) { try AtomicFile.write(path, Array(text.utf8), replace: force) } catch {
      if error.isExisting { throw CommandError.fileExists(file) }
      throw error
    }
    try session.terminal.report(
      "written",
      [
        "file": .text(file), "bytes": .integer(text.utf8.count), "chains": .integer(overview.chains.count),
        "blocks": .integer(overview.blocks.count), "more_blocks": .integer(overview.moreBlocks),
        "records": .integer(overview.records.count),
      ]
    ) {
      let more = overview.moreBlocks > 0 ? ", \(overview.moreBlocks) older ones not shown" : ""
      return [
        "\(file): \(Count(overview.chains.count, "chain")), \(Count(overview.blocks.count, "block"))\(more), \(SizeText.of(Int64(text.utf8.count)))"
      ]
    }
    return overview.problems.contains(where: \.isDamage) ? .corrupt : .success
  }

  private func conflicts() throws -> Page.Conflicts? {
    guard let database, place is InspectedStore else { return nil }
    let first = try Array(database.conflicts.ids().prefix(PageFile.mostConflicts))
    return Page.Conflicts(first: first, all: try database.conflicts.count()) {
      try database.conflicts.conflict(of: $0, inShort: true)
    }
  }
}
