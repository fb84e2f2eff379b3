import SeaCore
import SeaSystem

/// Finds the first and last indices of a chain from file names, without listing all names.
struct FolderSurvey {
  let folders: ContainerFolders

  enum End { case first, last }

  /// Returns the first or last index for which an entry exists. The search needs as many lookups as the index has
  /// digits. Any entry counts, even a link or a folder, because only blocks should have such names.
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

  /// Searches the first or last entry of a folder. If that entry is empty, the search continues with the next one.
  private func index(
    at end: End, in parent: Directory, _ name: String, _ place: Layout.Folder
  ) throws(ContainerError) -> UInt32? {
    let folder = try folders.subfolder(name, of: parent)
    var found: [(digit: Int, kind: FileKind)] = []
    let listing = try folder.map { folder throws(ContainerError) in try folders.entries(folder) }
    func edge(_ leaf: Layout.Leaf) -> UInt32 { end == .first ? leaf.first : leaf.last }
    if place.isLeaf {
      // The pack file is checked after the folder, because the folder may have been emptied in the meantime.
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
    // If both a folder and its pack file exist, the pack file counts, because it is complete.
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
