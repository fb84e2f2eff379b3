import SeaContainer
import SeaCore
import SeaSystem

/// Where to look, so as to learn that others have put something into a container.
package struct WatchedFolders: Sendable {
  /// Folders in which something appears then.
  package var folders: [String] = []
  /// Whether that is enough: nothing can come without something appearing in one of them.
  package var isComplete = false
}

extension Containers {
  /// Of more folders nobody is told.
  private static let mostWatched = 4096

  /// What this instance puts there itself appears in none of the folders.
  package func watched(_ setting: ContainerSetting) -> WatchedFolders {
    var watched = WatchedFolders()
    guard let place = HelperPlace.path(of: setting.location) else { return watched }
    func isFolder(_ path: String) -> Bool { ((try? Path.statusFollowing(path)) ?? nil)?.kind == .directory }
    let blocks = Path.join(place, Layout.transactions)
    guard isFolder(blocks) else {
      // What brings it back may be seen where it stood.
      watched.folders = [place, Path.parent(place)].filter(isFolder)
      return watched
    }
    watched.isComplete = FileSystem.tellsOfChanges(place)
    watched.folders = [place, blocks] + SmallFolder.allCases.map { Path.join(place, $0.rawValue) }.filter(isFolder)
    let own = folder.instance.description
    for entry in (try? Directory(blocks).list().entries) ?? [] where entry.kind == .directory && entry.name != own {
      // Chains grow at their ends.
      var last: String? = Path.join(blocks, entry.name)
      while let path = last {
        guard watched.folders.count < Containers.mostWatched else {
          watched.isComplete = false
          return watched
        }
        watched.folders.append(path)
        let inner = ((try? Directory(path).list().entries) ?? []).filter { $0.kind == .directory }
        last = inner.compactMap { Layout.digit($0.name) }.max().map { Path.join(path, String($0)) }
      }
    }
    return watched
  }
}
