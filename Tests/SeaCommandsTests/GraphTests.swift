import SeaCommands
import SeaCore
import Testing

@Suite struct GraphTests {
  private func revision(_ depth: UInt32, _ letter: UInt8) -> RevisionID {
    RevisionID(depth: depth, digest: Digest([UInt8](repeating: letter, count: 32))!)
  }

  /// `steps` in the order of the log: revision and parent, as depth and a number.
  private func draw(_ winner: (UInt32, UInt8)?, _ steps: [(UInt32, UInt8, UInt8?)]) -> [String] {
    var tree = GraphColumns()
    if let winner { tree.expect(revision(winner.0, winner.1)) }
    var lines: [String] = []
    for (depth, letter, parent) in steps {
      lines += tree.joins(before: revision(depth, letter))
      lines.append(tree.draw(revision(depth, letter), "\(letter)", parent: parent.map { revision(depth - 1, $0) }))
    }
    return lines
  }

  @Test func linearHistoryIsOneColumn() { #expect(draw((2, 2), [(2, 2, 1), (1, 1, nil)]) == ["2", "1"]) }

  @Test func branchesJoinAtCommonParent() {
    #expect(
      draw((3, 5), [(3, 5, 3), (3, 4, 2), (2, 3, 1), (2, 2, 1), (1, 1, nil)]) == [
        "5", "| 4", "3 |", "| 2", "|/", "1",
      ])
  }

  @Test func columnsContinueBesideMultilineText() {
    var tree = GraphColumns()
    tree.expect(revision(2, 3))
    var below: [String] = []
    for (depth, letter, parent) in [(2, 3, 1), (2, 2, 1), (1, 1, nil)] as [(UInt32, UInt8, UInt8?)] {
      _ = tree.joins(before: revision(depth, letter))
      _ = tree.draw(revision(depth, letter), "*", parent: parent.map { revision(depth - 1, $0) })
      below.append(tree.below)
    }
    #expect(below == ["|", "| |", ""])
  }

  @Test func threeLeafRevisionsJoinAtCommonParent() {
    #expect(draw((2, 4), [(2, 4, 1), (2, 3, 1), (2, 2, 1), (1, 1, nil)]) == ["4", "| 3", "| | 2", "|_|/", "|/", "1"])
  }

  @Test func branchOfOneRootCrossesAnother() {
    // 5 and 3 come from 1; 4 from 2, another root.
    #expect(
      draw((2, 5), [(2, 5, 1), (2, 4, 2), (2, 3, 1), (1, 1, nil), (1, 2, nil)]) == [
        "5", "| 4", "| | 3", "|_|/", "1 |", "  2",
      ])
  }

  @Test func winnerKeepsFirstColumnDespiteDeeperTombstone() {
    #expect(
      draw((2, 3), [(3, 9, 2), (2, 3, 1), (2, 2, 1), (1, 1, nil)]) == ["  9", "3 |", "| 2", "|/", "1"])
  }
}
