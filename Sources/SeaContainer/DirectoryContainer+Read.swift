import SeaCore
import SeaSystem

extension DirectoryContainer {
  package func readBlocks(
    of chain: BranchID, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    let window = BlockWindow()
    // The folders of the leaf that is read.
    var known: (leaf: Layout.Leaf, parent: Directory, folder: Directory??)?
    return try ChainReading(
      open: { leaf, index throws(ContainerError) in
        if known?.leaf != leaf {
          known = try self.folder(self.components(chain, leaf.parent)).map { (leaf, $0, nil) }
        }
        guard let parent = known?.parent else { return nil }
        guard let index else { return try BlockFile(leaf.foldedName, in: parent, window: window) }
        if known?.folder == nil { known?.folder = try self.subfolder(leaf.name, of: parent) }
        guard let folder = known?.folder ?? nil else { return nil }
        return try BlockFile(leaf.name(of: index), in: folder, window: window)
      }, last: { () throws(ContainerError) in try self.lastIndex(of: chain) }
    ).run(from: index, body)
  }
}
