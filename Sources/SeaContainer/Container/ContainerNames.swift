import SeaCore
import SeaSystem

/// The names in a container, grouped by kind, with sizes and times, gathered without reading any content.
package final class ContainerNames {
  package struct Entry {
    /// The size of an entry in bytes; −1 if the entry is not a file.
    package var size: Int64
    /// The time of the last write in milliseconds since 1970; 0 if unknown.
    package var time: Int64
    /// The time of the last change of any kind, in nanoseconds. The time is only a hint.
    var changed: Int64

    init(size: Int64, time: Int64, changed: Int64? = nil) {
      (self.size, self.time, self.changed) = (size, time, changed ?? time &* 1_000_000)
    }
  }

  struct Chain {
    var singles: [UInt32: Entry] = [:]
    var folded: [UInt32: Entry] = [:]
    /// The blocks that another instance has reported. These blocks and all earlier blocks have not been listed.
    private(set) var reportedBlocks: ClosedRange<UInt32>?
    private var ends: (first: UInt32, last: UInt32)?

    init() {}

    /// The assumed size of a reported file. If a file is larger, the missing part is noticed when the file is read.
    static let saidSize: Int64 = 1 << 20

    /// Assumes that the given blocks, which were not listed, exist as single files.
    init(reportedBlocks blocks: ClosedRange<UInt32>) {
      reportedBlocks = blocks
      let leaf = Layout.Leaf(containing: blocks.lowerBound)
      for index in leaf.first...blocks.upperBound { singles[index] = Entry(size: Chain.saidSize, time: 0) }
      for first in stride(from: 0, to: leaf.first, by: Int(Layout.leafSize)) { folded[first] = Entry(size: 0, time: 0) }
    }

    mutating func set(_ index: UInt32, folded isFolded: Bool, _ entry: Entry?) {
      if isFolded { folded[index] = entry } else { singles[index] = entry }
      guard entry != nil, let known = ends else {
        ends = nil
        return
      }
      let last = isFolded ? Layout.Leaf(containing: index).last : index
      ends = (min(known.first, index), max(known.last, last))
    }

    mutating func range() -> (first: UInt32, last: UInt32)? {
      if let ends { return ends }
      let all = Array(singles.keys) + folded.keys
      guard let first = all.min() else { return nil }
      let last = max(
        singles.keys.max() ?? 0, folded.keys.max().map { Layout.Leaf(containing: $0).last } ?? 0)
      ends = (first, last)
      return ends
    }

    func has(_ index: UInt32) -> Bool {
      singles[index] != nil || folded[Layout.Leaf(containing: index).first] != nil
    }
  }

  var info: Entry?
  var chains: [BranchID: Chain] = [:]
  var assets: [AssetPlace: Entry] = [:]
  var small: [SmallFolder: [String: Entry]] = [:]
  private var paths = PathReader()
  private(set) var others: [String: Entry] = [:]
  /// Placeholders and quarantined files among `others`, keyed by the path of the file that they represent.
  private var standIns: [String: Set<String>] = [:]

  init() {}

  /// Larger sizes are reduced to this value, which exceeds every limit, so that sums cannot overflow.
  private static let largest: Int64 = 1 << 42

  /// Adds a file. If a path is added more than once, the last entry counts.
  func add(_ path: String, size: Int64, time: Int64) {
    self[paths.parse(path)] = Entry(size: min(size, ContainerNames.largest), time: time)
  }

  func range(of chain: BranchID) -> (first: UInt32, last: UInt32)? { chains[chain]?.range() }

  func standIns(for path: String) -> Set<String> { standIns[path] ?? [] }

  private func setOther(_ path: String, _ entry: Entry?) {
    others[path] = entry
    let name = Path.name(path)
    guard let stood = Layout.promised(by: name) ?? Layout.asideName(name) else { return }
    let place = path == name ? stood : Path.join(Path.parent(path), stood)
    if entry != nil {
      standIns[place, default: []].insert(path)
    } else {
      standIns[place]?.remove(path)
    }
  }

  func forget(_ chain: BranchID) {
    let folder = "\(Layout.transactions)/\(chain)/"
    chains[chain] = nil
    for path in others.keys where path.hasPrefix(folder) { setOther(path, nil) }
  }

  subscript(place: FilePlace) -> Entry? {
    get {
      switch place {
      case .info: info
      case .block(let branch, let index): chains[branch]?.singles[index]
      case .folded(let branch, let first): chains[branch]?.folded[first]
      case .asset(let place): assets[place]
      case .small(let folder, let name): small[folder]?[name]
      case .other(let path): others[path]
      }
    }
    set {
      switch place {
      case .info: info = newValue
      case .block(let branch, let index): change(branch) { $0.set(index, folded: false, newValue) }
      case .folded(let branch, let first): change(branch) { $0.set(first, folded: true, newValue) }
      case .asset(let place): assets[place] = newValue
      case .small(let folder, let name): small[folder, default: [:]][name] = newValue
      case .other(let path): setOther(path, newValue)
      }
    }
  }

  func forEach(_ body: (FilePlace, Entry) throws -> Void) rethrows {
    if let info { try body(.info, info) }
    for (branch, chain) in chains {
      for (index, entry) in chain.singles { try body(.block(branch, index), entry) }
      for (first, entry) in chain.folded { try body(.folded(branch, first), entry) }
    }
    for (place, entry) in assets { try body(.asset(place), entry) }
    for (folder, files) in small { for (name, entry) in files { try body(.small(folder, name), entry) } }
    for (path, entry) in others { try body(.other(path), entry) }
  }

  private func change(_ branch: BranchID, _ body: (inout Chain) -> Void) {
    body(&chains[branch, default: Chain()])
    if let chain = chains[branch], chain.singles.isEmpty, chain.folded.isEmpty { chains[branch] = nil }
  }

  /// Returns the files in a folder, keyed by name. An empty path means the top of the container.
  func list(_ folder: String) -> [String: Entry] {
    var found = SmallFolder(rawValue: folder).flatMap { small[$0] } ?? [:]
    if folder.isEmpty { found[Layout.info] = info }
    let prefix = folder.isEmpty ? "" : folder + "/"
    for (path, entry) in others where path.hasPrefix(prefix) {
      let name = path.dropFirst(prefix.count)
      if !name.contains("/") { found[String(name)] = entry }
    }
    return found
  }
}

/// A store that knows the names of all its files. Everything else is derived from these names.
package protocol NamedFiles: Files {
  func names() throws(ContainerError) -> ContainerNames

  /// Like `names()`, but lists a chain if its blocks have only been reported.
  /// - Parameter again: whether to list the chain again.
  func names(of chain: BranchID, again: Bool) throws(ContainerError) -> ContainerNames
}

extension NamedFiles {
  package func names(of chain: BranchID, again: Bool) throws(ContainerError) -> ContainerNames { try names() }

  package func prepare() {}

  package func list(_ folder: String) throws(ContainerError) -> [String: ContainerNames.Entry] {
    try names().list(folder)
  }

  package func leaf(_ leaf: Layout.Leaf, of chain: BranchID, again: Bool) throws(ContainerError) -> LeafNames {
    var names = LeafNames()
    guard let chain = try self.names(of: chain, again: again).chains[chain] else { return names }
    names.isFolded = chain.folded[leaf.first] != nil
    for index in leaf.first...leaf.last where chain.singles[index] != nil { names.singles.insert(index) }
    return names
  }
}

extension Container where Self: NamedFiles {
  package func chains() throws(ContainerError) -> ChainListing {
    let names = try names()
    var listing = ChainListing(chains: names.chains.keys.sorted())
    let folder = Layout.transactions + "/"
    var foreign: Set<String> = []
    for path in names.others.keys where path.hasPrefix(folder) {
      let name = String(path.dropFirst(folder.utf8.count).prefix { $0 != "/" })
      if BranchID(name) == nil || path == folder + name { foreign.insert(name) }
    }
    func isPromised(_ folder: String) -> Bool { names.standIns(for: folder).contains { !Layout.isAside($0) } }
    listing.isPromised = isPromised(Layout.transactions)
    listing.areAssetsPromised = isPromised(Layout.assets) && names.assets.isEmpty
    listing.foreign = foreign.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return listing
  }

  package func firstIndex(of chain: BranchID) throws(ContainerError) -> UInt32? { try names().range(of: chain)?.first }

  package func lastIndex(of chain: BranchID) throws(ContainerError) -> UInt32? { try names().range(of: chain)?.last }

  package func has(_ chain: BranchID, _ index: UInt32) throws(ContainerError) -> Bool {
    try names().chains[chain]?.has(index) ?? false
  }

  package func survey(_ chain: BranchID) throws(ContainerError) -> BranchSurvey {
    let names = try names(of: chain, again: false)
    var survey = BranchSurvey()
    for (index, entry) in names.chains[chain]?.singles ?? [:] { survey.add(.block(chain, index), entry) }
    for (first, entry) in names.chains[chain]?.folded ?? [:] { survey.add(.folded(chain, first), entry) }
    let folder = "\(Layout.transactions)/\(chain)/"
    for (path, entry) in names.others where path.hasPrefix(folder) { survey.add(.other(path), entry) }
    survey.sort()
    return survey
  }

  package func strays() throws(ContainerError) -> [UnknownFile] {
    let strays = try names().others.lazy.compactMap { UnknownFile(outsideBranches: $0, $1) }.prefix(Layout.mostStrays)
    return strays.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  package func forEachFile(_ body: (UnknownFile) throws -> Void) throws -> [String] {
    try names().forEach { try body(UnknownFile(path: $0.path, size: $1.size, modified: $1.time)) }
    return []
  }

  package func foreignFiles() throws(ContainerError) -> ForeignFiles {
    var found = ForeignFiles()
    for (path, entry) in try names().others { try found.add(.other(path), entry, at: location) }
    found.sort()
    return found
  }

  package func removeOldTemporaries() throws(ContainerError) {
    let oldest = Clock.now() - Layout.oldTemporary
    for (path, entry) in try names().others where Layout.isTemporary(Path.name(path)) {
      guard (1..<oldest).contains(entry.time), !path.hasPrefix(Layout.transactions + "/") else { continue }
      try? delete([.other(path)])
    }
  }

  package func assetSize(_ place: AssetPlace) throws(ContainerError) -> Int64? { try names().assets[place]?.size }

  package func assetIdentity(_ place: AssetPlace) -> FileIdentity? { nil }

  package func assetEntry(_ place: AssetPlace) throws(ContainerError) -> AssetEntry? {
    let names = try names()
    if let entry = names.assets[place] { return .file(size: entry.size, changed: entry.time) }
    // The placeholder can be for the file itself or for a folder that contains it.
    var path = place.path[...]
    while true {
      if names.standIns(for: String(path)).contains(where: { !Layout.isAside($0) }) { return .promised }
      guard let end = path.lastIndex(of: "/") else { return nil }
      path = path[..<end]
    }
  }

  package func forEachAsset(_ body: (AssetPlace, Int64) throws -> Void) throws {
    for (place, entry) in try names().assets.sorted(by: { $0.key < $1.key }) { try body(place, entry.size) }
  }
}
