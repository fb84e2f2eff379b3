import SeaSystem

/// Tells who asks what appears in a folder, as it appears.
struct FolderNews {
  /// A request for more is one for this: seconds.
  static let longest: Int64 = 600
  /// After so long it says that it still looks: nanoseconds. Nobody is woken up more often while nothing happens.
  private static let patience: Int64 = 50_000_000_000
  /// How often is looked for a folder that is not there at all.
  private static let pause: Int64 = 1_000_000_000

  let path: String
  let wire: ServerWire

  /// Tells until the time has passed, something else is asked, or nobody listens any more.
  /// - Returns: false where nobody tells this process of what appears.
  func run(seconds: Int64) throws -> Bool {
    let watch = try FileWatch(stops: false)
    guard FileSystem.tellsOfChanges(Path.parent(path)) else { return false }
    var isThere = look(watch)
    let ends = Clock.monotonic() + min(seconds, FolderNews.longest) * 1_000_000_000
    try say(.wait)
    var said = Clock.monotonic()
    while true {
      let now = Clock.monotonic()
      if now >= ends { return true }
      let due = min(ends, said + FolderNews.patience)
      let wake = try wire.wait(watch, nanoseconds: min(due - now, isThere ? .max : FolderNews.pause))
      if wake.isAddressed || wake.readerIsGone { return true }
      var folders = Set(wake.changes.filter(FolderNews.counts).map(\.folder))
      if wake.isOverfull { folders.insert(path) }
      let wasThere = isThere
      if !wake.isEmpty || !isThere { isThere = look(watch) }
      if isThere, !wasThere { folders.insert(path) }
      for folder in folders.sorted() {
        let below = folder.hasPrefix(path + "/") ? String(folder.dropFirst(path.utf8.count + 1)) : nil
        try wire.answer(.news(below.flatMap { WirePath.isPath($0) ? $0 : nil }))
        said = Clock.monotonic()
      }
      if Clock.monotonic() >= said + FolderNews.patience {
        try wire.answer(.wait)
        said = Clock.monotonic()
      }
      try wire.flush()
    }
  }

  private func say(_ answer: Wire.Answer) throws(SystemError) {
    try wire.answer(answer)
    try wire.flush()
  }

  /// What is in the making has not appeared yet.
  private static func counts(_ change: (folder: String, name: String)) -> Bool {
    !Layout.isTemporary(change.name) && !DirectoryContainer.isMark(change.name)
  }

  /// Has the kernel look at all folders that count now, those that are made meanwhile among them.
  /// - Returns: whether there is a container.
  private func look(_ watch: FileWatch) -> Bool {
    var last: [String] = []
    for _ in 0..<8 {
      let found = NewsFolders(of: path).folders
      if found == last { break }
      _ = watch.look(at: found)
      last = found
    }
    return last.contains(path)
  }
}
