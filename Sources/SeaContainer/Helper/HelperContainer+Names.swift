import SeaCore
import SeaSystem

// What the names say: nothing is read here.

extension HelperContainer {
  package func chains() throws(ContainerError) -> ChainListing {
    let names = try names()
    var listing = ChainListing(chains: names.chains.keys.sorted())
    let folder = Layout.transactions + "/"
    var foreign: Set<String> = []
    for path in names.others.keys where path.hasPrefix(folder) {
      let name = String(path.dropFirst(folder.utf8.count).prefix { $0 != "/" })
      if BranchID(name) == nil || path == folder + name { foreign.insert(name) }
    }
    let promised = Set(names.others.keys.lazy.filter { !$0.contains("/") }.compactMap { Layout.promised(by: $0) })
    listing.isPromised = promised.contains(Layout.transactions)
    listing.areAssetsPromised = promised.contains(Layout.assets) && names.assets.isEmpty
    listing.foreign = foreign.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return listing
  }

  package func lastIndex(of chain: BranchID) throws(ContainerError) -> UInt32? { try range(of: chain)?.last }

  package func firstIndex(of chain: BranchID) throws(ContainerError) -> UInt32? { try range(of: chain)?.first }

  package func has(_ chain: BranchID, _ index: UInt32) throws(ContainerError) -> Bool {
    try names().chains[chain]?.has(index) ?? false
  }

  package func survey(_ chain: BranchID) throws(ContainerError) -> BranchSurvey {
    var survey = BranchSurvey()
    try settle(chain)
    let names = try names()
    for (index, entry) in names.chains[chain]?.singles ?? [:] {
      survey.singles.append(.init(index: index, size: entry.size, changed: entry.time &* 1_000_000))
    }
    for (first, entry) in names.chains[chain]?.folded ?? [:] {
      survey.folded.append(.init(first: first, size: entry.size, changed: entry.time &* 1_000_000))
    }
    survey.singles.sort { $0.index < $1.index }
    survey.folded.sort { $0.first < $1.first }
    let folder = "\(Layout.transactions)/\(chain)/"
    var promised: [ClosedRange<UInt32>] = []
    for (path, entry) in names.others where path.hasPrefix(folder) {
      let name = Path.name(path)
      if let stood = Layout.promised(by: name) {
        let place = Path.join(Path.parent(path), stood)
        switch HelperNames.Meaning(place) {
        case .block(chain, let index), .folded(chain, let index):
          survey.placeholders.insert(index)
          survey.standIns.append(Stray(path: path, size: entry.size, modified: entry.time))
          continue
        default: break
        }
        if let below = Layout.folder(ofPath: String(place.dropFirst(folder.utf8.count))) {
          promised.append(below.range)
          continue
        }
      }
      if Layout.isTemporary(name) {
        let isOld = entry.time < Clock.now() - Layout.oldTemporary
        if isOld, survey.temporaries.count < Layout.mostStrays { survey.temporaries.append(path) }
      } else if survey.strays.count < Layout.mostStrays {
        survey.strays.append(Stray(path: path, size: entry.size, modified: entry.time))
      }
    }
    survey.promise(promised)
    survey.strays.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    return survey
  }

  package func strays() throws(ContainerError) -> [Stray] {
    var strays: [Stray] = []
    for (path, entry) in try names().others where strays.count < Layout.mostStrays {
      let parts = path.split(separator: "/").map(String.init)
      switch parts[0] {
      case BundlePath.backupFolder: continue
      case Layout.assets where parts.count > 2: continue
      case BundlePath.manifest where parts.count == 1, BundlePath.end where parts.count == 1: continue
      case Layout.transactions where parts.count > 2 && BranchID(parts[1]) != nil: continue
      default: break
      }
      if Layout.isTemporary(parts.last!) { continue }
      strays.append(Stray(path: path, size: entry.size, modified: entry.time))
    }
    return strays.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  package func forEachFile(_ body: (Stray) throws -> Void) throws -> [String] {
    try names().forEach { try body(Stray(path: $0.path, size: $1.size, modified: $1.time)) }
    return []
  }

  package func foreignFiles() throws(ContainerError) -> ForeignFiles {
    var (unknown, temporary): (Set<String>, Set<String>) = ([], [])
    for path in try names().others.keys {
      if LayoutWalk.needed.contains(path) { throw .inTheWay(path: self.path(of: path)) }
      let parts = path.split(separator: "/").map(String.init)
      if Layout.isTemporary(parts.last!) {
        temporary.insert(path)
      } else if let known = LayoutWalk.unknownPart(of: parts) {
        unknown.insert(known)
      }
    }
    func sorted(_ paths: Set<String>) -> [String] { paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }
    return ForeignFiles(unknown: sorted(unknown), temporary: sorted(temporary))
  }
}
