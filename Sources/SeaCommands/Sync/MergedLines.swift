import SeaCore
import SeaEngine

struct MergedLines {
  private let session: Session
  private let names: [UUID: String]
  /// The maximum number of merges to show. Further merges are only counted; `sea log` lists them.
  private static let most = 20

  init(_ session: Session, _ database: Database) throws {
    self.session = session
    names = try database.members.names()
  }

  func report(_ all: [Merged]) throws {
    for (k, one) in all.enumerated() {
      if k >= MergedLines.most, !session.options.json { break }
      try session.terminal.report("merged", item(one)) {
        let paths = one.paths.map { path in path.path.pointer + (path.author.map { " by \(name($0))" } ?? "") }
        let what = paths.isEmpty ? "" : ": " + paths.joined(separator: ", ")
        return "merged: \(one.id) \(session.terminal.short(one.revision)) (\(one.how.words)\(what))"
      }
    }
    if all.count > MergedLines.most { try session.terminal.remark("merged: and \(all.count - MergedLines.most) more") }
  }

  private func name(_ instance: UUID) -> String {
    let name = names[instance] ?? ""
    return name.isEmpty ? session.terminal.short(instance) : name
  }

  private func item(_ one: Merged) -> Item {
    [
      "id": .id(one.id), "type": .text(one.type), "rev": .id(one.revision), "leaves": .texts(one.leaves),
      "how": .text(one.how.words), "paths": .texts(one.paths.map(\.path.pointer)),
    ]
  }
}
