import SeaCore
import SeaSystem

/// The files of one leaf after another. Its folders are kept open once they are there; one that is not is looked
/// for each time, as a writer may make it while a reader waits.
package struct LeafFiles {
  private let folders: ContainerFolders
  private let chain: BranchID
  private let window = BlockWindow()
  private var leaf: Layout.Leaf?
  private var parent: Directory?
  private var folder: Directory?

  package init(_ folders: ContainerFolders, _ chain: BranchID) {
    self.folders = folders
    self.chain = chain
  }

  /// The file of a block, or without an index the folded file of the leaf; nil if it is not there.
  package mutating func open(_ leaf: Layout.Leaf, _ index: UInt32?) throws(ContainerError) -> BlockFile? {
    if self.leaf != leaf { (self.leaf, parent, folder) = (leaf, nil, nil) }
    if parent == nil { parent = try folders.folder(folders.components(chain, leaf.parent)) }
    guard let parent else { return nil }
    guard let index else { return try BlockFile(leaf.foldedName, in: parent, window: window) }
    if folder == nil { folder = try folders.subfolder(leaf.name, of: parent) }
    guard let folder else { return nil }
    return try BlockFile(leaf.name(of: index), in: folder, window: window)
  }

  /// Hands over the blocks of a chain, as `Container.readBlocks` promises.
  static func read(
    _ chain: BranchID, in folders: ContainerFolders, from index: UInt32,
    _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    var files = LeafFiles(folders, chain)
    return try ChainReading(
      open: { leaf, index throws(ContainerError) in try files.open(leaf, index) },
      last: { () throws(ContainerError) in try FolderSurvey(folders: folders).index(at: .last, of: chain) }
    ).run(from: index, body)
  }
}
