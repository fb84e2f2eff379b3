import SeaCore
import SeaSystem

// Assets that were purged: nothing of them is to be left, in whatever state.

extension AssetTree {
  /// Whether anything of a file is there: itself, what was set aside of it, or what is being made.
  package func has(_ place: AssetPlace) throws(ContainerError) -> Bool {
    for (folder, name) in try traces(of: place)
    where try system({ () throws(SystemError) in try folder.status(name) }) != nil {
      return true
    }
    return false
  }

  /// Takes all of that away for good; durable when this returns.
  package func purge(_ place: AssetPlace) throws(ContainerError) {
    for (folder, name) in try traces(of: place) {
      try system { () throws(SystemError) in
        _ = try folder.remove(name)
        try folder.synchronize()
      }
    }
  }

  private func traces(of place: AssetPlace) throws(ContainerError) -> [(Directory, String)] {
    var found: [(Directory, String)] = []
    if let (folder, name) = try home(of: place) {
      for entry in try system({ () throws(SystemError) in try folder.list() }).entries
      where entry.kind == .file
        && (entry.name == name || Layout.isAside(entry.name) && Layout.asideName(entry.name) == name)
      {
        found.append((folder, entry.name))
      }
    }
    if let top = try folder(named: [Layout.assets]) {
      let draft = AssetTree.draftName(of: place)
      if try system({ () throws(SystemError) in try top.status(draft) }) != nil { found.append((top, draft)) }
    }
    return found
  }
}
