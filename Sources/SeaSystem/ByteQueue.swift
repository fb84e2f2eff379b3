import Glibc

/// A byte queue that leaves its reserved space uninitialized, because initializing the space would be the largest cost.
package final class ByteQueue {
  /// The largest buffer size, in bytes, that an empty queue keeps.
  private static let mostKept = 1 << 22

  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var start = 0
  private var end = 0

  package init() {}

  deinit { memory.deallocate() }

  package var count: Int { end - start }
  package var isEmpty: Bool { start == end }
  /// The queued bytes. The buffer is valid until the queue changes.
  package var waiting: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[start..<end]) }

  private func makeRoom(_ room: Int) {
    guard memory.count - end < room else { return }
    var target = memory
    // The bytes are moved only if the free space before them is at least as large, so each byte is moved at most twice.
    if count + room > memory.count || start < count {
      target = .allocate(byteCount: max(2 * count, 4096) + room, alignment: 16)
    }
    if let from = memory.baseAddress, count > 0 { memmove(target.baseAddress!, from + start, count) }
    if target.baseAddress != memory.baseAddress {
      memory.deallocate()
      memory = target
    }
    (start, end) = (0, count)
  }

  package func append(_ more: UnsafeRawBufferPointer) {
    guard let from = more.baseAddress, more.count > 0 else { return }
    makeRoom(more.count)
    memcpy(memory.baseAddress! + end, from, more.count)
    end += more.count
  }

  package func append(_ more: [UInt8]) { more.withUnsafeBytes { append($0) } }

  /// Lets `fill` write into free space at the end of the queue. `fill` returns the number of bytes that it wrote.
  package func append(
    room: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(SystemError) -> Int
  ) throws(SystemError) {
    makeRoom(room)
    end += try fill(UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + room]))
  }

  package func removeFirst(_ count: Int) {
    start += count
    if start == end { removeAll() }
  }

  package func removeAll() {
    (start, end) = (0, 0)
    if memory.count > ByteQueue.mostKept {
      memory.deallocate()
      memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
    }
  }

  /// Removes and returns a line without its line end. Returns nil if there is no complete line of at most `most` bytes.
  package func line(most: Int) -> String? {
    let rest = waiting
    guard let first = rest.baseAddress, let found = memchr(first, 0x0A, min(rest.count, most + 1)) else { return nil }
    let length = UnsafeRawPointer(first).distance(to: UnsafeRawPointer(found))
    defer { removeFirst(length + 1) }
    return String(decoding: UnsafeRawBufferPointer(rebasing: rest[..<length]), as: UTF8.self)
  }
}
