import SeaCore
import SeaKit

/// Tells of conflicts that ended by themselves.
struct MergedLines {
  private let context: Context
  private let names: [UUID: String]
  /// More are counted only: `sea log` has them all.
  private static let most = 20

  init(_ context: Context, _ database: Database) throws {
    self.context = context
    names = try database.instanceNames()
  }

  func report(_ all: [Merged]) throws {
    for (k, one) in all.enumerated() {
      if k >= MergedLines.most, !context.options.json { break }
      try context.report("merged", item(one)) {
        let paths = one.paths.map { path in path.path.pointer + (path.author.map { " by \(name($0))" } ?? "") }
        let what = paths.isEmpty ? "" : ": " + paths.joined(separator: ", ")
        return "merged: \(one.id) \(context.short(one.revision)) (\(one.how.words)\(what))"
      }
    }
    if all.count > MergedLines.most { try context.remark("merged: and \(all.count - MergedLines.most) more") }
  }

  private func name(_ instance: UUID) -> String {
    let name = names[instance] ?? ""
    return name.isEmpty ? context.short(instance) : name
  }

  private func item(_ one: Merged) -> Item {
    [
      "id": .id(one.id), "type": .text(one.type), "rev": .id(one.revision), "leaves": .texts(one.leaves),
      "how": .text(one.how.words), "paths": .texts(one.paths.map(\.path.pointer)),
    ]
  }
}
