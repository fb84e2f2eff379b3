import SeaSystem

/// The folders of a container in which other instances' changes appear.
package struct ObservedFolders {
  package private(set) var folders: [String] = []
  /// Whether every change made by another instance appears in one of the folders.
  package private(set) var isComplete = false

  private static let most = 4096

  /// - Parameter own: the chain to ignore.
  package init(of place: String, without own: String? = nil) {
    func isFolder(_ path: String) -> Bool { ((try? Path.statusFollowing(path)) ?? nil)?.kind == .directory }
    let blocks = Path.join(place, Layout.transactions)
    guard isFolder(blocks) else {
      // The parent folder changes when the container becomes available again.
      folders = [place, Path.parent(place)].filter(isFolder)
      return
    }
    isComplete = FileSystem.reportsAllChanges(place)
    folders = [place, blocks] + SmallFolder.allCases.map { Path.join(place, $0.rawValue) }.filter(isFolder)
    for entry in (try? Directory(blocks).list().entries) ?? [] where entry.kind == .directory && entry.name != own {
      // New blocks of a chain appear in its last folder.
      var last: String? = Path.join(blocks, entry.name)
      while let path = last {
        guard folders.count < ObservedFolders.most else {
          isComplete = false
          return
        }
        folders.append(path)
        let inner = ((try? Directory(path).list().entries) ?? []).filter { $0.kind == .directory }
        last = inner.compactMap { Layout.digit($0.name) }.max().map { Path.join(path, String($0)) }
      }
    }
  }
}
