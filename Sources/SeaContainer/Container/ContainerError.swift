import SeaCore
import SeaSystem

/// A fault of a container. The words for messages are elsewhere.
package enum ContainerError: Error, Equatable {
  /// There is nothing at that path.
  case notThere(path: String)
  /// There is no `info.json`.
  case notAContainer(path: String)
  /// `create` found a container.
  case exists(path: String)
  case badInfo(InfoFault, path: String)
  /// The container has another version of the format.
  case incompatible(version: Int64, path: String)
  /// The container has other bytes at a place to be written: another block, or, if `incomplete`, a file that is shorter
  /// than the block in its header.
  case differs(BranchID, index: UInt32, incomplete: Bool)
  /// The bytes to be written are not a valid block for that place.
  case badBlock(BranchID, index: UInt32, BlockFault)
  /// A fault of a small file, existing or to be written.
  case badFile(SmallFileFault, path: String)
  /// A fault of an asset file, existing or to be written.
  case badAsset(AssetFileFault, path: String)
  /// An entry of another kind is at the place of a file or folder of the container.
  case inTheWay(path: String)
  /// A fault of a helper.
  case helper(HelperFault, place: String)
  case system(SystemError)
}

extension ContainerError {
  /// The reason why one file cannot be moved or removed, if it says nothing about other files; otherwise nil.
  package var whyHeldFast: String? {
    switch self {
    case .system(let error) where error.isHeldFast: error.reason
    case .helper(.refused(.denied, let reason), _): reason
    default: nil
    }
  }
}

package enum InfoFault: String, Sendable {
  case tooLong, notJSON, duplicateMember, missingMember, badMember
  /// The proof of the databaseID is missing.
  case noProof
}

package enum SmallFileFault: Sendable {
  /// The folder does not allow this name.
  case name
  case tooLarge
  /// The file exists with other bytes.
  case differs
}

package enum AssetFileFault: Sendable {
  /// The file exists with another size.
  case differs
  /// The file exceeds the limit of asset files.
  case tooLarge
  /// The source ended before the size.
  case ended
}

/// Runs system calls and converts their errors.
func system<R>(_ body: () throws(SystemError) -> R) throws(ContainerError) -> R {
  do throws(SystemError) { return try body() } catch { throw .system(error) }
}
