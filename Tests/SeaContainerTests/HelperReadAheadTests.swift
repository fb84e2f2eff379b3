import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// How much is asked for of a chain behind a helper: elsewhere each request costs.
extension HelperContainerTests {
  /// What follows in a long chain is on its way meanwhile, and nothing is asked for twice.
  @Test func packsArePrefetched() throws {
    try near.write(0..<5000)
    #expect(try near.lastIndex(of: alpha) == 4999)
    _ = try near.fold(alpha)
    _ = try far.chains()
    let before = far.requests
    var asked: [Int] = []
    let end = try far.readBlocks(of: alpha, from: 0) { index, _ in
      if index % 1000 == 0 { asked.append(far.requests - before) }
      return true
    }
    #expect(end == .end(next: 5000))
    #expect(asked == [1, 3, 5, 5, 5])
    let then = far.requests
    #expect(try far.readBlocks(of: alpha, from: 4500) { index, _ in index < 4900 } == .stopped(next: 4900))
    #expect(far.requests == then + 1)
    // What goes before it is asked for is a gap.
    let file = "c/transactions/\(alpha)/\(Layout.Leaf(containing: 3000).foldedPath)"
    let found = try far.readBlocks(of: alpha, from: 0) { index, _ in
      if index == 500 { try Path.remove(folder.path(file)) }
      return true
    }
    #expect(found == .gap(index: 3000, later: 4999))
  }
}
