import SeaCore
import SeaSystem

/// The files in a container that are not part of the layout. Paths are relative to the top. Unknown folders are listed
/// without their content.
package struct ForeignFiles: Equatable, Sendable {
  package var unknown: [String] = []
  /// Temporary files that are in use or that killed writers left behind.
  package var temporary: [String] = []

  package init(unknown: [String] = [], temporary: [String] = []) {
    self.unknown = unknown
    self.temporary = temporary
  }
}

extension ForeignFiles {
  /// The folders that the database requires. The folders for access requests and summary files are optional.
  private static let needed: Set<String> = [Layout.transactions, Layout.assets, SmallFolder.keys.rawValue]

  /// Adds an entry unless it is part of the layout.
  /// - Throws: `nameTaken` if a file has the name of a required folder, because the folder's content is then
  ///   inaccessible.
  mutating func add(_ place: FilePlace, _ entry: ContainerNames.Entry, at location: String) throws(ContainerError) {
    let isFile = entry.size >= 0
    guard place.isOther || !isFile else { return }
    let path = place.path
    if isFile, Self.needed.contains(path) { throw .nameTaken(path: Path.join(location, path)) }
    let parts = path.split(separator: "/").map(String.init)
    if isFile, Layout.isTemporary(parts.last!) {
      temporary.append(path)
    } else if let part = place.isOther ? Layout.unknownPart(of: parts) : path, unknown.last != part {
      unknown.append(part)
    }
  }

  mutating func sort() {
    func sorted(_ paths: [String]) -> [String] { Set(paths).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
    (unknown, temporary) = (sorted(unknown), sorted(temporary))
  }
}

extension Layout {
  /// Returns the shortest leading part of a path that is outside of the layout. Returns nil if there is no such part or
  /// the file is quarantined.
  fileprivate static func unknownPart(of parts: [String]) -> String? {
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
    // These files come from a bundle that was unpacked into the container.
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

  private static func meaning(of name: String, _ kind: FileKind, in place: Place) -> Meaning {
    switch place {
    case .chains(let foldable):
      // Assets belong to an instance, not to a branch of its chain.
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
