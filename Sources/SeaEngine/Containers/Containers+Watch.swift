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
  /// What this instance puts there itself appears in none of the folders.
  package func watched(_ setting: ContainerSetting) -> WatchedFolders {
    guard let place = HelperPlace.path(of: setting.location) else { return WatchedFolders() }
    let found = NewsFolders(of: place, without: folder.instance.description)
    return WatchedFolders(folders: found.folders, isComplete: found.isComplete)
  }
}
