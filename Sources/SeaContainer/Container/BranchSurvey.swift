import SeaCore
import SeaSystem

/// What the names and sizes in a container say of a branch: nothing was read.
package struct BranchSurvey: Equatable, Sendable {
  /// A block in a file of its own.
  package struct Single: Equatable, Sendable {
    package var index: UInt32
    /// −1 for what is no file.
    package var size: Int64
    /// When the file was last changed, as far as the place knows; a hint.
    package var changed: Int64

    package init(index: UInt32, size: Int64, changed: Int64 = 0) {
      self.index = index
      self.size = size
      self.changed = changed
    }
  }

  /// A thousand blocks in one file.
  package struct Folded: Equatable, Sendable {
    /// The first of them.
    package var first: UInt32
    package var size: Int64
    package var changed: Int64

    package init(first: UInt32, size: Int64, changed: Int64 = 0) {
      self.first = first
      self.size = size
      self.changed = changed
    }
  }

  /// In order of their indices.
  package var singles: [Single] = []
  package var folded: [Folded] = []
  /// The indices of blocks, of a folded file the first one, for which something stands that a cloud client will replace.
  package var placeholders: Set<UInt32> = []
  /// The indices of folders for which something stands that a cloud client will replace: in order, none within another.
  package private(set) var promised: [ClosedRange<UInt32>] = []
  /// The files that have the names of placeholders of blocks.
  package var standIns: [Stray] = []
  package var strays: [Stray] = []
  /// Paths of files in the making that are older than an hour: whoever was at them was stopped.
  package var temporaries: [String] = []

  package init() {}

  /// The first index that is named and the last.
  package var first: UInt32? { [singles.first?.index, folded.first?.first].compactMap { $0 }.min() }
  package var last: UInt32? {
    [singles.last?.index, folded.last.map { Layout.Leaf(containing: $0.first).last }].compactMap { $0 }.max()
  }

  /// How many names of blocks there are from an index on; a folded file has all of its own.
  package func count(from index: UInt32) -> Int {
    singles.count { $0.index >= index }
      + folded.reduce(0) { sum, file in
        let last = Layout.Leaf(containing: file.first).last
        return sum + (last < index ? 0 : Int(last - max(file.first, index)) + 1)
      }
  }

  /// Whether a full folder is there in single files, or single files lie beside a folded one. What a cloud client may still bring
  /// says nothing yet, and what a folded file has no room for stays as it is.
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

  /// The last index of which there is a file.
  package var lastFile: UInt32? {
    let single = singles.last { $0.size >= 0 }?.index
    return [single, folded.last.map { Layout.Leaf(containing: $0.first).last }].compactMap { $0 }.max()
  }

  /// The first index before the last file that nothing stands for, or only what is too small to be a block.
  /// - Parameter start: where the branch begins; nil if that is known by the names alone.
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

  /// Whether a cloud client says that it has what belongs in the place.
  package func isPromised(_ index: UInt32) -> Bool {
    placeholders.contains(index) || placeholders.contains(Layout.Leaf(containing: index).first)
      || promisedFolder(of: index) != nil
  }

  /// The indices of the folder that a block belongs in for which a placeholder stands; nil if none does.
  package func promisedFolder(of index: UInt32) -> ClosedRange<UInt32>? {
    var (low, high) = (0, promised.count)
    while low < high {
      let middle = low + (high - low) / 2
      if promised[middle].lowerBound <= index { low = middle + 1 } else { high = middle }
    }
    guard low > 0, promised[low - 1].contains(index) else { return nil }
    return promised[low - 1]
  }

  /// Adds a file of the branch.
  mutating func add(_ place: FilePlace, _ entry: ContainerNames.Entry) {
    switch place {
    case .block(_, let index): singles.append(Single(index: index, size: entry.size, changed: entry.changed))
    case .folded(_, let first): folded.append(Folded(first: first, size: entry.size, changed: entry.changed))
    case .other(let path): add(other: Stray(path: path, size: entry.size, modified: entry.time))
    default: return
    }
  }

  private mutating func add(other file: Stray) {
    let (folder, name) = (Path.parent(file.path), Path.name(file.path))
    if let stood = Layout.promised(by: name) {
      let place = Path.join(folder, stood)
      switch FilePlace(place) {
      case .block(_, let index), .folded(_, let index):
        placeholders.insert(index)
        if file.size >= 0, standIns.count < Layout.mostStrays { standIns.append(file) }
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

  /// Puts what was added in order.
  mutating func sort() {
    singles.sort { $0.index < $1.index }
    folded.sort { $0.first < $1.first }
    strays.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    promise([])
  }

  /// Notes that placeholders stand for folders.
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

/// A file that has no place in the layout: a conflict copy of a cloud client, what was set aside, or anything else.
package struct Stray: Equatable, Sendable {
  /// From the container's top.
  package var path: String
  package var size: Int64
  /// Milliseconds since 1970; only ever compared with itself.
  package var modified: Int64
  /// When anything of it was changed last, as far as the place knows and says; a hint.
  package var changed: Int64

  package init(path: String, size: Int64, modified: Int64, changed: Int64 = 0) {
    self.path = path
    self.size = size
    self.modified = modified
    self.changed = changed
  }
}

extension Stray {
  /// Nil for what is no file, or has a place, or lies in the folder of a branch, in those of the assets of instances, or in a backup.
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
  /// So many files without a place are looked at.
  package static let mostStrays = 10_000
  private static let asideMark = ".damaged-"

  /// The name under which a file is set aside that was damaged.
  /// - Parameter mark: eight hex digits.
  package static func aside(_ name: String, _ mark: String) -> String { name + asideMark + mark }

  /// Whether a name says that a file was set aside.
  package static func isAside(_ name: String) -> Bool { asideName(name) != nil }

  /// The name that a file had which was set aside.
  package static func asideName(_ name: String) -> String? {
    let bytes = name.utf8
    guard bytes.suffix(8).allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
      let whole = String(bytes.dropLast(8)), whole.hasSuffix(asideMark)
    else { return nil }
    return String(whole.dropLast(asideMark.count))
  }

  private static let litter: Set<String> = [".ds_store", "desktop.ini", "thumbs.db"]

  /// Whether operating systems leave files of a name in every folder that somebody opens.
  package static func isLitter(_ name: String) -> Bool {
    name.hasPrefix("._") || litter.contains(name.lowercased())
  }

  private static let placeholderEnds = [
    ".icloud", ".owncloud", ".nextcloud", ".cloud", ".cloudf", ".part", ".filepart", ".partial", ".crdownload",
    ".download", ".tmp",
  ]
  private static let placeholderStarts = [".syncthing.", "~syncthing~", ".~", "~", "."]

  /// The name for which a name stands that a cloud client or a copying program gives to what is not here yet, such as
  /// `.2.icloud`; nil for any other.
  package static func promised(by name: String) -> String? {
    guard !isTemporary(name) else { return nil }
    if let end = placeholderEnds.first(where: { name.hasSuffix($0) }) {
      var rest = name.dropLast(end.count)
      if let start = placeholderStarts.first(where: { rest.hasPrefix($0) }) { rest = rest.dropFirst(start.count) }
      return rest.isEmpty ? nil : String(rest)
    }
    // rsync writes `.NAME.XXXXXX`.
    guard name.hasPrefix("."), let dot = name.lastIndex(of: "."), name.distance(from: dot, to: name.endIndex) == 7
    else {
      return nil
    }
    let rest = name[..<dot].dropFirst()
    return rest.isEmpty ? nil : String(rest)
  }
}
