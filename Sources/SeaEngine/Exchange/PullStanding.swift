import SeaCore

/// Decides whose blocks a pull applies at once. All other blocks stay pending until `Roster.applyWhatCounts` decides at
/// the end.
///
/// The membership is computed again after 1, 2, 4, 8… runs. Once per chain would take time quadratic in their number.
final class PullStanding {
  private let members: Roster
  private var membership: Membership?
  private var holdsBack = false
  private var asked = 0
  private var turns = 0
  private static let mostTurns = 8

  init(_ members: Roster) { self.members = members }

  /// Returns whether all blocks of an instance count, as of the last computation.
  func countsWhole(_ instance: UUID) throws -> Bool {
    if asked & (asked - 1) == 0 {
      membership = try members.membership()
      holdsBack = try members.holdsBack()
    }
    asked += 1
    return !holdsBack && members.cut(of: instance, membership) == .everything
  }

  /// Splits off the branches to read first: those of instances with blocks that count now. These blocks may authorize
  /// other instances for the next turn.
  func turn(of branches: [BranchID]) throws -> (now: [BranchID], later: [BranchID]) {
    guard turns < PullStanding.mostTurns else { return (branches, []) }
    turns += 1
    let membership = try members.membership()
    let now = branches.filter { members.cut(of: $0.instance, membership) != .nothing }
    return now.isEmpty || now.count == branches.count
      ? (branches, []) : (now, branches.filter { members.cut(of: $0.instance, membership) == .nothing })
  }
}
