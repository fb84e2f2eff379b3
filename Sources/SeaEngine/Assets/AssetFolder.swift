import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The asset files in `.sea/assets`, with the layout and the encryption of a container.
///
/// Files are verified when they arrive, and become visible only once they are complete and durable. Adding and removing
/// files requires the writer lock; reading does not.
package final class AssetFolder: AssetSource {
  private let folderPath: String
  private var opened: AssetTree?

  package init(_ path: String) { folderPath = path }

  func tree() throws(ContainerError) -> AssetTree {
    if let opened { return opened }
    do throws(SystemError) {
      let tree = AssetTree(try Directory(folderPath))
      opened = tree
      return tree
    } catch {
      throw .system(error)
    }
  }

  package func path(of place: AssetPlace) -> String { Path.join(folderPath, place.path) }

  /// The size of a file in bytes; nil if the file does not exist.
  package func assetSize(_ place: AssetPlace) throws(ContainerError) -> Int64? { try tree().size(place) }

  package func assetSizes(of instance: UUID, in leaf: Layout.Leaf) throws(ContainerError) -> [UInt32: Int64] {
    try tree().sizes(of: instance, in: leaf)
  }

  package func assetIdentity(_ place: AssetPlace) throws(ContainerError) -> FileIdentity? {
    try tree().status(place)?.identity
  }

  @discardableResult
  package func readAsset(
    _ place: AssetPlace, from offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool { try tree().read(place, from: offset, body) }

  package func forEachAsset(_ body: (AssetPlace, Int64) throws -> Void) throws { try tree().forEach(body) }

  package func open(_ place: AssetPlace) throws(ContainerError) -> File? { try tree().open(place) }

  /// Removes a file permanently. The caller must hold the writer lock, and must also remove the file's entry from the
  /// store.
  /// - Returns: the size of the file in bytes; nil if the file did not exist.
  @discardableResult
  package func remove(_ place: AssetPlace) throws(ContainerError) -> Int64? { try tree().remove([place]) }

  func remove(_ places: [AssetPlace]) throws(ContainerError) { try tree().remove(places) }

  func makeDurable() throws(ContainerError) { try tree().makeDurable() }

  // MARK: - Drafts

  package func draft() throws(ContainerError) -> AssetDraft { try tree().draft() }

  /// Opens the draft for a place, which may contain bytes from an earlier run. Returns nil if another process is
  /// writing the draft.
  package func draft(for place: AssetPlace) throws(ContainerError) -> AssetDraft? { try tree().draft(for: place) }

  /// Makes a file the draft for its place again. The caller must hold the writer lock, and must also remove the file's
  /// entry from the store. Returns nil if another process is writing the draft, or the file has other links.
  func reopen(_ place: AssetPlace) throws(ContainerError) -> AssetDraft? { try tree().reopen(place) }

  /// Moves a complete draft to its place, and makes the file durable. An existing file of the same size is kept.
  package func install(_ draft: AssetDraft, as place: AssetPlace) throws(ContainerError) {
    try tree().install(draft, as: place)
  }

  /// Moves a complete file from a folder on the same file system to its place, and makes the file durable.
  func install(_ name: String, in folder: Directory, as place: AssetPlace) throws(ContainerError) {
    try tree().install(name, in: folder, as: place)
  }

  /// Calls `body` with each draft's size in bytes, its modification time in milliseconds since 1970, and its status.
  /// - Parameter body: returns whether to remove the draft; a draft that a process is writing is always kept.
  package func forEachDraft(_ body: (_ size: Int64, _ modified: Int64, _ isAlive: Bool) throws -> Bool) throws {
    try tree().forEachDraft { _, status, isAlive in try body(status.size, status.modified, isAlive) }
  }
}
