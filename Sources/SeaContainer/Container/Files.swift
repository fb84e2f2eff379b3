import SeaCore
import SeaSystem

/// A store of files that have the names used in a container. The store does not interpret the content.
///
/// Only `flush` guarantees an order: changes made before it become durable before any changes made after it.
package protocol Files: AnyObject {
  /// - Throws: `notAContainer` unless the file that marks a folder as a container exists.
  func needContainer() throws(ContainerError)

  /// Creates the folder for the files, if necessary.
  func prepare() throws(ContainerError)

  /// Returns at most 100,000 entries of a folder, keyed by name. An empty path means the top of the container. An empty
  /// name means the folder itself, if the folder has a time.
  func list(_ folder: String) throws(ContainerError) -> [String: ContainerNames.Entry]

  /// Returns all bytes of a file; nil if the file is missing.
  /// - Throws: `badFile(.tooLarge)` if the file has more bytes than `most`.
  func bytes(of place: FilePlace, most: Int) throws(ContainerError) -> [UInt8]?

  /// Passes a range of a file's bytes to `body` in order, up to the end of the file, as long as `body` returns true.
  /// Pieces have at most `AssetFile.pieceSize` bytes and are valid only during the call.
  func read(
    _ place: FilePlace, _ range: Range<Int64>, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool

  /// Returns the blocks at the start of a file; nil if the file is missing.
  func blocks(in place: FilePlace) throws(ContainerError) -> BlockFile?

  /// Quarantines an entry by renaming it. The change becomes durable with the next `flush`. If the entry is missing,
  /// nothing happens.
  func setAside(_ place: FilePlace) throws(ContainerError)

  /// Starts writing a file, creating the folders on its path.
  /// - Returns: nil if the name already exists and must not be replaced.
  func draft(_ place: FilePlace, replaces: Bool) throws(ContainerError) -> (any FileDraft)?

  /// Writes new files.
  /// - Returns: for each file, whether it was written; false if its name already exists.
  func put(_ files: [(place: FilePlace, bytes: [UInt8])]) throws(ContainerError) -> [Bool]

  /// Writes a new file of any size. If the store supports it, this call continues an asset file that an earlier call
  /// left unfinished, keeping the bytes that agree with `source`.
  /// - Parameter source: fills the buffer with at least one byte from a given offset, and returns the number of bytes.
  ///   Offsets only increase.
  /// - Returns: whether the file was written; false if its name already exists.
  /// - Throws: errors of `source`, and `badAsset(.ended)` if `source` ends prematurely.
  func put(
    _ place: FilePlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> Bool

  /// Marks existing files of any writer to be made durable by the next `flush`.
  func adopt(_ places: [FilePlace]) throws(ContainerError)

  /// Removes files, along with the folders that become empty. Missing files are ignored.
  func delete(_ places: [FilePlace]) throws(ContainerError)

  func flush() throws(ContainerError)

  /// Returns the names in a leaf.
  /// - Parameter again: whether to list the names again.
  func leaf(_ leaf: Layout.Leaf, of chain: BranchID, again: Bool) throws(ContainerError) -> LeafNames

  /// Returns a reader for the blocks of a chain.
  /// - Parameters:
  ///   - folded: whether to read pack files.
  ///   - singles: whether to read single files.
  func reading(of chain: BranchID, folded: Bool, singles: Bool) -> ChainReading
}

/// The blocks of a leaf for which files exist.
package struct LeafNames {
  package var isFolded = false
  package var singles: Set<UInt32> = []

  func has(_ index: UInt32) -> Bool { isFolded || singles.contains(index) }
}

/// A file that is being written. The file appears only when `commit` is called, and then completely.
package protocol FileDraft: AnyObject {
  func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError)

  /// Gives the file its name. After this call, the bytes are durable; the name becomes durable with the next `flush`.
  /// - Returns: false if the name already exists and must not be replaced.
  func commit() throws(ContainerError) -> Bool
}

extension Files {
  /// - Returns: false if the name already exists and must not be replaced.
  package func put(_ place: FilePlace, _ bytes: [UInt8], replaces: Bool = false) throws(ContainerError) -> Bool {
    guard let file = try draft(place, replaces: replaces) else { return false }
    try file.write(bytes)
    return try file.commit()
  }

  package func put(_ files: [(place: FilePlace, bytes: [UInt8])]) throws(ContainerError) -> [Bool] {
    var written: [Bool] = []
    for file in files { written.append(try put(file.place, file.bytes)) }
    return written
  }
}

extension FileDraft {
  func write(_ bytes: [UInt8]) throws(ContainerError) {
    try bytes.withUnsafeBufferPointer { (all) throws(ContainerError) in try write(UnsafeRawBufferPointer(all)) }
  }
}
