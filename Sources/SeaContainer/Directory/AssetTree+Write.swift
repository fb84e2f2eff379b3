import SeaCore
import SeaSystem

extension AssetTree {
  /// Older than this, in milliseconds, a file in the making that nobody works on is no more gone on with.
  private static let oldDraft: Int64 = 7 * 86_400_000

  /// As `Container.writeAsset` promises.
  package func write(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    guard (0...AssetFile.largest).contains(size) else {
      throw ContainerError.badAsset(.tooLarge, path: place.path)
    }
    if try self.size(place) != nil { return try keep(place, size) }
    let oldest = Clock.now() - AssetTree.oldDraft
    let known = try draft(for: place)
    try? forEachDraft { _, status, _ in status.modified < oldest }
    // Where another one is at it, or nobody can tell, the file is made a second time; the first that is whole stays.
    let draft = try known ?? self.draft()
    do {
      try draft.fill(size, source)
      try take(draft, as: place)
    } catch {
      // What fills a disk, and what nobody finds again, is of no use there.
      if known == nil || error is WorthlessAsset { draft.discard() }
      if case ContainerError.system(let error) = error, error.isNoSpace { draft.discard() }
      throw error
    }
  }

  package func forEach(_ body: (AssetPlace, Int64) throws -> Void) throws {
    guard let top = try folder(named: [Layout.assets]) else { return }
    var instances: [UUID] = []
    for entry in try list(top) where entry.kind == .directory { UUID(entry.name).map { instances.append($0) } }
    for instance in instances.sorted() {
      for digits in 1...4 {
        guard let place = Layout.Folder(digits: digits),
          let folder = try folder(named: [Layout.assets, instance.description, String(digits)])
        else { continue }
        try walk(folder, place, instance, body)
      }
    }
  }

  private func list(_ folder: Directory) throws(ContainerError) -> [Directory.Entry] {
    try system { () throws(SystemError) in try folder.list().entries }
  }

  private func walk(
    _ folder: Directory, _ place: Layout.Folder, _ instance: UUID, _ body: (AssetPlace, Int64) throws -> Void
  ) throws {
    let digits = try list(folder).compactMap { entry in
      entry.kind == (place.isLeaf ? .file : .directory) ? Layout.digit(entry.name) : nil
    }
    for digit in digits.sorted() {
      guard let below = place.entry(digit) else { continue }
      if let index = below.index {
        // Gone since: then it is not there.
        guard let status = try folder.status(String(digit)), status.kind == .file else { continue }
        try body(AssetPlace(instance: instance, index: index), status.size)
      } else if let inner = try? folder.directory(String(digit)) {
        try walk(inner, below, instance, body)
      }
    }
  }
}
