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

extension FolderSurvey {
  enum End { case first, last }

  /// The first or last index of which something has the name, in as many looks as an index has digits. In the place of a block anything
  /// counts, also a link or a folder: something belongs there.
  func index(at end: End, of chain: BranchID) throws(ContainerError) -> UInt32? {
    guard let folder = try folders.chainFolder(chain) else { return nil }
    let listing = try folders.entries(folder)
    for digits in end == .first ? [1, 2, 3, 4] : [4, 3, 2, 1] {
      guard let top = Layout.Folder(digits: digits) else { continue }
      if digits == 1, listing.entries.contains(.init(name: "1" + Layout.foldedSuffix, kind: .file)) {
        return end == .first ? 0 : Layout.leafSize - 1
      }
      guard listing.entries.contains(.init(name: String(digits), kind: .directory)) else { continue }
      if let found = try index(at: end, in: folder, String(digits), top) { return found }
    }
    return nil
  }

  /// Looks into the entry at the end, and into the one beside it only if that is empty.
  private func index(
    at end: End, in parent: Directory, _ name: String, _ place: Layout.Folder
  ) throws(ContainerError) -> UInt32? {
    let folder = try folders.subfolder(name, of: parent)
    var found: [(digit: Int, kind: FileKind)] = []
    let listing = try folder.map { folder throws(ContainerError) in try folders.entries(folder) }
    func edge(_ leaf: Layout.Leaf) -> UInt32 { end == .first ? leaf.first : leaf.last }
    if place.isLeaf {
      // Looked at after the folder, which may have been emptied into it meanwhile.
      let folded = try system { () throws(SystemError) in try parent.status(name + Layout.foldedSuffix) }
      if folded?.kind == .file { return edge(Layout.Leaf(containing: UInt32(place.first))) }
    }
    for entry in listing?.entries ?? [] {
      if let digit = Layout.digit(entry.name), place.isLeaf || entry.kind == .directory {
        found.append((digit, entry.kind))
      } else if place.depth == place.digits - 2, entry.kind == .file, let digit = Layout.foldedDigit(entry.name) {
        found.append((digit, .file))
      }
    }
    // Of a folder and the file it was folded into the file is looked at: it has all of it.
    let sign = end == .first ? 1 : -1
    found.sort { (sign * $0.digit, $0.kind == .file ? 0 : 1) < (sign * $1.digit, $1.kind == .file ? 0 : 1) }
    for (digit, kind) in found {
      guard let below = place.entry(digit) else { continue }
      if let index = below.index { return index }
      if kind == .file { return edge(Layout.Leaf(containing: UInt32(below.first))) }
      if let folder, let index = try index(at: end, in: folder, String(digit), below) { return index }
    }
    return nil
  }
}
