/// Converts a tape to canonical CBOR. Memory is allocated only for sets and large numbers.
///
/// The level of a value is its nesting depth in JSON output, so that anything printed can be read back. The encoder
/// points into a tape, so it must not outlive the call that created it.
struct TapeEncoder {
  let nodes: UnsafePointer<JSONTape.Node>
  let order: UnsafePointer<UInt32>
  let runs: UnsafePointer<JSONTape.Run>
  let unescaped: UnsafePointer<UInt8>
  let text: UnsafePointer<UInt8>
  let origin: Int
  let limits: RecordLimits
  var hasReferences = false
  var needsState = false
  /// Whether the value is inside a set element or a value with a semantic type. Neither can contain counters or sets.
  var isStateless = false

  init(_ tape: borrowing JSONTape, _ bytes: UnsafeBufferPointer<UInt8>, _ limits: RecordLimits) {
    nodes = UnsafePointer(tape.nodes.base)
    order = UnsafePointer(tape.order.base)
    runs = UnsafePointer(tape.runs.base)
    unescaped = UnsafePointer(tape.unescaped.base)
    text = (bytes.baseAddress ?? UnsafePointer(bitPattern: 1)!) + tape.origin
    origin = tape.origin
    self.limits = limits
  }

  func fail(_ fault: JSONFault, _ node: Int) -> CoreError { .badJSON(fault, offset: offset(of: node)) }

  func offset(of node: Int) -> Int {
    let kind = nodes[node].kind
    let quote = kind == .string || kind == .unescaped ? 1 : 0
    return origin &+ Int(nodes[node].start) &- quote
  }

  @inline(__always) func bytes(_ node: Int) -> UnsafeBufferPointer<UInt8> {
    let n = nodes[node]
    if n.kind == .unescaped {
      let run = runs[Int(n.end)]
      return UnsafeBufferPointer(start: unescaped + run.start, count: run.count)
    }
    return UnsafeBufferPointer(start: text + Int(n.start), count: Int(n.end &- n.start))
  }

  func string(_ node: Int) -> UnsafeBufferPointer<UInt8>? {
    let kind = nodes[node].kind
    return kind == .string || kind == .unescaped ? bytes(node) : nil
  }

  @inline(__always) mutating func value(_ k: Int, _ level: Int, into w: inout ByteWriter) throws(CoreError) {
    switch nodes[k].kind {
    case .null: w.cborNull()
    case .no: w.byte(0xF4)
    case .yes: w.byte(0xF5)
    case .integer: try integer(k, level, into: &w)
    case .number: try number(k, level, into: &w)
    case .string, .unescaped: w.cborText(bytes(k))
    case .array: try array(k, level, into: &w)
    case .object: try object(k, level, into: &w)
    }
  }

  func nest(_ level: Int, _ node: Int) throws(CoreError) {
    if level >= Value.maxDepth { throw fail(.tooDeep, node) }
  }

  mutating func array(_ k: Int, _ level: Int, into w: inout ByteWriter) throws(CoreError) {
    try nest(level, k)
    w.cborArray(Int(nodes[k].end))
    var child = k &+ 1
    let stop = Int(nodes[k].next)
    while child < stop {
      try value(child, level &+ 1, into: &w)
      child = Int(nodes[child].next)
    }
  }

  mutating func object(_ k: Int, _ level: Int, into w: inout ByteWriter) throws(CoreError) {
    try nest(level, k)
    if nodes[k].dollar { return try form(k, level, into: &w) }
    try members(k, level, into: &w)
  }

  /// Writes the members of an object whose keys have no special meaning.
  mutating func members(_ k: Int, _ level: Int, into w: inout ByteWriter) throws(CoreError) {
    let list = Int(nodes[k].end)
    let count = Int(order[list])
    w.cborMap(count)
    var j = 1
    while j <= count {
      let key = Int(order[list &+ j])
      let name = bytes(key)
      if name.count > Name.maxPropertyLength { throw fail(.nameTooLong, key) }
      w.cborText(name)
      try value(key &+ 1, level &+ 1, into: &w)
      j &+= 1
    }
  }
}

/// Encodes a JSON number without losing any digits. An integral number becomes an integer. Any other number becomes a
/// double if its shortest decimal form equals the number; otherwise, it becomes a decimal.
extension TapeEncoder {
  /// The largest integer that is printed as a JSON number. Larger integers are printed as `$int`, one level deeper.
  static let plainInteger: UInt64 = 1 << 53

  @inline(__always)
  mutating func integer(_ k: Int, _ level: Int, into w: inout ByteWriter) throws(CoreError) {
    let digits = bytes(k)
    let isNegative = digits[0] == 0x2D
    guard digits.count <= 18 else { return try longInteger(digits, k, level, .numberOutOfRange, into: &w) }
    var value: UInt64 = 0
    var j = isNegative ? 1 : 0
    while j < digits.count {
      value = value &* 10 &+ UInt64(digits[j] &- 0x30)
      j &+= 1
    }
    if value > TapeEncoder.plainInteger { try nest(level, k) }
    w.cborInteger(isNegative: isNegative, value)
  }

  @inline(never)
  func longInteger(
    _ text: UnsafeBufferPointer<UInt8>, _ k: Int, _ level: Int, _ fault: JSONFault, into w: inout ByteWriter
  ) throws(CoreError) {
    let isNegative = text[0] == 0x2D
    let digits = UnsafeBufferPointer(rebasing: text[(isNegative ? 1 : 0)...])
    guard let magnitude = BigInteger.magnitude(ofDigits: digits), let value = bounded(isNegative, magnitude) else {
      throw fail(fault, k)
    }
    if let small = value.int64, small.magnitude <= TapeEncoder.plainInteger {
      w.cborInt(small)
    } else {
      try nest(level, k)
      w.cborInteger(value)
    }
  }

  /// Returns the integer; nil if its encoding is too long.
  private func bounded(_ isNegative: Bool, _ magnitude: [UInt8]) -> BigInteger? {
    let value = BigInteger(isNegative: isNegative, magnitude: magnitude)
    if value.magnitude.count <= BigInteger.maxBytes { return value }
    return isNegative && BigInteger.decremented(value.magnitude).count <= BigInteger.maxBytes ? value : nil
  }

  @inline(never)
  func number(_ k: Int, _ level: Int, into w: inout ByteWriter) throws(CoreError) {
    let text = bytes(k)
    let number = NumberText(text)
    if let whole = number.wholeMagnitude {
      if whole > TapeEncoder.plainInteger { try nest(level, k) }
      return w.cborInteger(isNegative: number.isNegative, whole)
    }
    if number.count == 20, number.exponent == 0, let magnitude = number.magnitude(text, zeros: 0) {
      let value = BigInteger(isNegative: number.isNegative, magnitude: magnitude)
      let stored = value.isNegative ? BigInteger.decremented(magnitude) : magnitude
      if stored.count <= 8 {
        try nest(level, k)
        return w.cborInteger(value)
      }
    }
    if let double = number.double { return w.cborFloat(double) }
    try nest(level, k)
    try decimal(number, text, zeros: 0, k, .numberOutOfRange, into: &w)
  }

  func decimal(
    _ number: NumberText, _ text: UnsafeBufferPointer<UInt8>, zeros: Int, _ k: Int, _ fault: JSONFault,
    into w: inout ByteWriter
  ) throws(CoreError) {
    let exponent = number.exponent - zeros
    guard Decimal.exponents.contains(exponent) else { throw fail(fault, k) }
    if number.count <= 19, zeros == 0 {
      w.byte(0xC4)
      w.byte(0x82)
      w.cborInt(Int64(exponent))
      w.cborInteger(isNegative: number.isNegative, number.count == 0 ? 0 : number.mantissa)
      return
    }
    guard let magnitude = number.magnitude(text, zeros: zeros), let mantissa = bounded(number.isNegative, magnitude)
    else { throw fail(fault, k) }
    w.cborDecimal(Decimal(exponent: exponent, mantissa: mantissa))
  }
}

extension TapeEncoder {
  mutating func record(into w: inout ByteWriter) throws(CoreError) -> RecordInput {
    if let names = limits.names { return try record(names, into: &w) }
    var input = RecordInput()
    let list = Int(order.advanced(by: Int(nodes[0].end)).pointee)
    let keys = order + Int(nodes[0].end) + 1
    var count = 0
    // Only `sea get --meta` prints `_instance`. If `_instance` is absent, `_revParent` comes from a history.
    var sign: Int?
    var isPrinted = false
    for j in 0..<list {
      let key = Int(keys[j])
      let name = bytes(key)
      if name.first == 0x5F {
        if !limits.isHistory, UTF8Text.equal(name, "_revParent") { sign = key }
        if UTF8Text.equal(name, "_instance") { isPrinted = true }
        try reserved(name, key, into: &input)
      } else {
        if let fault = Name.propertyFault(in: name) { throw fail(.property, fault, name, key) }
        if nodes[key &+ 1].kind != .null || limits.keepsNulls { count &+= 1 }
      }
    }
    if let sign, !isPrinted { throw fail(.revision, sign) }
    let start = w.count
    w.cborMap(count)
    for j in 0..<list {
      let key = Int(keys[j])
      let name = bytes(key)
      if name.first == 0x5F || (nodes[key &+ 1].kind == .null && !limits.keepsNulls) { continue }
      w.cborText(name)
      try value(key &+ 1, 1, into: &w)
    }
    input.hasReferences = hasReferences
    input.needsState = needsState
    input.body = start..<w.count
    return input
  }

  /// Writes a record whose keys get new names.
  private mutating func record(_ names: NameMap, into w: inout ByteWriter) throws(CoreError) -> RecordInput {
    var input = RecordInput()
    var members: [(name: [UInt8], key: Int)] = []
    let list = Int(nodes[0].end)
    for j in 0..<Int(order[list]) {
      let key = Int(order[list + 1 + j])
      let name = names.name(bytes(key)) ?? Array(bytes(key))
      if name.isEmpty, !bytes(key).isEmpty { continue }
      if name.first == 0x5F {
        if name == Array("_revParent".utf8) { throw fail(.revision, key) }
        let place = key
        try name.withUnsafeBufferPointer { (name) throws(CoreError) in try reserved(name, place, into: &input) }
        continue
      }
      let fault = name.withUnsafeBufferPointer { Name.propertyFault(in: $0) }
      if let fault {
        throw .badMember(.property, fault, String(decoding: name, as: UTF8.self), offset: offset(of: key))
      }
      if nodes[key + 1].kind != .null || limits.keepsNulls { members.append((name, key)) }
    }
    members.sort { x, y in
      x.name.count == y.name.count ? x.name.lexicographicallyPrecedes(y.name) : x.name.count < y.name.count
    }
    let start = w.count
    w.cborMap(members.count)
    for (k, member) in members.enumerated() {
      if k > 0, members[k - 1].name == member.name {
        throw fail(.duplicateKey, max(members[k - 1].key, member.key))
      }
      member.name.withUnsafeBufferPointer { w.cborText($0) }
      try value(member.key + 1, 1, into: &w)
    }
    input.hasReferences = hasReferences
    input.needsState = needsState
    input.body = start..<w.count
    return input
  }

  private func reserved(
    _ name: UnsafeBufferPointer<UInt8>, _ key: Int, into input: inout RecordInput
  ) throws(CoreError) {
    let value = key &+ 1
    func given(_ word: StaticString) -> Bool { UTF8Text.equal(name, word) }
    if given("_id") {
      input.id = try limits.isForeign ? foreignID(value) : self.name(.id, value)
    } else if given("_type") {
      input.type = try self.name(.type, value)
    } else if given("_rev") {
      if nodes[value].kind == .null || limits.ignoresRevision { return }
      input.rev = try revision(value)
    } else if given("_deleted") {
      switch nodes[value].kind {
      case .yes: input.deleted = true
      case .no, .null: break
      default: throw fail(.badReserved, value)
      }
    } else if limits.isHistory, try history(given, value, into: &input) {
      return
    } else if given("_merged") || given("_resolved") || given("_body") {
      throw fail(.revision, key)
    } else if !(given("_revParent") || given("_conflicts") || given("_instance") || given("_lamport") || given("_time")
      || given("_created") || given("_created_by") || given("_modified") || given("_modified_by") || given("_conflict")
      || given("_block") || given("_labels"))
    {
      throw fail(.badReserved, key)
    }
  }

  /// - Returns: false if such a member does not occur in a history.
  private func history(
    _ given: (StaticString) -> Bool, _ value: Int, into input: inout RecordInput
  ) throws(CoreError) -> Bool {
    if given("_revParent") {
      input.parent = try revision(value)
    } else if given("_merged") {
      guard nodes[value].kind == .array else { throw fail(.badRevision, value) }
      var child = value &+ 1
      while child < Int(nodes[value].next) {
        input.merged.append(try revision(child))
        child = Int(nodes[child].next)
      }
    } else if given("_resolved") {
      guard nodes[value].kind == .yes else { throw fail(.badReserved, value) }
      input.isResolved = true
    } else if given("_body") {
      var writer = ByteWriter()
      guard let text = string(value), Base64.decode(text, into: &writer) else { throw fail(.badData, value) }
      input.stored = writer.array()
    } else {
      return false
    }
    return true
  }

  private func revision(_ value: Int) throws(CoreError) -> RevisionID {
    guard let text = string(value), text.count <= 80, let rev = RevisionID(String(decoding: text, as: UTF8.self))
    else { throw fail(.badRevision, value) }
    return rev
  }

  /// Returns an id that is a number, text, or the `$oid` of MongoDB.
  private func foreignID(_ value: Int) throws(CoreError) -> String? {
    if nodes[value].kind == .integer { return String(decoding: bytes(value), as: UTF8.self) }
    guard nodes[value].dollar, order[Int(nodes[value].end)] == 1 else { return try name(.id, value) }
    let key = Int(order[Int(nodes[value].end) + 1])
    return try name(.id, UTF8Text.equal(bytes(key), "$oid") ? key + 1 : value)
  }

  func name(_ role: NameRole, _ value: Int) throws(CoreError) -> String? {
    if nodes[value].kind == .null { return nil }
    guard let text = string(value) else { throw fail(role, .notText, nil, value) }
    if let fault = Name.fault(in: text) { throw fail(role, fault, text, value) }
    return String(decoding: text, as: UTF8.self)
  }

  func fail(_ role: NameRole, _ fault: NameFault, _ text: UnsafeBufferPointer<UInt8>?, _ node: Int) -> CoreError {
    .badMember(role, fault, text.map { String(decoding: $0, as: UTF8.self) } ?? "", offset: offset(of: node))
  }
}

/// Encodes values without a JSON type: objects with keys that begin with `$`.
extension TapeEncoder {
  mutating func form(_ k: Int, _ level: Int, into w: inout ByteWriter) throws(CoreError) {
    let list = Int(nodes[k].end)
    let keys = order + (list + 1)
    switch order[list] {
    case 1:
      let key = Int(keys[0])
      try single(bytes(key), key, level, into: &w)
    case 2 where UTF8Text.equal(bytes(Int(keys[0])), "$label"): try labeled(k, keys, level, into: &w)
    case 2:
      guard UTF8Text.equal(bytes(Int(keys[0])), "as"), UTF8Text.equal(bytes(Int(keys[1])), "$ref"),
        let kind = string(Int(keys[0]) + 1), ReferenceText.isKind(kind)
      else { throw fail(.badReserved, k) }
      w.cborMap(2)
      w.cborText("as")
      w.cborText(kind)
      try reference(Int(keys[1]), into: &w)
    case 4: try asset(k, keys, into: &w)
    default: throw fail(.badReserved, k)
    }
  }

  private mutating func single(
    _ name: UnsafeBufferPointer<UInt8>, _ key: Int, _ level: Int, into w: inout ByteWriter
  ) throws(CoreError) {
    let value = key + 1
    func given(_ word: StaticString) -> Bool { UTF8Text.equal(name, word) }
    if given("$ref") {
      w.cborMap(1)
      try reference(key, into: &w)
    } else if given("$date") {
      guard let text = string(value), let date = Instant.parse(text) else { throw fail(.badDate, value) }
      w.cborDate(date)
    } else if given("$day") {
      guard let text = string(value), let day = CalendarDay.parse(text) else { throw fail(.badDay, value) }
      w.cborDay(day)
    } else if given("$data") {
      try data(value, into: &w)
    } else if given("$decimal") {
      guard let text = string(value), NumberText.isWellFormed(text, fraction: true) else {
        throw fail(.badDecimal, value)
      }
      let number = NumberText(text)
      try decimal(number, text, zeros: number.trailingZeros, value, .badDecimal, into: &w)
    } else if given("$int") {
      guard let text = string(value), NumberText.isWellFormed(text, fraction: false) else {
        throw fail(.badInteger, value)
      }
      try longInteger(text, value, level, .badInteger, into: &w)
    } else if given("$dict") {
      guard nodes[value].kind == .object else { throw fail(.badReserved, value) }
      guard nodes[value].dollar else { return try members(value, level, into: &w) }
      try nest(level + 1, value)
      w.cborMap(1)
      w.cborText("$dict")
      try members(value, level + 1, into: &w)
    } else if given("$counter") {
      try counter(value, level, into: &w)
    } else if given("$set") {
      try set(value, level, into: &w)
    } else if !limits.isForeign {
      throw fail(.badReserved, key)
    } else {
      try foreign(name, key, level, into: &w)
    }
  }

  /// Writes a value that MongoDB exports as an object.
  private func foreign(
    _ name: UnsafeBufferPointer<UInt8>, _ key: Int, _ level: Int, into w: inout ByteWriter
  ) throws(CoreError) {
    let value = key + 1
    func given(_ word: StaticString) -> Bool { UTF8Text.equal(name, word) }
    guard let text = string(value) else { throw fail(.badReserved, key) }
    if given("$oid") {
      w.cborText(text)
    } else if given("$numberInt") || given("$numberLong") {
      guard NumberText.isWellFormed(text, fraction: false) else { throw fail(.badInteger, value) }
      try longInteger(text, value, level, .badInteger, into: &w)
    } else if given("$numberDecimal") {
      guard NumberText.isWellFormed(text, fraction: true) else { throw fail(.badDecimal, value) }
      let number = NumberText(text)
      try decimal(number, text, zeros: number.trailingZeros, value, .badDecimal, into: &w)
    } else {
      throw fail(.badReserved, key)
    }
  }

  mutating func reference(_ key: Int, into w: inout ByteWriter) throws(CoreError) {
    guard let text = string(key + 1) else { throw fail(.reference, .notText, nil, key + 1) }
    w.cborText("$ref")
    if let target = limits.target, ReferenceText.isName(text) {
      // A text that names a record by a property need not be an id.
      w.cborText(target(String(decoding: text, as: UTF8.self)))
    } else {
      if let fault = Name.fault(in: text) { throw fail(.reference, fault, text, key + 1) }
      w.cborText(text)
    }
    hasReferences = true
  }

  func data(_ value: Int, into w: inout ByteWriter) throws(CoreError) {
    guard let text = string(value), let count = Base64.decodedCount(text) else { throw fail(.badData, value) }
    guard count <= limits.maxData else { throw fail(.dataTooLong, value) }
    w.cborHead(2, UInt64(count))
    guard Base64.decode(text, into: &w) else { throw fail(.badData, value) }
  }

  private func asset(_ k: Int, _ keys: UnsafePointer<UInt32>, into w: inout ByteWriter) throws(CoreError) {
    let (mime, size, place, hash) = (Int(keys[0]), Int(keys[1]), Int(keys[2]), Int(keys[3]))
    guard UTF8Text.equal(bytes(mime), "mime"), UTF8Text.equal(bytes(size), "size"),
      UTF8Text.equal(bytes(place), "$asset"),
      let mimeText = string(mime + 1), AssetReference.isMIME(mimeText),
      let placeText = string(place + 1),
      let hashText = string(hash + 1), let digest = Digest(hex: String(decoding: hashText, as: UTF8.self)),
      nodes[size + 1].kind == .integer, let length = Int64(String(decoding: bytes(size + 1), as: UTF8.self)),
      AssetReference.sizes.contains(length), AssetReference.isPlace(placeText, size: length),
      UTF8Text.equal(bytes(hash), AssetReference.digestKey(forSize: length))
    else { throw fail(.badReserved, k) }
    w.cborMap(4)
    w.cborText("mime")
    w.cborText(mimeText)
    w.cborText("size")
    w.cborInt(length)
    w.cborText("$asset")
    w.cborText(placeText)
    w.cborText(AssetReference.digestKey(forSize: length).description)
    digest.withBytes { w.cborData($0) }
  }

  private mutating func labeled(
    _ k: Int, _ keys: UnsafePointer<UInt32>, _ level: Int, into w: inout ByteWriter
  ) throws(CoreError) {
    let (label, key) = (Int(keys[0]), Int(keys[1]))
    guard UTF8Text.equal(bytes(key), "$value"), let text = string(label + 1), SemanticType.isValid(text),
      isOneValue(key + 1)
    else { throw fail(.badReserved, k) }
    w.cborMap(2)
    w.cborText("$label")
    w.cborText(text)
    w.cborText("$value")
    let outside = isStateless
    isStateless = true
    defer { isStateless = outside }
    try value(key + 1, level + 1, into: &w)
  }

  /// Whether a value is allowed to have a semantic type, judging by its first key.
  private func isOneValue(_ k: Int) -> Bool {
    if nodes[k].kind == .null { return false }
    guard nodes[k].kind == .object else { return true }
    guard nodes[k].dollar else { return false }
    let first = bytes(Int(order[Int(nodes[k].end) + 1]))
    return !["$dict", "$counter", "$set", "$label"].contains { UTF8Text.equal(first, $0) }
  }

  /// Writes a draft of a counter from a number or `{"$int": digits}`.
  private mutating func counter(_ value: Int, _ level: Int, into w: inout ByteWriter) throws(CoreError) {
    guard !isStateless else { throw fail(.badReserved, value) }
    try nest(level + 1, value)
    guard let number = counted(value) else { throw fail(.badInteger, value) }
    w.cborMap(1)
    w.cborText("$counter")
    w.cborInteger(BigInteger(number))
    needsState = true
  }

  private func counted(_ k: Int) -> Int128? {
    if nodes[k].kind == .integer { return Int128(String(decoding: bytes(k), as: UTF8.self)) }
    guard nodes[k].kind == .object, nodes[k].dollar, order[Int(nodes[k].end)] == 1 else { return nil }
    let key = Int(order[Int(nodes[k].end) + 1])
    guard UTF8Text.equal(bytes(key), "$int"), let text = string(key + 1),
      NumberText.isWellFormed(text, fraction: false)
    else { return nil }
    return Int128(String(decoding: text, as: UTF8.self))
  }

  /// Writes a draft of a set, sorted by encoded element and without duplicates.
  private mutating func set(_ value: Int, _ level: Int, into w: inout ByteWriter) throws(CoreError) {
    guard !isStateless, nodes[value].kind == .array else { throw fail(.badReserved, value) }
    try nest(level + 1, value)
    isStateless = true
    defer { isStateless = false }
    let mark = w.count
    var elements: [[UInt8]] = []
    var child = value + 1
    while child < Int(nodes[value].next) {
      try self.value(child, level + 2, into: &w)
      elements.append(Array(UnsafeBufferPointer(start: w.base + mark, count: w.count - mark)))
      w.truncate(to: mark)
      child = Int(nodes[child].next)
    }
    elements.sort { $0.lexicographicallyPrecedes($1) }
    var distinct: [[UInt8]] = []
    for element in elements where distinct.last != element { distinct.append(element) }
    w.cborMap(1)
    w.cborText("$set")
    w.cborArray(distinct.count)
    for element in distinct {
      w.cborArray(2)
      w.append(element)
      w.cborArray(0)
    }
    needsState = true
  }
}
