import SeaCore

/// Decides which instances' blocks a pull applies immediately. All other blocks are pending until
/// `Roster.applyValidBlocks` runs at the end.
///
/// The membership is computed again after 1, 2, 4, 8… checks. Computing it again for every chain would take quadratic
/// time.
final class PullAuthorization {
  private let members: Roster
  private var membership: Membership?
  private var holdsBack = false
  private var asked = 0
  private var turns = 0
  private static let mostTurns = 8

  init(_ members: Roster) { self.members = members }

  /// Returns whether all blocks of an instance were valid when the membership was last computed.
  func isFullyAuthorized(_ instance: UUID) throws -> Bool {
    if asked & (asked - 1) == 0 {
      membership = try members.membership()
      holdsBack = try members.holdsBack()
    }
    asked += 1
    return !holdsBack && members.cut(of: instance, membership) == .everything
  }

  /// Selects the branches of authorized instances, which are read first because their blocks may authorize other
  /// instances.
  func splitByAuthorization(of branches: [BranchID]) throws -> (now: [BranchID], later: [BranchID]) {
    guard turns < PullAuthorization.mostTurns else { return (branches, []) }
    turns += 1
    let membership = try members.membership()
    let now = branches.filter { members.cut(of: $0.instance, membership) != .nothing }
    return now.isEmpty || now.count == branches.count
      ? (branches, []) : (now, branches.filter { members.cut(of: $0.instance, membership) == .nothing })
  }
}
