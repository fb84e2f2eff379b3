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
    if all.isEmpty || context.options.porcelain || context.options.quiet && !context.options.json { return }
    if context.options.json { return try all.forEach(event) }
    for one in all.prefix(MergedLines.most) {
      let paths = one.paths.map { path in
        path.path.pointer + (path.author.map { " by \(name($0))" } ?? "")
      }
      let what = paths.isEmpty ? "" : ": " + paths.joined(separator: ", ")
      try context.line(
        context.shown("merged: \(one.id) \(context.short(one.revision)) (\(ResolveReport.words(one.how))\(what))"))
    }
    if all.count > MergedLines.most { try context.line("merged: and \(all.count - MergedLines.most) more") }
  }

  private func name(_ instance: UUID) -> String {
    let name = names[instance] ?? ""
    return name.isEmpty ? context.short(instance) : name
  }

  private func event(_ one: Merged) throws {
    try context.object { object in
      object.text("event", "merged")
      object.text("id", one.id)
      object.text("type", one.type)
      object.text("rev", one.revision.description)
      object.texts("leaves", one.leaves.map(\.description))
      object.text("how", ResolveReport.words(one.how))
      object.texts("paths", one.paths.map(\.path.pointer))
    }
  }
}
