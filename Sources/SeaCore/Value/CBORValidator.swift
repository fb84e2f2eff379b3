/// Checks a body against every rule of the format, in linear time.
///
/// As in `TapeEncoder`, the level of a value is its nesting depth in JSON output.
struct CBORValidator {
  var cursor: CBORCursor
  /// Whether the bytes are a draft, in which counters and sets can lack their states and properties can be null.
  let isDraft: Bool
  var hasReferences = false
  var collectsTargets = false
  var targets: [Range<Int>] = []
  var collectsAssets = false
  var assets: [Int] = []
  /// Whether the value is inside a set element or a value with a semantic type. Neither can contain counters or sets.
  var isStateless = false
  /// Whether the last map that was read is a reference or an asset rather than a dictionary.
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

  /// Reads a key of at most 1024 bytes.
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

  /// Reads the map within a `$dict`. The wrapper is valid only if at least one key begins with `$`.
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
  /// Skips the body at the cursor, which must have the canonical encoding.
  /// - Returns: whether the body contains references.
  @discardableResult
  package mutating func skipBody() throws(CoreError) -> Bool {
    var validator = CBORValidator(self)
    try validator.body()
    offset = validator.cursor.offset
    return validator.hasReferences
  }
}

extension CBORValidator {
  mutating func float() throws(CoreError) -> (Double, Int) {
    let head = try cursor.head()
    switch head.info {
    case 25: return (HalfFloat.value(UInt16(truncatingIfNeeded: head.value)), 2)
    case 26: return (Double(Float(bitPattern: UInt32(truncatingIfNeeded: head.value))), 4)
    default: return (Double(bitPattern: head.value), 8)
    }
  }

  mutating func tagged() throws(CoreError) {
    let start = cursor.offset
    switch try cursor.expect(6) {
    case 1:
      let at = cursor.offset
      guard CanonicalNumber.date(try cursor.int(), 0) != nil else { throw fail(.outOfRange, at: at) }
    case CanonicalNumber.extendedTime: try date()
    case CanonicalNumber.calendarDay:
      let at = cursor.offset
      guard CalendarDay.parse(try cursor.run(cursor.expect(3))) != nil else { throw fail(.outOfRange, at: at) }
    case 2, 3: try magnitude()
    case 4:
      guard try cursor.count(4) == 2 else { throw fail(.wrongLength, at: start) }
      let at = cursor.offset
      guard Decimal.exponents.contains(Int(try cursor.int())) else { throw fail(.outOfRange, at: at) }
      try mantissa()
    default: throw fail(.badTag, at: start)
    }
  }

  /// Reads `{1: seconds, -3: milliseconds}`, where the milliseconds must not be 0.
  private mutating func date() throws(CoreError) {
    let start = cursor.offset
    guard try cursor.count(5, least: 2) == 2 else { throw fail(.wrongLength, at: start) }
    let first = try cursor.int()
    guard first == 1 else { throw fail(first == -3 ? .wrongOrder : .badReserved, at: start) }
    let seconds = try cursor.int()
    guard try cursor.int() == -3 else { throw fail(.badReserved, at: start) }
    let milliseconds = try cursor.int()
    guard (1...999).contains(milliseconds), CanonicalNumber.date(seconds, milliseconds) != nil else {
      throw fail(.outOfRange, at: start)
    }
  }

  /// Reads the bytes of a bignum, which must have more than 64 bits and no leading zeros.
  private mutating func magnitude() throws(CoreError) {
    let start = cursor.offset
    let bytes = try cursor.data()
    guard bytes.count <= BigInteger.maxBytes else { throw fail(.outOfRange, at: start) }
    guard bytes.count >= 9, bytes[0] != 0 else { throw fail(.notCanonicalNumber, at: start) }
  }

  private mutating func mantissa() throws(CoreError) {
    let start = cursor.offset
    let head = try cursor.head()
    switch head.major {
    case 0, 1: break
    case 6 where head.value == 2 || head.value == 3: try magnitude()
    default: throw fail(.unexpectedType, at: start)
    }
  }

  mutating func form(_ level: Int) throws(CoreError) {
    let start = cursor.offset
    switch try cursor.count(5, least: 2) {
    case 1:
      if try accept("$ref") {
        try reference()
      } else if try accept("$dict") {
        try wrapped(level &+ 1)
      } else if try accept("$counter"), !isStateless {
        // In JSON, a large number is an object, which adds a level.
        try nest(level &+ 1)
        try counter()
      } else if try accept("$set"), !isStateless {
        try set(level)
      } else {
        throw fail(.badReserved, at: start)
      }
    case 2:
      if try accept("$label") { return try labeled(level) }
      guard try accept("as") else { throw fail(.badReserved, at: start) }
      guard ReferenceText.isKind(try cursor.text()), try accept("$ref") else { throw fail(.badReserved, at: start) }
      try reference()
    case 4:
      guard try accept("mime"), AssetReference.isMIME(try cursor.text()), try accept("size") else {
        throw fail(.badReserved, at: start)
      }
      let size = try cursor.int()
      guard AssetReference.sizes.contains(size), try accept("$asset"),
        AssetReference.isPlace(try cursor.text(), size: size), try accept(AssetReference.digestKey(forSize: size))
      else { throw fail(.badReserved, at: start) }
      _ = try cursor.data(exactly: Digest.size)
      if collectsAssets { assets.append(start) }
      isOneValue = true
    default: throw fail(.badReserved, at: start)
    }
  }

  /// Reads the semantic type and the value of a `$label` map. Null, dictionaries, counters and sets cannot have a type.
  private mutating func labeled(_ level: Int) throws(CoreError) {
    let start = cursor.offset
    guard SemanticType.isValid(try cursor.text()) else { throw fail(.badName, at: start) }
    guard try accept("$value"), cursor.offset < cursor.end else { throw fail(.badReserved, at: start) }
    let at = cursor.offset
    let lead = cursor.base[at]
    guard lead != 0xF6 else { throw fail(.badReserved, at: at) }
    let outside = isStateless
    isStateless = true
    try value(level &+ 1)
    isStateless = outside
    guard lead >> 5 != 5 || isOneValue else { throw fail(.badReserved, at: at) }
    isOneValue = false
  }

  /// Reads the next key if it equals `word`, and returns whether it does.
  private mutating func accept(_ word: StaticString) throws(CoreError) -> Bool {
    let start = cursor.offset
    guard start < cursor.end, cursor.base[start] >> 5 == 3, UTF8Text.equal(try cursor.text(), word) else {
      cursor.offset = start
      return false
    }
    return true
  }

  private mutating func reference() throws(CoreError) {
    let start = cursor.offset
    let id = try cursor.text()
    if Name.fault(in: id) != nil { throw fail(.badName, at: start) }
    hasReferences = true
    isOneValue = true
    if collectsTargets { targets.append(cursor.offset - id.count..<cursor.offset) }
  }

  /// Reads `{instance: [increments, decrements], …}`, where no entry may be zero.
  private mutating func counter() throws(CoreError) {
    if isDraft, cursor.offset < cursor.end, cursor.base[cursor.offset] >> 5 != 5 {
      var reader = ValueReader(cursor: cursor)
      guard try reader.integer().int128 != nil else { throw fail(.outOfRange) }
      cursor = reader.cursor
      return
    }
    var last = Key()
    for _ in 0..<(try cursor.count(5, least: 2)) {
      let start = cursor.offset
      let instance = try cursor.data(exactly: 16)
      try follows(&last, Key(offset: cursor.offset - instance.count, count: instance.count), start)
      guard try cursor.count(4) == 2 else { throw fail(.wrongLength, at: start) }
      let increments = try cursor.expect(0)
      let decrements = try cursor.expect(0)
      guard increments > 0 || decrements > 0 else { throw fail(.badReserved, at: start) }
    }
  }

  /// Reads `[[element, [tag, …]], …]`, sorted by the encoded elements. A tag is either a digest or empty.
  private mutating func set(_ level: Int) throws(CoreError) {
    try nest(level &+ 1)
    isStateless = true
    var last = 0..<0
    for _ in 0..<(try cursor.count(4, least: 3)) {
      guard try cursor.count(4) == 2 else { throw fail(.wrongLength) }
      let start = cursor.offset
      try value(level &+ 2)
      let element = start..<cursor.offset
      if !last.isEmpty {
        let order = UTF8Text.compare(
          UnsafeBufferPointer(start: cursor.base + last.lowerBound, count: last.count),
          UnsafeBufferPointer(start: cursor.base + element.lowerBound, count: element.count))
        if order == 0 { throw fail(.duplicateKey, at: start) }
        if order > 0 { throw fail(.wrongOrder, at: start) }
      }
      last = element
      try tags()
    }
    isStateless = false
  }

  private mutating func tags() throws(CoreError) {
    let start = cursor.offset
    let count = try cursor.count(4)
    guard count > 0 || isDraft else { throw fail(.wrongLength, at: start) }
    var last = Key()
    for _ in 0..<count {
      let at = cursor.offset
      let tag = try cursor.data()
      guard tag.isEmpty || tag.count == Digest.size else { throw fail(.wrongLength, at: at) }
      try follows(&last, Key(offset: cursor.offset - tag.count, count: tag.count), at)
    }
  }
}
