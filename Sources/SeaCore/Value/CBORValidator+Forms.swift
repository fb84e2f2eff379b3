extension CBORValidator {
  /// A float and its width in bytes.
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
    case 2, 3: try magnitude()
    case 4:
      guard try cursor.count(4) == 2 else { throw fail(.wrongLength, at: start) }
      let at = cursor.offset
      guard Decimal.exponents.contains(Int(try cursor.int())) else { throw fail(.outOfRange, at: at) }
      try mantissa()
    default: throw fail(.badTag, at: start)
    }
  }

  /// `{1: seconds, -3: milliseconds}`, the milliseconds not 0.
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

  /// The bytes of a bignum: more than an integer of 64 bits needs, none of them in vain.
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

  /// A map that has a key beginning with `$`.
  mutating func form(_ level: Int) throws(CoreError) {
    let start = cursor.offset
    switch try cursor.count(5, least: 2) {
    case 1:
      if try take("$ref") {
        try reference()
      } else if try take("$dict") {
        try wrapped(level &+ 1)
      } else if try take("$counter"), !isStateless {
        // Its number may be printed as an object.
        try nest(level &+ 1)
        try counter()
      } else if try take("$set"), !isStateless {
        try set(level)
      } else {
        throw fail(.badReserved, at: start)
      }
    case 2:
      if try take("$label") { return try labelled(level) }
      guard try take("as") else { throw fail(.badReserved, at: start) }
      guard ReferenceText.isKind(try cursor.text()), try take("$ref") else { throw fail(.badReserved, at: start) }
      try reference()
    case 4:
      guard try take("mime"), AssetReference.isMIME(try cursor.text()), try take("size") else {
        throw fail(.badReserved, at: start)
      }
      let size = try cursor.int()
      guard AssetReference.sizes.contains(size), try take("$asset"),
        AssetReference.isPlace(try cursor.text(), size: size), try take("sha256")
      else { throw fail(.badReserved, at: start) }
      _ = try cursor.data(exactly: Digest.size)
      if collectsAssets { assets.append(start) }
      isOneValue = true
    default: throw fail(.badReserved, at: start)
    }
  }

  /// What follows `$label`: the semantic type, and a value that is neither null nor a dictionary, has no state and no
  /// semantic type of its own.
  private mutating func labelled(_ level: Int) throws(CoreError) {
    let start = cursor.offset
    guard SemanticType.isValid(try cursor.text()) else { throw fail(.badName, at: start) }
    guard try take("$value"), cursor.offset < cursor.end else { throw fail(.badReserved, at: start) }
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

  /// True, and the key is read, if it stands here.
  private mutating func take(_ word: StaticString) throws(CoreError) -> Bool {
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

  /// `{instance: [increments, decrements], …}`; no entry that says nothing.
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

  /// `[[element, [tag, …]], …]`, sorted by the elements' encodings; a tag is a digest or empty.
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
