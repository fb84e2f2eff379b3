import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The files of assets on this device: `.sea/assets`, laid out and sealed as in a container, so that copying is all that
/// it takes to hand them over.
///
/// What lies here was verified when it came; `Assets.verify` says what it is worth now. Files appear whole and
/// durable. Who puts files in or takes them away holds the writer lock; who reads needs none.
package final class AssetFolder: AssetSource {
  /// The path of the folder `.sea`.
  private let top: String
  private var opened: AssetTree?

  package init(_ path: String) { top = path }

  func tree() throws(ContainerError) -> AssetTree {
    if let opened { return opened }
    do throws(SystemError) {
      let tree = AssetTree(try Directory(top))
      opened = tree
      return tree
    } catch {
      throw .system(error)
    }
  }

  /// The path of a file, there or not.
  package func path(of place: AssetPlace) -> String { Path.join(top, place.path) }

  /// Bytes of the file; nil if it is not here.
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

  /// Visits every file with its size, by place.
  package func forEachAsset(_ body: (AssetPlace, Int64) throws -> Void) throws { try tree().forEach(body) }

  /// The open file, for reading; nil if it is not here.
  package func open(_ place: AssetPlace) throws(ContainerError) -> File? { try tree().open(place) }

  /// Takes a file away for good; the caller holds the writer lock and forgets what was `stored`.
  /// - Returns: how many bytes it had, nil if it was not here.
  @discardableResult
  package func remove(_ place: AssetPlace) throws(ContainerError) -> Int64? { try tree().remove([place]) }

  /// The same of several, each folder being made durable once.
  func remove(_ places: [AssetPlace]) throws(ContainerError) { try tree().remove(places) }

  /// Makes the places of all files survive a loss of power.
  func makeDurable() throws(ContainerError) { try tree().makeDurable() }

  // MARK: - Files in the making

  /// A file in the making that nobody else has.
  package func draft() throws(ContainerError) -> AssetDraft { try tree().draft() }

  /// The file in the making for a place, with what an earlier run has left of it; nil if another process is making it.
  package func draft(for place: AssetPlace) throws(ContainerError) -> AssetDraft? { try tree().draft(for: place) }

  /// Gives a whole file its place, durable when this returns; a file of the same size that is there stays.
  package func take(_ draft: AssetDraft, as place: AssetPlace) throws(ContainerError) {
    try tree().take(draft, as: place)
  }

  /// The same for a whole file that lies in a folder of this file system.
  func take(_ name: String, in folder: Directory, as place: AssetPlace) throws(ContainerError) {
    try tree().take(name, in: folder, as: place)
  }

  /// Visits the files in the making: size in bytes, when they were last written to (milliseconds since 1970), and
  /// whether a process is making them now.
  /// - Parameter body: says whether the file is to be removed, which is done only where no process is making it.
  package func forEachDraft(_ body: (_ size: Int64, _ modified: Int64, _ isAlive: Bool) throws -> Bool) throws {
    try tree().forEachDraft { _, status, isAlive in try body(status.size, status.modified, isAlive) }
  }
}
