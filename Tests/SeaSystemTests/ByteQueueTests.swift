import SeaSystem
import SeaTestSupport
import Testing

/// What goes in comes out, in its order, however it is cut.
@Suite struct ByteQueueTests {
  @Test func bytesComeOutInOrder() throws {
    var random = SeededRandom(7)
    let queue = ByteQueue()
    var (kept, next): ([UInt8], UInt8) = ([], 0)
    for round in 0..<4000 {
      let count = Int.random(in: 0..<(round % 100 == 0 ? 200_000 : 3000), using: &random)
      let more = (0..<count).map { _ in
        next &+= 1
        return next
      }
      if round % 2 == 0 {
        queue.append(more)
      } else {
        try queue.append(room: count + 100) { buffer in
          buffer.copyBytes(from: more)
          return count
        }
      }
      kept += more
      let out = Int.random(in: 0...kept.count, using: &random)
      if round % 50 == 0 { #expect(Array(queue.waiting) == kept) }
      #expect(queue.count == kept.count && queue.isEmpty == kept.isEmpty)
      #expect(queue.waiting.first == kept.first && queue.waiting.last == kept.last)
      queue.removeFirst(out)
      kept.removeFirst(out)
    }
  }

  @Test func failedAppendChangesNothing() {
    let queue = ByteQueue()
    queue.append([1, 2])
    #expect(throws: SystemError.self) {
      try queue.append(room: 10) { (_) throws(SystemError) in throw SystemError(call: "read", errno: 5, path: "") }
    }
    #expect(Array(queue.waiting) == [1, 2])
  }

  @Test func onlyCompleteLinesAreReturned() {
    let queue = ByteQueue()
    #expect(queue.line(most: 5) == nil)
    queue.append(Array("ab\n\ncdefg\nhijklm\n".utf8))
    #expect(queue.line(most: 5) == "ab")
    #expect(queue.line(most: 5) == "")
    #expect(queue.line(most: 5) == "cdefg")
    #expect(queue.line(most: 5) == nil)
    #expect(queue.count == 7)
    #expect(queue.line(most: 6) == "hijklm")
    queue.append(Array("half".utf8))
    #expect(queue.line(most: 100) == nil)
  }
}
