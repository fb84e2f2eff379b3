import SeaCore
import SeaSystem

/// What the names and sizes in a container say: nothing is read.
struct FolderSurvey {
  let folders: ContainerFolders

  func branch(_ chain: BranchID) throws(ContainerError) -> BranchSurvey {
    var survey = BranchSurvey()
    guard let folder = try folders.chainFolder(chain) else { return survey }
    let top = Path.join(Layout.transactions, chain.description)
    var promised: [ClosedRange<UInt32>] = []
    for entry in try folders.entries(folder).entries {
      if entry.kind == .directory, let digits = Layout.digit(entry.name), let place = Layout.Folder(digits: digits) {
        if let below = try folders.subfolder(entry.name, of: folder) {
          try look(into: below, Path.join(top, entry.name), place, &survey, &promised)
        }
      } else if entry.kind == .file, let digits = Layout.foldedDigit(entry.name), digits == 1 {
        try note(entry.name, in: folder, leaf: 0, &survey)
      } else {
        if let below = Layout.promised(by: entry.name).flatMap({ Layout.folder(ofPath: $0) }) {
          promised.append(below.range)
          continue
        }
        try noteOther(entry, in: folder, top, &survey) { Layout.foldedDigit($0) == 1 ? 0 : nil }
      }
    }
    survey.promise(promised)
    survey.singles.sort { $0.index < $1.index }
    survey.folded.sort { $0.first < $1.first }
    survey.strays.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    return survey
  }

  private func look(
    into folder: Directory, _ path: String, _ place: Layout.Folder, _ survey: inout BranchSurvey,
    _ promised: inout [ClosedRange<UInt32>]
  ) throws(ContainerError) {
    let hasLeaves = place.depth == place.digits - 2
    /// The index that a name means which the layout has in this folder.
    func index(_ name: String) -> UInt32? {
      if place.isLeaf { return Layout.digit(name).flatMap { place.entry($0)?.index } }
      guard hasLeaves, let digit = Layout.foldedDigit(name) else { return nil }
      return place.entry(digit).map { UInt32($0.first) }
    }
    for entry in try folders.entries(folder).entries {
      if let digit = Layout.digit(entry.name), let below = place.entry(digit) {
        if let index = below.index {
          if let status = try system({ () throws(SystemError) in try folder.status(entry.name) }) {
            let size = status.kind == .file ? status.size : -1
            survey.singles.append(.init(index: index, size: size, changed: status.changed))
          }
          continue
        }
        if entry.kind == .directory, let next = try folders.subfolder(entry.name, of: folder) {
          try look(into: next, Path.join(path, entry.name), below, &survey, &promised)
          continue
        }
      } else if entry.kind == .file, hasLeaves, let first = index(entry.name) {
        try note(entry.name, in: folder, leaf: first, &survey)
        continue
      }
      let stood = Layout.promised(by: entry.name).flatMap { Layout.digit($0) }.flatMap { place.entry($0) }
      if let stood, stood.index == nil {
        promised.append(stood.range)
        continue
      }
      try noteOther(entry, in: folder, path, &survey, index)
    }
  }

  private func note(
    _ name: String, in folder: Directory, leaf first: UInt32, _ survey: inout BranchSurvey
  ) throws(ContainerError) {
    guard let status = try system({ () throws(SystemError) in try folder.status(name) }) else { return }
    survey.folded.append(.init(first: first, size: status.size, changed: status.changed))
  }

  private func noteOther(
    _ entry: Directory.Entry, in folder: Directory, _ path: String, _ survey: inout BranchSurvey,
    _ index: (String) -> UInt32?
  ) throws(ContainerError) {
    if let promised = Layout.promised(by: entry.name), let index = index(promised) {
      survey.placeholders.insert(index)
      return try stray(entry, in: folder, path, &survey.standIns, depth: 0)
    }
    if entry.kind == .file, Layout.isTemporary(entry.name) {
      if survey.temporaries.count < Layout.mostStrays, folders.isOldTemporary(entry.name, in: folder) {
        survey.temporaries.append(Path.join(path, entry.name))
      }
      return
    }
    try stray(entry, in: folder, path, &survey.strays, depth: 0)
  }

  /// Files that have no place, also those in folders that have none.
  private func stray(
    _ entry: Directory.Entry, in folder: Directory, _ path: String, _ strays: inout [Stray], depth: Int
  ) throws(ContainerError) {
    guard strays.count < Layout.mostStrays, !Layout.isTemporary(entry.name) else { return }
    let here = Path.join(path, entry.name)
    if entry.kind == .file {
      guard let status = try system({ () throws(SystemError) in try folder.status(entry.name) }) else { return }
      strays.append(Stray(path: here, size: status.size, modified: status.modified))
    } else if entry.kind == .directory, depth < 8, let below = try folders.subfolder(entry.name, of: folder) {
      for next in try folders.entries(below).entries { try stray(next, in: below, here, &strays, depth: depth + 1) }
    }
  }

  func strays() throws(ContainerError) -> [Stray] {
    var strays: [Stray] = []
    let top = try folders.root()
    for entry in try folders.entries(top).entries {
      switch (entry.name, entry.kind) {
      case (Layout.info, .file), (BundlePath.manifest, .file), (BundlePath.end, .file),
        (BundlePath.backupFolder, .directory):
        continue
      case (Layout.assets, .directory):
        guard let folder = try folders.subfolder(entry.name, of: top) else { continue }
        for one in try folders.entries(folder).entries where one.kind == .file {
          try stray(one, in: folder, entry.name, &strays, depth: 0)
        }
      case (Layout.transactions, .directory):
        guard let folder = try folders.subfolder(entry.name, of: top) else { continue }
        for chain in try folders.entries(folder).entries where chain.kind != .directory || BranchID(chain.name) == nil {
          try stray(chain, in: folder, entry.name, &strays, depth: 0)
        }
      case (let name, .directory) where SmallFolder(rawValue: name) != nil:
        guard let small = SmallFolder(rawValue: name), let folder = try folders.subfolder(name, of: top) else {
          continue
        }
        let listing = try system { () throws(SystemError) in try folder.list(most: SmallFile.mostNames) }
        for one in listing.entries where one.kind == .file && !small.allows(one.name) {
          try stray(one, in: folder, name, &strays, depth: 0)
        }
      default: try stray(entry, in: top, "", &strays, depth: 0)
      }
    }
    return strays
  }

  /// Each folder on the way is held open.
  private static let mostDepth = 100

  /// As `Container.forEachFile` promises.
  func forEachFile(_ body: (Stray) throws -> Void) throws -> [String] {
    var unseen: [String] = []
    try forEachFile(in: folders.root(), "", depth: 0, &unseen, body)
    return unseen
  }

  private func forEachFile(
    in folder: Directory, _ path: String, depth: Int, _ unseen: inout [String], _ body: (Stray) throws -> Void
  ) throws {
    let listing = try folders.entries(folder)
    func leave(_ name: String) { if unseen.count < Layout.mostStrays { unseen.append(Path.join(path, name)) } }
    listing.unreadable.forEach(leave)
    for entry in listing.entries {
      switch entry.kind {
      case .file:
        // Gone since: then it is not there.
        guard let status = try system({ () throws(SystemError) in try folder.status(entry.name) }) else { continue }
        let path = Path.join(path, entry.name)
        try body(Stray(path: path, size: status.size, modified: status.modified, changed: status.changed))
      case .directory:
        guard depth < FolderSurvey.mostDepth else {
          leave(entry.name)
          continue
        }
        guard let below = try folders.subfolder(entry.name, of: folder) else { continue }
        try forEachFile(in: below, Path.join(path, entry.name), depth: depth + 1, &unseen, body)
      default: continue
      }
    }
  }
}
