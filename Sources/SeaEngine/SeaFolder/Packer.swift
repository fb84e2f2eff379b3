import SeaCore

/// A value that names its fields once, in the order in which they are stored: the same lines write it and read it.
protocol Packed {
  init()
  mutating func pack(_ packer: inout Packer)
}

/// Writes values as bytes, or sets them to what bytes say.
struct Packer: ~Copyable {
  fileprivate var reader: ByteReader?
  fileprivate var writer = ByteWriter()
  /// Whether what was read so far is what was once written.
  private var isSound = true

  init() {}
  init(reading bytes: [UInt8]) { reader = ByteReader(bytes) }

  var bytes: [UInt8] { writer.array() }

  /// Whether all bytes were read, and are what was once written.
  var isWhole: Bool { isSound && reader?.isAtEnd != false }

  mutating func check(_ condition: Bool) { isSound = isSound && condition }

  /// Fails to read where something else stands.
  mutating func check(_ constant: UInt32) {
    var value = constant
    value.pack(&self)
    check(value == constant)
  }

  mutating func pack<A: Packed, B: Packed>(_ a: inout A, _ b: inout B) {
    a.pack(&self)
    b.pack(&self)
  }

  mutating func pack<A: Packed, B: Packed, C: Packed>(_ a: inout A, _ b: inout B, _ c: inout C) {
    pack(&a, &b)
    c.pack(&self)
  }

  mutating func pack<A: Packed, B: Packed, C: Packed, D: Packed>(
    _ a: inout A, _ b: inout B, _ c: inout C, _ d: inout D
  ) {
    pack(&a, &b)
    pack(&c, &d)
  }

  mutating func pack<A: Packed, B: Packed, C: Packed, D: Packed, E: Packed>(
    _ a: inout A, _ b: inout B, _ c: inout C, _ d: inout D, _ e: inout E
  ) {
    pack(&a, &b, &c)
    pack(&d, &e)
  }

  /// - Returns: the value itself when it is written, else what was read.
  fileprivate mutating func value<Value>(
    _ value: Value, _ read: (inout ByteReader) -> Value?, _ write: (inout ByteWriter, Value) -> Void
  ) -> Value {
    guard reader != nil else {
      write(&writer, value)
      return value
    }
    let found = isSound ? read(&reader!) : nil
    isSound = found != nil
    return found ?? value
  }

  fileprivate mutating func list<Element: Packed>(_ list: some Collection<Element>) -> [Element] {
    var count = UInt32(list.count)
    count.pack(&self)
    guard reader != nil else {
      for var element in list { element.pack(&self) }
      return []
    }
    var read: [Element] = []
    for _ in 0..<count {
      guard isSound else { break }
      var element = Element()
      element.pack(&self)
      read.append(element)
    }
    return read
  }

  fileprivate var reads: Bool { reader != nil }
}

extension UInt32: Packed {
  mutating func pack(_ packer: inout Packer) { self = packer.value(self, { $0.uint32() }) { $0.uint32($1) } }
}

extension UInt64: Packed {
  mutating func pack(_ packer: inout Packer) {
    self = packer.value(self, { $0.uint64() }) { $0.int64(Int64(bitPattern: $1)) }
  }
}

extension Int64: Packed {
  mutating func pack(_ packer: inout Packer) { self = packer.value(self, { $0.int64() }) { $0.int64($1) } }
}

extension Bool: Packed {
  mutating func pack(_ packer: inout Packer) {
    self = packer.value(self, { $0.byte().map { $0 != 0 } }) { $0.byte($1 ? 1 : 0) }
  }
}

extension UUID: Packed {
  init() { self.init(high: 0, low: 0) }
  mutating func pack(_ packer: inout Packer) { self = packer.value(self, { $0.uuid() }) { $0.append($1.bytes) } }
}

extension Digest: Packed {
  init() { self = .zero }
  mutating func pack(_ packer: inout Packer) { self = packer.value(self, { $0.digest() }) { $0.append($1.bytes) } }
}

extension BranchID: Packed {
  init() { self.init(UUID()) }

  mutating func pack(_ packer: inout Packer) {
    var (instance, fork) = (instance, fork.flatMap { UUID($0.bytes) })
    packer.pack(&instance, &fork)
    if packer.reads { self = BranchID(instance, fork: fork.flatMap { ForkID($0.bytes) }) }
  }
}

extension BlockRef: Packed {
  init() { self.init(BranchID(), index: 0, digest: .zero) }

  mutating func pack(_ packer: inout Packer) { packer.pack(&branch, &index, &digest) }
}

extension String: Packed {
  mutating func pack(_ packer: inout Packer) {
    var bytes = Array(utf8)
    bytes.pack(&packer)
    if packer.reads { self = String(decoding: bytes, as: UTF8.self) }
  }
}

extension UInt8: Packed {
  mutating func pack(_ packer: inout Packer) { self = packer.value(self, { $0.byte() }) { $0.byte($1) } }
}

extension Optional: Packed where Wrapped: Packed {
  init() { self = nil }

  mutating func pack(_ packer: inout Packer) {
    var isThere = self != nil
    isThere.pack(&packer)
    guard isThere else {
      self = nil
      return
    }
    var value = self ?? Wrapped()
    value.pack(&packer)
    self = value
  }
}

extension Array: Packed where Element: Packed {
  mutating func pack(_ packer: inout Packer) {
    let read = packer.list(self)
    if packer.reads { self = read }
  }
}

extension Set: Packed where Element: Packed & Comparable {
  mutating func pack(_ packer: inout Packer) {
    let read = packer.list(packer.reads ? [] : sorted())
    if packer.reads { self = Set(read) }
  }
}

extension Dictionary: Packed where Key: Packed & Comparable, Value: Packed {
  private struct Entry: Packed {
    var key = Key()
    var value = Value()

    mutating func pack(_ packer: inout Packer) { packer.pack(&key, &value) }
  }

  mutating func pack(_ packer: inout Packer) {
    let entries = packer.reads ? [] : sorted { $0.key < $1.key }.map { Entry(key: $0.key, value: $0.value) }
    let read = packer.list(entries)
    if packer.reads { self = Dictionary(read.map { ($0.key, $0.value) }) { $1 } }
  }
}
