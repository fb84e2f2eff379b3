import SeaCore
import SeaSystem

/// A store of named files: it knows the names that the files of a container have, and nothing of what is in them.
///
/// Order is promised across `flush` alone: what was done before it survives a loss of power before anything that is done after it.
package protocol Files: AnyObject {
  /// - Throws: `notAContainer` unless the file that speaks for a container is there.
  func needContainer() throws(ContainerError)

  /// Makes the place that the files of a container are put in, where that is to be made.
  func prepare() throws(ContainerError)

  /// What lies in a folder, the top for an empty path, by name: at most 100,000 entries. Under an empty name stands the folder itself,
  /// where it has a time of its own.
  func list(_ folder: String) throws(ContainerError) -> [String: ContainerNames.Entry]

  /// All of a file; nil if no file is there.
  /// - Throws: `badFile(.tooLarge)` if it has more bytes than `most`.
  func bytes(of place: FilePlace, most: Int) throws(ContainerError) -> [UInt8]?

  /// Hands over a range of the bytes of a file in order, as far as the file goes and `body` says true, in pieces of at most
  /// `AssetFile.pieceSize` that are valid only during the call.
  /// - Returns: false if no file is there.
  func read(
    _ place: FilePlace, _ range: Range<Int64>, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool

  /// The blocks that a file begins with; nil if no file is there.
  func blocks(in place: FilePlace) throws(ContainerError) -> BlockFile?

  /// Gives what stands in a place a name that says that it was damaged, for good with the next `flush`. Nothing happens if nothing is there.
  func setAside(_ place: FilePlace) throws(ContainerError)

  /// Begins a file. The folders that its name needs are made.
  /// - Returns: nil if the name is taken and nothing is to be replaced.
  func draft(_ place: FilePlace, replaces: Bool) throws(ContainerError) -> (any FileDraft)?

  /// Writes new files.
  /// - Returns: for each whether it was written; false if its name is taken.
  func put(_ files: [(place: FilePlace, bytes: [UInt8])]) throws(ContainerError) -> [Bool]

  /// Writes a new file of any size. What an earlier call has left of a file of assets is gone on with where the store can, as far as it
  /// is what `source` gives.
  /// - Parameter source: fills the buffer from an offset, at least one byte, and says with how many; offsets rise.
  /// - Returns: whether it was written; false if its name is taken.
  /// - Throws: what `source` throws, and `badAsset(.ended)` if it has fewer bytes.
  func put(
    _ place: FilePlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> Bool

  /// What is there already, whoever wrote it, survives a loss of power after the next `flush`.
  func adopt(_ places: [FilePlace]) throws(ContainerError)

  /// Takes files away, and the folders that are empty then. Nothing happens to those that are not there.
  func delete(_ places: [FilePlace]) throws(ContainerError)

  /// What was written and taken away survives a loss of power when this returns.
  func flush() throws(ContainerError)

  /// What the names say of a leaf.
  /// - Parameter again: whether what was listed before does not count.
  func leaf(_ leaf: Layout.Leaf, of chain: BranchID, again: Bool) throws(ContainerError) -> LeafNames

  /// The blocks of a chain, in order.
  /// - Parameters:
  ///   - folded: whether what folded files have is handed over.
  ///   - singles: whether what files of single blocks have is.
  func reading(of chain: BranchID, folded: Bool, singles: Bool) -> ChainReading
}

/// Which of the thousand blocks of a leaf have a file.
package struct LeafNames {
  /// Whether one file has all of them.
  package var isFolded = false
  /// The blocks in files of their own.
  package var singles: Set<UInt32> = []

  func has(_ index: UInt32) -> Bool { isFolded || singles.contains(index) }
}

/// A file in the making: it appears whole, with `commit`, or not at all.
package protocol FileDraft: AnyObject {
  func write(_ bytes: UnsafeRawBufferPointer) throws(ContainerError)

  /// Gives the file its name. Its bytes are durable then; its name is with the next `flush`.
  /// - Returns: false if the name is taken and nothing is to be replaced.
  func commit() throws(ContainerError) -> Bool
}

extension Files {
  /// Writes a file.
  /// - Returns: false if the name is taken and nothing is to be replaced.
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
