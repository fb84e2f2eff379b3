import SeaCore
import SeaSystem

/// Every name in a container that the layout does not know.
struct LayoutWalk {
  let folders: ContainerFolders

  /// The folders without which something of the database is missing. What `requests` and `heads` have, others can do without.
  static let needed: Set<String> = [Layout.transactions, Layout.assets, SmallFolder.keys.rawValue]

  /// - Throws: `inTheWay` for a file where such a folder belongs: what is in that was nowhere to be looked for.
  func foreignFiles() throws(ContainerError) -> ForeignFiles {
    var found = ForeignFiles()
    if let file = try folders.entries(folders.root()).entries.first(where: {
      $0.kind == .file && Self.needed.contains($0.name)
    }) {
      throw .inTheWay(path: Path.join(folders.location, file.name))
    }
    try walk(try folders.root(), "", &found, Self.meaning)
    found.unknown.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    found.temporary.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return found
  }

  /// How much of a path the layout does not know, from the front; nil if it knows all of it, or it was set aside.
  static func unknownPart(of parts: [String]) -> String? {
    var place: Place?
    for (depth, name) in parts.enumerated() {
      if Layout.isAside(name) { return nil }
      let kind = depth + 1 < parts.count ? FileKind.directory : .file
      switch place.map({ meaning(of: name, kind, in: $0) }) ?? meaning(of: name, kind) {
      case .known: return nil
      case .unknown: return parts[...depth].joined(separator: "/")
      case .folder(let below): place = below
      }
    }
    return nil
  }

  private static func meaning(of name: String, _ kind: FileKind) -> Meaning {
    switch (name, kind) {
    case (Layout.info, .file): .known
    // Of a bundle that was unpacked here.
    case (BundlePath.manifest, .file), (BundlePath.end, .file), (BundlePath.backupFolder, .directory): .known
    case (Layout.transactions, .directory): .folder(.chains(foldable: true))
    case (Layout.assets, .directory): .folder(.chains(foldable: false))
    case (let name, .directory): SmallFolder(rawValue: name).map { .folder(.small($0)) } ?? .unknown
    default: .unknown
    }
  }

  private enum Place {
    case chains(foldable: Bool)
    case chain(foldable: Bool)
    case digits(Layout.Folder, foldable: Bool)
    case small(SmallFolder)
  }

  private enum Meaning {
    case known
    case folder(Place)
    case unknown
  }

  private func walk(
    _ folder: Directory, _ path: String, _ found: inout ForeignFiles, _ meaning: (String, FileKind) -> Meaning
  ) throws(ContainerError) {
    let listing = try folders.entries(folder)
    found.unknown += listing.unreadable.map { Path.join(path, $0) }
    for entry in listing.entries {
      let entryPath = Path.join(path, entry.name)
      if entry.kind == .file, Layout.isTemporary(entry.name) {
        found.temporary.append(entryPath)
        continue
      }
      // It says what it is, and is nobody's error any more once the good one stands.
      if Layout.isAside(entry.name) { continue }
      switch meaning(entry.name, entry.kind) {
      case .known: continue
      case .unknown: found.unknown.append(entryPath)
      case .folder(let place):
        guard let below = try folders.subfolder(entry.name, of: folder) else { continue }
        try walk(below, entryPath, &found) { name, kind in Self.meaning(of: name, kind, in: place) }
      }
    }
  }

  private static func meaning(of name: String, _ kind: FileKind, in place: Place) -> Meaning {
    switch place {
    case .chains(let foldable):
      // Assets belong to an instance, whatever branches its chain has.
      let chain = BranchID(name)
      return kind == .directory && chain != nil && (foldable || chain?.fork == nil)
        ? .folder(.chain(foldable: foldable)) : .unknown
    case .chain(let foldable):
      if kind == .file { return foldable && name == "1" + Layout.foldedSuffix ? .known : .unknown }
      guard kind == .directory, let digits = Layout.digit(name), let top = Layout.Folder(digits: digits) else {
        return .unknown
      }
      return .folder(.digits(top, foldable: foldable))
    case .digits(let folder, let foldable):
      if let digit = Layout.digit(name), let below = folder.entry(digit) {
        switch (folder.isLeaf, kind) {
        case (true, .file): return .known
        case (false, .directory): return .folder(.digits(below, foldable: foldable))
        default: return .unknown
        }
      }
      let holdsLeaves = foldable && folder.depth == folder.digits - 2
      if holdsLeaves, kind == .file, let digit = Layout.foldedDigit(name), folder.entry(digit) != nil { return .known }
      return .unknown
    case .small(let folder): return kind == .file && folder.allows(name) ? .known : .unknown
    }
  }
}
