import SeaCore
import SeaSystem

/// The names and sizes of a branch's files in a container, gathered without reading any content.
package struct BranchSurvey: Equatable, Sendable {
  package struct Single: Equatable, Sendable {
    package var index: UInt32
    /// The size of an entry in bytes; −1 if the entry is not a file.
    package var size: Int64
    /// The time of the last change, if known. The time is only a hint.
    package var changed: Int64

    package init(index: UInt32, size: Int64, changed: Int64 = 0) {
      self.index = index
      self.size = size
      self.changed = changed
    }
  }

  package struct Pack: Equatable, Sendable {
    package var first: UInt32
    package var size: Int64
    package var changed: Int64

    package init(first: UInt32, size: Int64, changed: Int64 = 0) {
      self.first = first
      self.size = size
      self.changed = changed
    }
  }

  package var singles: [Single] = []
  package var folded: [Pack] = []
  /// The indices of the blocks for which a cloud client has left a placeholder. A pack file counts by its first index.
  package var placeholders: Set<UInt32> = []
  /// The index ranges of folders for which a cloud client has left a placeholder. The ranges are sorted and do not
  /// overlap.
  package private(set) var promised: [ClosedRange<UInt32>] = []
  package var placeholderFiles: [UnknownFile] = []
  package var strays: [UnknownFile] = []
  /// The paths of temporary files older than an hour, which interrupted writers left behind.
  package var temporaries: [String] = []

  package init() {}

  package var first: UInt32? { [singles.first?.index, folded.first?.first].compactMap { $0 }.min() }
  package var last: UInt32? {
    [singles.last?.index, folded.last.map { Layout.Leaf(containing: $0.first).last }].compactMap { $0 }.max()
  }

  /// Returns the number of blocks from an index on, judging by file names. A pack file counts as all of its blocks.
  package func count(from index: UInt32) -> Int {
    singles.count { $0.index >= index }
      + folded.reduce(0) { sum, file in
        let last = Layout.Leaf(containing: file.first).last
        return sum + (last < index ? 0 : Int(last - max(file.first, index)) + 1)
      }
  }

  /// Whether a full folder still has single files, or single files exist next to their pack file. The result is false
  /// while placeholders exist. A folder that is too large to be packed does not count.
  package var hasUnfolded: Bool {
    guard placeholders.isEmpty, promised.isEmpty else { return false }
    let files = Set(folded.map(\.first))
    var (leaf, count, size): (UInt32?, UInt32, Int64) = (nil, 0, 0)
    for single in singles {
      let first = Layout.Leaf(containing: single.index).first
      guard single.size >= Int64(BlockHeader.size) else { continue }
      if files.contains(first) { return true }
      if leaf != first { (leaf, count, size) = (first, 0, 0) }
      count += 1
      size = size.addingReportingOverflow(single.size).overflow ? .max : size + single.size
      if count == Layout.leafSize, size <= Layout.largestFold { return true }
    }
    return false
  }

  package var lastFile: UInt32? {
    let single = singles.last { $0.size >= 0 }?.index
    return [single, folded.last.map { Layout.Leaf(containing: $0.first).last }].compactMap { $0 }.max()
  }

  /// Returns the first index, before that of the last file, whose file is missing or too small for a block.
  /// - Parameter start: the first index of the branch; nil to use the first name.
  package func gap(from start: UInt32?) -> UInt32? {
    guard let first, let last = lastFile else { return nil }
    var next = start ?? first
    var files = folded[...]
    for single in singles where single.index <= last {
      while let file = files.first, file.first <= next {
        next = max(next, Layout.Leaf(containing: file.first).last &+ 1)
        files = files.dropFirst()
      }
      if single.index < next { continue }
      guard single.index == next, single.size >= Int64(BlockHeader.size) else { return next }
      if next == last { return nil }
      next += 1
    }
    for file in files where file.first >= next {
      guard file.first == next else { return next }
      next = Layout.Leaf(containing: file.first).last &+ 1
    }
    return nil
  }

  package func isPromised(_ index: UInt32) -> Bool {
    placeholders.contains(index) || placeholders.contains(Layout.Leaf(containing: index).first)
      || promisedFolder(of: index) != nil
  }

  /// Returns the index range of the folder that contains the block, if the folder has a placeholder; otherwise nil.
  package func promisedFolder(of index: UInt32) -> ClosedRange<UInt32>? {
    var (low, high) = (0, promised.count)
    while low < high {
      let middle = low + (high - low) / 2
      if promised[middle].lowerBound <= index { low = middle + 1 } else { high = middle }
    }
    guard low > 0, promised[low - 1].contains(index) else { return nil }
    return promised[low - 1]
  }

  mutating func add(_ place: FilePlace, _ entry: ContainerNames.Entry) {
    switch place {
    case .block(_, let index): singles.append(Single(index: index, size: entry.size, changed: entry.changed))
    case .folded(_, let first): folded.append(Pack(first: first, size: entry.size, changed: entry.changed))
    case .other(let path): add(other: UnknownFile(path: path, size: entry.size, modified: entry.time))
    default: return
    }
  }

  private mutating func add(other file: UnknownFile) {
    let (folder, name) = (Path.parent(file.path), Path.name(file.path))
    if let stood = Layout.promised(by: name) {
      let place = Path.join(folder, stood)
      switch FilePlace(place) {
      case .block(_, let index), .folded(_, let index):
        placeholders.insert(index)
        if file.size >= 0, placeholderFiles.count < Layout.mostStrays { placeholderFiles.append(file) }
        return
      default: break
      }
      let parts = place.split(separator: "/", maxSplits: 2)
      if parts.count > 2, let below = Layout.folder(ofPath: String(parts[2])) { return promised.append(below.range) }
    }
    if Layout.isTemporary(name) {
      let isOld = file.modified < Clock.now() - Layout.oldTemporary
      if isOld, temporaries.count < Layout.mostStrays { temporaries.append(file.path) }
    } else if file.size >= 0, strays.count < Layout.mostStrays {
      strays.append(file)
    }
  }

  mutating func sort() {
    singles.sort { $0.index < $1.index }
    folded.sort { $0.first < $1.first }
    strays.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    promise([])
  }

  package mutating func promise(_ folders: [ClosedRange<UInt32>]) {
    guard !folders.isEmpty || promised.count > 1 else { return }
    var kept: [ClosedRange<UInt32>] = []
    for range in (promised + folders).sorted(by: { ($0.lowerBound, $1.upperBound) < ($1.lowerBound, $0.upperBound) })
    where kept.last.map({ range.upperBound > $0.upperBound }) ?? true {
      kept.append(range)
    }
    promised = kept
  }
}

/// A file outside of the layout, such as a cloud client's conflict copy or a quarantined file.
package struct UnknownFile: Equatable, Sendable {
  /// The path relative to the top of the container.
  package var path: String
  package var size: Int64
  /// The modification time in milliseconds since 1970. The time can be compared only with other times of the same file.
  package var modified: Int64
  /// The time of the last change of any kind, if known. The time is only a hint.
  package var changed: Int64

  package init(path: String, size: Int64, modified: Int64, changed: Int64 = 0) {
    self.path = path
    self.size = size
    self.modified = modified
    self.changed = changed
  }
}

extension UnknownFile {
  /// Returns nil unless the file is a regular file outside of the layout and outside of the folders for branches,
  /// assets and backups.
  init?(outsideBranches path: String, _ entry: ContainerNames.Entry) {
    let parts = path.split(separator: "/").map(String.init)
    guard entry.size >= 0, let first = parts.first, let name = parts.last, !Layout.isTemporary(name) else { return nil }
    switch first {
    case BundlePath.backupFolder: return nil
    case Layout.assets where parts.count > 2: return nil
    case BundlePath.manifest where parts.count == 1, BundlePath.end where parts.count == 1: return nil
    case Layout.transactions where parts.count > 2 && BranchID(parts[1]) != nil: return nil
    default: self.init(path: path, size: entry.size, modified: entry.time)
    }
  }
}

extension Layout {
  /// The maximum number of files outside of the layout to inspect.
  package static let mostStrays = 10_000
  private static let asideMark = ".damaged-"

  package static func aside(_ name: String, _ mark: String) -> String { name + asideMark + mark }

  package static func isAside(_ name: String) -> Bool { asideName(name) != nil }

  package static func asideName(_ name: String) -> String? {
    let bytes = name.utf8
    guard bytes.suffix(8).allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
      let whole = String(bytes.dropLast(8)), whole.hasSuffix(asideMark)
    else { return nil }
    return String(whole.dropLast(asideMark.count))
  }

  private static let litter: Set<String> = [".ds_store", "desktop.ini", "thumbs.db"]

  /// Whether operating systems create files with this name when a folder is opened.
  package static func isLitter(_ name: String) -> Bool {
    name.hasPrefix("._") || litter.contains(name.lowercased())
  }

  private static let placeholderEnds = [
    ".icloud", ".owncloud", ".nextcloud", ".cloud", ".cloudf", ".part", ".filepart", ".partial", ".crdownload",
    ".download", ".tmp",
  ]
  private static let placeholderStarts = [".syncthing.", "~syncthing~", ".~", "~", "."]

  /// Returns the name of the file that a placeholder represents. For example, a cloud client's `.2.icloud` represents
  /// `2`. Returns nil for other names.
  package static func promised(by name: String) -> String? {
    guard !isTemporary(name) else { return nil }
    if let end = placeholderEnds.first(where: { name.hasSuffix($0) }) {
      var rest = name.dropLast(end.count)
      if let start = placeholderStarts.first(where: { rest.hasPrefix($0) }) { rest = rest.dropFirst(start.count) }
      return rest.isEmpty ? nil : String(rest)
    }
    // rsync uses temporary names of the form `.NAME.XXXXXX`.
    guard name.hasPrefix("."), let dot = name.lastIndex(of: "."), name.distance(from: dot, to: name.endIndex) == 7
    else {
      return nil
    }
    let rest = name[..<dot].dropFirst()
    return rest.isEmpty ? nil : String(rest)
  }
}
