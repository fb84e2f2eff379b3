import SeaCore
import SeaSystem

/// What is wrong with a container. Words for people are found elsewhere.
package enum ContainerError: Error, Equatable {
  /// Nothing at that path.
  case notThere(path: String)
  /// Something without an `info.json`.
  case notAContainer(path: String)
  /// `create` found a container.
  case exists(path: String)
  case badInfo(InfoFault, path: String)
  /// The container says that it is of another version of the format.
  case incompatible(version: Int64, path: String)
  /// The container holds other bytes at a place that was to be written: another block, or, if `incomplete`, a file
  /// that is shorter than the block in its header.
  case differs(BranchID, index: UInt32, incomplete: Bool)
  /// What was to be written at that place is no block for it.
  case badBlock(BranchID, index: UInt32, BlockFault)
  /// A small file, or what was to be one.
  case badFile(SmallFileFault, path: String)
  /// A file of assets, or what was to be one.
  case badAsset(AssetFileFault, path: String)
  /// Something of another kind stands where a file or folder of the container belongs.
  case inTheWay(path: String)
  /// What a helper did, or did not do.
  case helper(HelperFault, place: String)
  case system(SystemError)
}

extension ContainerError {
  /// Why one file cannot be moved or taken away, where that says nothing of others; nil if it is anything else.
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
  /// It does not say what the databaseID stands for.
  case noProof
}

package enum SmallFileFault: Sendable {
  /// The folder has no files of such a name.
  case name
  case tooLarge
  /// It is there with other bytes than those that were to be written.
  case differs
}

package enum AssetFileFault: Sendable {
  /// It is there with another size than what was to be written.
  case differs
  /// More than a file of assets has.
  case tooLarge
  /// What was to be written ended before its size.
  case ended
}

/// Runs system calls, their failures told as this target tells them.
func system<R>(_ body: () throws(SystemError) -> R) throws(ContainerError) -> R {
  do throws(SystemError) { return try body() } catch { throw .system(error) }
}
