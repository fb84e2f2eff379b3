import SeaContainer
import SeaSystem

extension Location {
  /// Why a folder is a bad place for a `.sea`.
  package enum Hazard: Equatable, Sendable {
    /// A program copies the folder elsewhere, file by file, while they change.
    case synchronised(by: String)
    /// The medium is made to be pulled out.
    case removable
  }

  /// What the path alone says, and a mark of Syncthing in a folder above.
  package static func hazard(of folder: String) -> Hazard? {
    guard let path = try? Path.absolute(folder) else { return nil }
    let clients = [
      "Dropbox", "OneDrive", "Google Drive", "GoogleDrive", "Nextcloud", "ownCloud", "iCloud", "Syncthing",
    ]
    for part in path.split(separator: "/") {
      if let client = clients.first(where: { part.hasPrefix($0) }) { return .synchronised(by: client) }
    }
    for above in Path.upwards(from: path) where (try? Path.exists(Path.join(above, ".stfolder"))) ?? false {
      return .synchronised(by: "Syncthing")
    }
    return path.hasPrefix("/media/") || path.hasPrefix("/run/media/") ? .removable : nil
  }

  /// Where a clone goes if nobody says where: the last component of its source, without what stands behind a dot.
  package static func folder(forCloneOf location: String) -> String {
    var name = Path.name(location)
    if HelperPlace.scheme(of: location) != nil, let colon = name.lastIndex(of: ":") {
      name = String(name[name.index(after: colon)...])
    }
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}
