import SeaCore

/// Whose blocks a pull applies at once. All others it holds, and `Roster.applyWhatCounts` says at the end what is so.
///
/// Who belongs to the database is worked out anew after 1, 2, 4, 8… runs: as often as there are chains, it would take the square
/// of their number.
final class PullStanding {
  private let members: Roster
  private var membership: Membership?
  private var holdsBack = false
  private var asked = 0
  private var turns = 0
  private static let mostTurns = 8

  init(_ members: Roster) { self.members = members }

  /// Whether everything of an instance counts, as far as was known at the last look.
  func countsWhole(_ instance: UUID) throws -> Bool {
    if asked & (asked - 1) == 0 {
      membership = try members.membership()
      holdsBack = try members.holdsBack()
    }
    asked += 1
    return !holdsBack && members.cut(of: instance, membership) == .everything
  }

  /// Those of branches that are read first: of instances of which something counts, as far as is known now. What they bring may let
  /// others in, which have the next turn.
  func turn(of branches: [BranchID]) throws -> (now: [BranchID], later: [BranchID]) {
    guard turns < PullStanding.mostTurns else { return (branches, []) }
    turns += 1
    let membership = try members.membership()
    let now = branches.filter { members.cut(of: $0.instance, membership) != .nothing }
    return now.isEmpty || now.count == branches.count
      ? (branches, []) : (now, branches.filter { members.cut(of: $0.instance, membership) == .nothing })
  }
}
