import SeaCore
import SeaSystem

/// A store of named files with the names of a container. It does not interpret their content.
///
/// Only `flush` guarantees an order: earlier changes survive a power failure before any later ones.
package protocol Files: AnyObject {
  /// - Throws: `notAContainer` unless the file that identifies a container is there.
  func needContainer() throws(ContainerError)

  /// Creates the place for the files, if necessary.
  func prepare() throws(ContainerError)

  /// The content of a folder by name, of the top for an empty path: at most 100,000 entries. The empty name has the
  /// folder itself, if it has a time.
  func list(_ folder: String) throws(ContainerError) -> [String: ContainerNames.Entry]

  /// All bytes of a file; nil if it is missing.
  /// - Throws: `badFile(.tooLarge)` if it has more bytes than `most`.
  func bytes(of place: FilePlace, most: Int) throws(ContainerError) -> [UInt8]?

  /// Passes a range of the bytes of a file in order, up to its end, while `body` returns true. Pieces have at most
  /// `AssetFile.pieceSize` bytes and are valid only during the call.
  /// - Returns: false if the file is missing.
  func read(
    _ place: FilePlace, _ range: Range<Int64>, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool

  /// The leading blocks of a file; nil if it is missing.
  func blocks(in place: FilePlace) throws(ContainerError) -> BlockFile?

  /// Quarantines the entry at a place by renaming it, durable with the next `flush`. A missing entry is ignored.
  func setAside(_ place: FilePlace) throws(ContainerError)

  /// Begins a file and creates the folders for its name.
  /// - Returns: nil if the name exists and must not be replaced.
  func draft(_ place: FilePlace, replaces: Bool) throws(ContainerError) -> (any FileDraft)?

  /// Writes new files.
  /// - Returns: for each whether it was written; false if its name exists.
  func put(_ files: [(place: FilePlace, bytes: [UInt8])]) throws(ContainerError) -> [Bool]

  /// Writes a new file of any size. If the store can, it continues an unfinished asset file of an earlier call as far
  /// as it agrees with `source`.
  /// - Parameter source: fills the buffer from an offset with at least one byte and returns the number; offsets rise.
  /// - Returns: whether it was written; false if its name exists.
  /// - Throws: Errors of `source`, and `badAsset(.ended)` if it ends early.
  func put(
    _ place: FilePlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> Bool

  /// Makes existing files of any writer durable with the next `flush`.
  func adopt(_ places: [FilePlace]) throws(ContainerError)

  /// Removes files and the folders that become empty. Missing files are ignored.
  func delete(_ places: [FilePlace]) throws(ContainerError)

  /// Makes all changes durable.
  func flush() throws(ContainerError)

  /// The names in a leaf.
  /// - Parameter again: whether to list them again.
  func leaf(_ leaf: Layout.Leaf, of chain: BranchID, again: Bool) throws(ContainerError) -> LeafNames

  /// Reads the blocks of a chain in order.
  /// - Parameters:
  ///   - folded: whether to read pack files.
  ///   - singles: whether to read single files.
  func reading(of chain: BranchID, folded: Bool, singles: Bool) -> ChainReading
}

/// The blocks of a leaf that have a file.
package struct LeafNames {
  /// Whether the leaf has a pack file.
  package var isFolded = false
  /// The blocks in single files.
  package var singles: Set<UInt32> = []

  func has(_ index: UInt32) -> Bool { isFolded || singles.contains(index) }
}

/// A file being written. It appears whole with `commit`, or not at all.
package protocol FileDraft: AnyObject {
  func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError)

  /// Gives the file its name. Its bytes are durable then, and its name with the next `flush`.
  /// - Returns: false if the name exists and must not be replaced.
  func commit() throws(ContainerError) -> Bool
}

extension Files {
  /// Writes a file.
  /// - Returns: false if the name exists and must not be replaced.
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
