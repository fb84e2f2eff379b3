import SeaCore

/// The meaning of a path: a file of the layout, or any other file.
package enum FilePlace: Hashable {
  case info
  case block(BranchID, UInt32)
  case folded(BranchID, UInt32)
  case asset(AssetPlace)
  case small(SmallFolder, String)
  case other(String)

  package init(_ path: String) {
    let parts = path.split(separator: "/", maxSplits: 2)
    self = .other(path)
    switch parts.first.map(String.init) {
    case Layout.info? where parts.count == 1: self = .info
    case Layout.transactions? where parts.count > 2:
      if let branch = BranchID(String(parts[1])) { self = FilePlace(path, of: branch, parts[2]) }
    case Layout.assets? where parts.count > 2:
      guard let instance = UUID(String(parts[1])), let index = Layout.index(ofPath: parts[2]) else { return }
      self = .asset(AssetPlace(instance: instance, index: index))
    case let name? where parts.count == 2:
      guard let folder = SmallFolder(rawValue: name), folder.allows(String(parts[1])) else { return }
      self = .small(folder, String(parts[1]))
    default: return
    }
  }

  /// - Parameter rest: the path below the folder of the branch.
  init(_ path: String, of branch: BranchID, _ rest: Substring) {
    if let index = Layout.index(ofPath: rest) {
      self = .block(branch, index)
    } else if rest.hasSuffix(Layout.foldedSuffix),
      let first = Layout.index(ofPath: rest.dropLast(Layout.foldedSuffix.utf8.count) + "/0"),
      Layout.Leaf(containing: first).foldedPath == rest
    {
      self = .folded(branch, first)
    } else {
      self = .other(path)
    }
  }

  var isOther: Bool { if case .other = self { true } else { false } }

  var isBlock: Bool { if case .block = self { true } else { false } }

  package var path: String {
    switch self {
    case .info: Layout.info
    case .block(let branch, let index): "\(Layout.transactions)/\(branch)/\(Layout.path(of: index))"
    case .folded(let branch, let first):
      "\(Layout.transactions)/\(branch)/\(Layout.Leaf(containing: first).foldedPath)"
    case .asset(let place): place.path
    case .small(let folder, let name): folder.path(of: name)
    case .other(let path): path
    }
  }
}

/// Parses successive paths, most of which are in the same branch as the previous path.
struct PathReader {
  private var branch: BranchID?
  private var folder = ""

  mutating func parse(_ path: String) -> FilePlace {
    if let branch, path.hasPrefix(folder) {
      return FilePlace(path, of: branch, path[path.utf8.index(path.startIndex, offsetBy: folder.utf8.count)...])
    }
    let place = FilePlace(path)
    switch place {
    case .block(let found, _), .folded(let found, _): (branch, folder) = (found, "\(Layout.transactions)/\(found)/")
    default: break
    }
    return place
  }
}
