import SeaCore
import SeaSystem

package enum ContainerError: Error, Equatable {
  case missing(path: String)
  case notAContainer(path: String)
  case exists(path: String)
  case badInfo(InfoFault, path: String)
  case incompatible(version: Int64, path: String)
  /// The container already has different bytes for this block: a different block or, if `incomplete`, a file that is
  /// shorter than its header says.
  case differs(BranchID, index: UInt32, incomplete: Bool)
  /// The bytes to be written are not a valid block for this position.
  case badBlock(BranchID, index: UInt32, BlockFault)
  case badFile(SmallFileFault, path: String)
  case badAsset(AssetFileFault, path: String)
  /// Another kind of entry has the name of one of the container's files or folders.
  case nameTaken(path: String)
  case helper(HelperFault, place: String)
  case system(SystemError)
}

extension ContainerError {
  /// Why a file cannot be moved or removed, if the reason concerns only this file; otherwise nil.
  package var reasonFileIsLocked: String? {
    switch self {
    case .system(let error) where error.isUnchangeable: error.reason
    case .helper(.refused(.denied, let reason), _): reason
    default: nil
    }
  }
}

package enum InfoFault: String, Sendable {
  case tooLong, notJSON, duplicateMember, missingMember, badMember
  case noProof
}

package enum SmallFileFault: Sendable {
  case name
  case tooLarge
  /// The file exists with different content.
  case differs
}

package enum AssetFileFault: Sendable {
  /// The file exists with a different size.
  case differs
  case tooLarge
  /// The source ended before the announced size.
  case ended
}

func system<R>(_ body: () throws(SystemError) -> R) throws(ContainerError) -> R {
  do throws(SystemError) { return try body() } catch { throw .system(error) }
}
