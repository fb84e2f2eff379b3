/// A stack of plain values that keeps its memory when emptied.
struct ReusableStack<Element: BitwiseCopyable>: ~Copyable {
  private(set) var base: UnsafeMutablePointer<Element>
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int) {
    self.capacity = max(capacity, 1)
    base = .allocate(capacity: self.capacity)
  }

  deinit { base.deallocate() }

  @inline(__always) mutating func append(_ element: Element) {
    if count == capacity { grow() }
    (base + count).initialize(to: element)
    count &+= 1
  }

  @inline(never) private mutating func grow() {
    let moved = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    moved.moveInitialize(from: base, count: count)
    base.deallocate()
    base = moved
    capacity *= 2
  }

  @inline(__always) mutating func truncate(to length: Int) { count = min(count, length) }
}
