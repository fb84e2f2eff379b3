import SeaEngine

enum GcCommand: Command {
  static var title: Title {
    Title("gc", .care, .porcelain, needs: [.database, .lock], "free disk space that is no longer needed")
  }
  static var synopsis: [String] { ["[--assets] [-n]"] }
  static let assets = Option("assets", help: "also remove files of assets that no revision uses")
  static var options: [Option] { [assets, .dryRun] }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let least = try session.leastCopies()
    let isDry = arguments.has(.dryRun)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    // Complete interrupted purges.
    if !isDry { try database.purge.emptying.run() }
    let copies = arguments.has(assets) ? try session.copies(in: database) : nil
    let found = try database.assets.collection.collect(copies?.origins, least: least, dryRun: isDry)
    try session.terminal.report(
      isDry ? "would-collect" : "collected",
      [
        "bytes": .integer(found.bytes), "temporary_files": .integer(found.temporary.files),
        "temporary_bytes": .integer(found.temporary.bytes), "asset_files": .integer(found.assets.files),
        "asset_bytes": .integer(found.assets.bytes), "kept_files": .integer(found.kept.files),
        "kept_bytes": .integer(found.kept.bytes), "store_bytes": .integer(found.store),
      ]
    ) {
      words(found, isDry)
    }
    session.terminal.summarize(["bytes": .integer(found.bytes)])
    if found.kept.files > 0 {
      session.terminal.notice(
        "\(Count(found.kept.files, "unreferenced asset file")) kept, "
          + "\(SizeText.of(found.kept.bytes)): too few containers have a copy")
    }
    return .success
  }

  private static func words(_ found: GCResult, _ isDry: Bool) -> String {
    var parts: [String] = []
    if found.temporary.files > 0 {
      parts.append("\(Count(found.temporary.files, "temporary file")) \(SizeText.of(found.temporary.bytes))")
    }
    if found.assets.files > 0 {
      parts.append("\(Count(found.assets.files, "unreferenced asset")) \(SizeText.of(found.assets.bytes))")
    }
    if found.store > 0 { parts.append("store \(SizeText.of(found.store))") }
    guard !parts.isEmpty else { return "nothing to free" }
    let head = parts.count > 1 ? "\(SizeText.of(found.bytes)): " : ""
    return (isDry ? "would free " : "freed ") + head + parts.joined(separator: ", ")
  }
}
