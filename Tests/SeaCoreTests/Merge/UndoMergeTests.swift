import SeaCore
import Testing

@Suite struct UndoMergeTests {
  private let one = UUID(high: 1, low: 1)
  private let other = UUID(high: 2, low: 2)

  /// A counter, and a content that has it in a dictionary.
  private func counted(_ counts: [(UUID, Int128)]) throws -> (counter: Counter, content: Content) {
    var counter = Counter()
    for (instance, delta) in counts { try counter.add(delta, by: instance) }
    let inner = Members([("c", Value.counter(counter))])
    return (counter, Content(type: nil, body: .dictionary(Members([("in", .dictionary(inner))]))))
  }

  /// A revision that stands for what an operation made may know less than that, even of what there was before. What was
  /// counted is told by what the operation itself made.
  @Test func counterUndoUsesValueTheOperationMade() throws {
    let before = try counted([(one, 5), (other, 30)])
    let made = try counted([(one, 5), (other, 30), (one, 50)])
    let now = try counted([(one, 5), (other, 30), (one, 50), (other, 7)])
    let standIn = try counted([(one, 55)])
    var asked: [[String]] = []
    let back = UndoMerge(before: before.content, after: standIn.content, made: made.content, now: now.content) {
      asked.append($3)
      #expect($0 == before.counter && $1 == made.counter && $2 == now.counter && $4)
      return before.counter
    }
    #expect(asked == [["in", "c"]])
    #expect(back.content == before.content && back.clashes.isEmpty)
  }

  /// Where the operation itself made no counter, what stands for it tells.
  @Test func counterUndoFallsBackToStandInRevision() throws {
    let (before, after) = (try counted([(one, 5)]), try counted([(one, 55)]))
    let made = Content(type: nil, body: .dictionary(Members([("in", .integer(1))])))
    let back = UndoMerge(before: before.content, after: after.content, made: made, now: after.content) {
      old, new, _, _, _ in
      #expect(new == after.counter)
      return old
    }
    #expect(back.content == before.content)
  }
}
