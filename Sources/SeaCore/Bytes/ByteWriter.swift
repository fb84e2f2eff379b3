import func Glibc.free
import func Glibc.realloc

/// Encoders share and reuse one buffer, because appending many short pieces to an `Array` is several times slower.
package struct ByteWriter: ~Copyable {
  package private(set) var base: UnsafeMutablePointer<UInt8>
  package private(set) var count = 0
  private var capacity: Int
  /// The number of bytes at which `flushIfFull` flushes the buffer.
  private var most = Int.max
  private var sink: ((UnsafeBufferPointer<UInt8>) -> Void)?

  package init(capacity: Int = 1 << 10) {
    self.capacity = max(capacity, 16)
    base = ByteWriter.memory(nil, self.capacity)
  }

  deinit { free(base) }

  /// The bytes written so far; valid until the next write.
  package var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: base, count: count) }

  package func array() -> [UInt8] { Array(bytes) }

  package mutating func reserve(_ more: Int) {
    if count &+ more > capacity { grow(more) }
  }

  @inline(never) private mutating func grow(_ more: Int) {
    capacity = max(capacity * 2, count + more)
    base = ByteWriter.memory(base, capacity)
  }

  /// When a large buffer grows, `realloc` moves its pages without copying them.
  private static func memory(_ old: UnsafeMutablePointer<UInt8>?, _ size: Int) -> UnsafeMutablePointer<UInt8> {
    guard let memory = realloc(old, size) else { fatalError("out of memory") }
    return memory.assumingMemoryBound(to: UInt8.self)
  }

  package mutating func byte(_ value: UInt8) {
    reserve(1)
    base[count] = value
    count &+= 1
  }

  package mutating func append(_ source: UnsafePointer<UInt8>, count length: Int) {
    reserve(length)
    (base + count).update(from: source, count: length)
    count &+= length
  }

  package mutating func append(_ source: UnsafeBufferPointer<UInt8>) {
    if let start = source.baseAddress { append(start, count: source.count) }
  }

  package mutating func append(_ source: UnsafeRawBufferPointer) {
    guard let start = source.baseAddress else { return }
    reserve(source.count)
    UnsafeMutableRawPointer(base + count).copyMemory(from: start, byteCount: source.count)
    count &+= source.count
  }

  package mutating func append(_ source: [UInt8]) { source.withUnsafeBufferPointer { append($0) } }

  package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  package mutating func uint32(_ value: UInt32) {
    reserve(4)
    UnsafeMutableRawPointer(base + count).storeBytes(of: value.bigEndian, as: UInt32.self)
    count &+= 4
  }

  package mutating func uint64(_ value: UInt64) {
    reserve(8)
    UnsafeMutableRawPointer(base + count).storeBytes(of: value.bigEndian, as: UInt64.self)
    count &+= 8
  }

  package mutating func int64(_ value: Int64) { uint64(UInt64(bitPattern: value)) }

  /// Makes `flushIfFull` flush the written bytes to `sink` as soon as there are at least `most` bytes.
  package mutating func flushes(over most: Int, to sink: @escaping (UnsafeBufferPointer<UInt8>) -> Void) {
    self.most = most
    self.sink = sink
  }

  /// Marks a position where the buffer may be flushed.
  @inline(__always) package mutating func flushIfFull() {
    if count >= most { flushes() }
  }

  @inline(never) private mutating func flushes() {
    sink?(bytes)
    count = 0
  }

  package mutating func truncate(to length: Int) {
    precondition(length >= 0 && length <= count)
    count = length
  }

  package mutating func removeFirst(_ length: Int) {
    precondition(length >= 0 && length <= count)
    base.update(from: base + length, count: count - length)
    count &-= length
  }

  package mutating func overwrite(at offset: Int, _ source: UnsafeRawBufferPointer) {
    precondition(offset >= 0 && offset + source.count <= count)
    if let start = source.baseAddress {
      UnsafeMutableRawPointer(base + offset).copyMemory(from: start, byteCount: source.count)
    }
  }
}
