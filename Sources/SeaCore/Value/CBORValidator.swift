/// Walks a body and holds it against every rule of the format, in time linear in its length.
///
/// Levels are counted as `TapeEncoder` counts them, in the JSON form of the value.
struct CBORValidator {
  var cursor: CBORCursor
  /// A counter or set may be a draft: a value instead of a state. Nulls may be properties.
  let isDraft: Bool
  var hasReferences = false
  var collectsTargets = false
  /// The ids that references name, as ranges of the bytes.
  var targets: [Range<Int>] = []
  var collectsAssets = false
  /// Where the maps begin that are references to assets.
  var assets: [Int] = []
  /// Within an element of a set or a labelled value, where neither counter nor set may stand.
  var isStateless = false
  /// Whether the last map was a reference or an asset: one value, and not a dictionary.
  var isOneValue = false

  init(_ cursor: CBORCursor, draft: Bool = false) {
    self.cursor = cursor
    isDraft = draft
  }

  @inline(never) func fail(_ fault: EncodingFault) -> CoreError { cursor.fail(fault) }
  @inline(never) func fail(_ fault: EncodingFault, at offset: Int) -> CoreError { .badEncoding(fault, offset: offset) }

  @inline(__always) func nest(_ level: Int) throws(CoreError) {
    if level >= Value.maxDepth { throw fail(.tooDeep) }
  }

  mutating func body() throws(CoreError) {
    let count = try cursor.count(5, least: 2)
    var last = Key()
    for _ in 0..<count {
      let start = cursor.offset
      let key = try key()
      if let fault = Name.propertyFault(in: bytes(key)) { throw fail(Self.fault(fault), at: start) }
      try follows(&last, key, start)
      if !isDraft, cursor.offset < cursor.end, cursor.base[cursor.offset] == 0xF6 { throw fail(.nullValue) }
      try value(1)
    }
  }

  private static func fault(_ fault: NameFault) -> EncodingFault {
    switch fault {
    case .empty: .emptyName
    case .tooLong: .nameTooLong
    case .badStart: .badReserved
    default: .badName
    }
  }

  struct Key {
    var offset = 0
    var count = -1
  }

  @inline(__always) func bytes(_ key: Key) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: cursor.base + key.offset, count: key.count)
  }

  /// A key, at most 1024 bytes of UTF-8.
  @inline(__always) mutating func key() throws(CoreError) -> Key {
    let start = cursor.offset
    try text()
    let count: Int
    let lead = cursor.base[start]
    if lead < 0x78 {
      count = Int(lead & 31)
    } else {
      count = cursor.offset &- start &- (lead == 0x78 ? 2 : lead == 0x79 ? 3 : lead == 0x7A ? 5 : 9)
      if count > Name.maxPropertyLength { throw fail(.nameTooLong, at: start) }
    }
    return Key(offset: cursor.offset &- count, count: count)
  }

  /// Keys ascend: shorter ones first, then by their bytes.
  @inline(__always) func follows(_ last: inout Key, _ key: Key, _ start: Int) throws(CoreError) {
    if key.count > last.count {
      last = key
      return
    }
    guard key.count == last.count else { throw fail(.wrongOrder, at: start) }
    var k = 0
    let a = cursor.base + last.offset
    let b = cursor.base + key.offset
    while k < key.count, a[k] == b[k] { k &+= 1 }
    guard k < key.count else { throw fail(.duplicateKey, at: start) }
    guard a[k] < b[k] else { throw fail(.wrongOrder, at: start) }
    last = key
  }

  @inline(__always) mutating func text() throws(CoreError) {
    let length = try cursor.expect(3)
    let start = cursor.offset
    guard length <= UInt64(cursor.end &- start) else { throw fail(.truncated) }
    let count = Int(length)
    cursor.offset = start &+ count
    if !isASCII(start, count), let fault = UTF8Text.fault(in: bytes(Key(offset: start, count: count))) {
      throw fail(.notUTF8, at: start &+ fault.offset)
    }
  }

  @inline(__always) private func isASCII(_ start: Int, _ count: Int) -> Bool {
    let p = UnsafeRawPointer(cursor.base + start)
    let high: UInt64 = 0x8080_8080_8080_8080
    if count < 8 {
      if cursor.end &- start >= 8 {
        let word = UInt64(littleEndian: p.loadUnaligned(as: UInt64.self))
        return word & high & ((1 << UInt64(count &* 8)) &- 1) == 0
      }
      return false
    }
    var all: UInt64 = p.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
    var k = 0
    while k &+ 8 < count {
      all |= p.loadUnaligned(fromByteOffset: k, as: UInt64.self)
      k &+= 8
    }
    return all & high == 0
  }

  mutating func value(_ level: Int) throws(CoreError) {
    guard cursor.offset < cursor.end else { throw fail(.truncated) }
    let start = cursor.offset
    let lead = cursor.base[start]
    switch lead >> 5 {
    case 0, 1:
      if lead & 31 < 24 {
        cursor.offset = start &+ 1
      } else {
        let magnitude = try cursor.head().value
        if magnitude > 1 << 53 &- UInt64(lead >> 5) { try nest(level) }
      }
    case 2:
      try nest(level)
      _ = try cursor.data()
    case 3: try text()
    case 4:
      try nest(level)
      for _ in 0..<(try cursor.count(4)) { try value(level &+ 1) }
    case 5: try map(level)
    case 6:
      try nest(level)
      try tagged()
    default:
      switch lead {
      case 0xF4, 0xF5, 0xF6: cursor.offset = start &+ 1
      case 0xF9, 0xFA, 0xFB:
        let (value, width) = try float()
        guard value.isFinite else { throw fail(.notFinite, at: start) }
        guard CanonicalNumber.mayBeFloat(value) else { throw fail(.notCanonicalNumber, at: start) }
        guard CanonicalNumber.isShortest(value, width: width) else { throw fail(.notShortest, at: start) }
      default: throw fail(lead & 31 > 27 ? .indefinite : .unexpectedType)
      }
    }
  }

  private mutating func map(_ level: Int) throws(CoreError) {
    try nest(level)
    let start = cursor.offset
    let count = try cursor.count(5, least: 2)
    var last = Key()
    for _ in 0..<count {
      let at = cursor.offset
      let key = try key()
      if key.count > 0, cursor.base[key.offset] == 0x24 {
        cursor.offset = start
        return try form(level)
      }
      try follows(&last, key, at)
      try value(level &+ 1)
    }
    isOneValue = false
  }

  /// The map inside a `$dict`: at least one key begins with `$`, or it would need no wrapper.
  mutating func wrapped(_ level: Int) throws(CoreError) {
    try nest(level)
    let start = cursor.offset
    var dollar = false
    var last = Key()
    for _ in 0..<(try cursor.count(5, least: 2)) {
      let at = cursor.offset
      let key = try key()
      if key.count > 0, cursor.base[key.offset] == 0x24 { dollar = true }
      try follows(&last, key, at)
      try value(level &+ 1)
    }
    guard dollar else { throw fail(.badReserved, at: start) }
    isOneValue = false
  }
}

extension CBORCursor {
  /// Passes over the body that stands here, which must be the one encoding of what it says.
  /// True: it has references.
  @discardableResult
  package mutating func skipBody() throws(CoreError) -> Bool {
    var validator = CBORValidator(self)
    try validator.body()
    offset = validator.cursor.offset
    return validator.hasReferences
  }
}
