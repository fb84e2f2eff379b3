/// Objects with a key that begins with `$`: the values that JSON has no type for.
extension TapeEncoder {
  mutating func form(_ k: Int, _ level: Int, into w: inout ByteWriter) throws(CoreError) {
    let list = Int(nodes[k].end)
    let keys = order + (list + 1)
    switch order[list] {
    case 1:
      let key = Int(keys[0])
      try single(bytes(key), key, level, into: &w)
    case 2 where UTF8Text.equal(bytes(Int(keys[0])), "$label"): try labelled(k, keys, level, into: &w)
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
    } else {
      throw fail(.badReserved, key)
    }
  }

  mutating func reference(_ key: Int, into w: inout ByteWriter) throws(CoreError) {
    guard let id = string(key + 1) else { throw fail(.reference, .notText, nil, key + 1) }
    if let fault = Name.fault(in: id) { throw fail(.reference, fault, id, key + 1) }
    w.cborText("$ref")
    w.cborText(id)
    hasReferences = true
  }

  func data(_ value: Int, into w: inout ByteWriter) throws(CoreError) {
    guard let text = string(value), let count = Base64.decodedCount(text) else { throw fail(.badData, value) }
    guard count <= limits.maxData else { throw fail(.dataTooLong, value) }
    w.cborHead(2, UInt64(count))
    guard Base64.decode(text, into: &w) else { throw fail(.badData, value) }
  }

  /// `{"mime":…,"size":…,"$asset":…,"sha256":…}`, which is also the order of the encoding.
  private func asset(_ k: Int, _ keys: UnsafePointer<UInt32>, into w: inout ByteWriter) throws(CoreError) {
    let (mime, size, place, hash) = (Int(keys[0]), Int(keys[1]), Int(keys[2]), Int(keys[3]))
    guard UTF8Text.equal(bytes(mime), "mime"), UTF8Text.equal(bytes(size), "size"),
      UTF8Text.equal(bytes(place), "$asset"), UTF8Text.equal(bytes(hash), "sha256"),
      let mimeText = string(mime + 1), AssetReference.isMIME(mimeText),
      let placeText = string(place + 1),
      let hashText = string(hash + 1), let digest = Digest(hex: String(decoding: hashText, as: UTF8.self)),
      nodes[size + 1].kind == .integer, let length = Int64(String(decoding: bytes(size + 1), as: UTF8.self)),
      AssetReference.sizes.contains(length), AssetReference.isPlace(placeText, size: length)
    else { throw fail(.badReserved, k) }
    w.cborMap(4)
    w.cborText("mime")
    w.cborText(mimeText)
    w.cborText("size")
    w.cborInt(length)
    w.cborText("$asset")
    w.cborText(placeText)
    w.cborText("sha256")
    digest.withBytes { w.cborData($0) }
  }

  /// `{"$label": text, "$value": value}`.
  private mutating func labelled(
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

  /// Whether a value can have a semantic type, as far as that shows without looking into it.
  private func isOneValue(_ k: Int) -> Bool {
    if nodes[k].kind == .null { return false }
    guard nodes[k].kind == .object else { return true }
    guard nodes[k].dollar else { return false }
    let first = bytes(Int(order[Int(nodes[k].end) + 1]))
    return !["$dict", "$counter", "$set", "$label"].contains { UTF8Text.equal(first, $0) }
  }

  /// A draft of a counter: `{"$counter": value}`, a number or `{"$int": digits}`.
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

  /// A draft of a set: `{"$set": [[element, []], …]}`, sorted by the elements' encodings, each once.
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
