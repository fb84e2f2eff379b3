import SeaCore
import Testing

/// A small generator whose seed replays a run.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

enum RecordSupport {
  struct Encoded {
    var input: RecordInput
    var body: [UInt8]
  }

  /// A JSON text as a record: its parts and its body (or draft). The text must hold nothing else.
  static func encode(_ text: [UInt8], limits: RecordLimits = RecordLimits()) throws -> Encoded {
    var tape = JSONTape()
    var writer = ByteWriter()
    let result: Result<Encoded, CoreError> = text.withUnsafeBufferPointer { bytes in
      do throws(CoreError) {
        let end = JSONTape.skipSpace(bytes, from: try tape.parse(bytes, at: 0))
        guard end == bytes.count else { throw .badJSON(.trailingText, offset: end) }
        let input = try encodeRecord(tape, bytes, into: &writer, limits: limits)
        return .success(Encoded(input: input, body: Array(writer.array()[input.body])))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  static func body(_ json: String) throws -> [UInt8] { try encode(Array(json.utf8)).body }

  static func json(_ body: [UInt8], style: JSONStyle = .compact) throws -> String {
    var writer = ByteWriter()
    try body.withUnsafeBufferPointer { bytes in
      try JSONWriter.writeRecord(id: nil, type: nil, rev: nil, body: bytes, style: style, into: &writer)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Whether the bytes are one body and nothing else; true: it has references.
  @discardableResult
  static func validate(_ body: [UInt8]) throws -> Bool {
    try body.withUnsafeBufferPointer { bytes in
      var cursor = CBORCursor(bytes)
      let references = try cursor.skipBody()
      guard cursor.atEnd else { throw CoreError.badEncoding(.trailingBytes, offset: cursor.offset) }
      return references
    }
  }

  static func value(_ body: [UInt8]) throws -> Value {
    try body.withUnsafeBufferPointer { try Value.decode(body: $0) }
  }

  static func draft(_ json: String) throws -> Value {
    try encode(Array(json.utf8)).body.withUnsafeBufferPointer { try Value.decodeDraft($0) }
  }

  static func plain(_ json: String, raw: Bool = false) throws -> String {
    var writer = ByteWriter()
    try Value.json(json).encoding.withUnsafeBufferPointer {
      try JSONWriter.writePlain(value: $0, raw: raw, into: &writer)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The error of reading a record, nil if it is accepted.
  static func refusal(_ json: String) -> CoreError? { refusal(Array(json.utf8)) }

  static func refusal(_ json: [UInt8]) -> CoreError? {
    do { _ = try encode(json) } catch { return error as? CoreError }
    return nil
  }

  static func refusal(hex: String) -> CoreError? {
    do { try validate(Hex.bytes(hex)!) } catch { return error as? CoreError }
    return nil
  }

  static let instance = UUID("00000000-0000-8000-8000-0000000000aa")!
  static let digest = Digest([UInt8](repeating: 7, count: 32))!
}

/// Random values of every kind, small ones more often than large ones.
struct ValueGenerator {
  var random: Seeded

  init(_ seed: UInt64) { random = Seeded(seed) }

  mutating func body() -> Value {
    var members = Members()
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let value = value(depth: 0)
      if case .null = value { continue }
      members[name()] = value
    }
    return .dictionary(members)
  }

  private mutating func name() -> String {
    ["a", "bb", "name", "mime", "size", "as", "x\u{301}", "\u{E9}", "e\u{301}", "日本", "😀", "a.b", "a b"].randomElement(
      using: &random)! + (Bool.random(using: &random) ? "" : String(Int.random(in: 0...99, using: &random)))
  }

  private mutating func text() -> String {
    let parts = [
      "", "a", "\"", "\\", "\n", "\u{0}", "\u{7F}", "é", "e\u{301}", "日本語", "😀", "0123456789abcdef", "/", "$ref",
      "\u{85}",
    ]
    return (0..<Int.random(in: 0...5, using: &random)).map { _ in parts.randomElement(using: &random)! }.joined()
  }

  private mutating func bytes(_ most: Int) -> [UInt8] {
    (0..<Int.random(in: 0...most, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private mutating func big() -> BigInteger {
    let length = Int.random(in: 0...99, using: &random) == 0 ? BigInteger.maxBytes : 20
    return BigInteger(isNegative: Bool.random(using: &random), magnitude: bytes(length))
  }

  mutating func double() -> Double {
    while true {
      let value: Double
      switch Int.random(in: 0...3, using: &random) {
      case 0: value = Double(bitPattern: random.next())
      case 1: value = Double(Float(bitPattern: UInt32(truncatingIfNeeded: random.next())))
      case 2: value = Double(Int.random(in: -99_999...99_999, using: &random)) / 100
      default: value = Double(Int.random(in: -4096...4096, using: &random)) / 64
      }
      if value.isFinite { return value }
    }
  }

  mutating func value(depth: Int, inSet: Bool = false) -> Value {
    switch Int.random(in: 0...(depth < 4 ? 20 : 13), using: &random) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &random))
    case 2: return .integer(Int64.random(in: -300...300, using: &random))
    case 3: return .integer(Int64(bitPattern: random.next()) >> Int64.random(in: 0...63, using: &random))
    case 4: return Value(big())
    case 5, 6: return .double(double())
    case 7: return .decimal(Decimal(exponent: Int.random(in: -60...60, using: &random), mantissa: big()))
    case 8, 9: return .string(text())
    case 10:
      let whole = Int64.random(in: Instant.range, using: &random)
      return .date(Bool.random(using: &random) ? whole : whole / 1000 * 1000)
    case 11: return .data(bytes(20))
    case 12: return .reference(id: "id" + String(random.next()), kind: Bool.random(using: &random) ? nil : "owner")
    case 13:
      return .asset(
        AssetReference(
          place: "\(RecordSupport.instance)/\(Int.random(in: 0...9, using: &random))", mime: "image/png",
          size: Int64.random(in: 0...99_999, using: &random), digest: RecordSupport.digest))
    case 14, 15:
      return .array((0..<Int.random(in: 0...4, using: &random)).map { _ in value(depth: depth + 1, inSet: inSet) })
    case 16, 17: return .dictionary(dictionary(depth, inSet))
    case 18 where !inSet: return .counter(counter())
    case 19 where !inSet: return .set(set(depth))
    case 20: return labeled(depth)
    default: return .string(text())
    }
  }

  private mutating func labeled(_ depth: Int) -> Value {
    let semanticType = ["HomePhone", "$x", "_", "é", " ", "a b]"].randomElement(using: &random)!
    while true {
      let value = value(depth: depth + 1, inSet: true)
      switch value {
      case .null, .dictionary, .labeled: continue
      default: return .labeled(value, semanticType)
      }
    }
  }

  private mutating func dictionary(_ depth: Int, _ inSet: Bool) -> Members {
    var members = Members()
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      let dollar = Int.random(in: 0...5, using: &random) == 0
      members[dollar ? ["$ref", "$dict", "$x"].randomElement(using: &random)! : text()] = value(
        depth: depth + 1, inSet: inSet)
    }
    return members
  }

  mutating func counter() -> Counter {
    var counter = Counter()
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let id = UUID(high: UInt64.random(in: 0...2, using: &random), low: 5)
      let large = Int.random(in: 0...5, using: &random) == 0 ? Int128(1) << 60 : 0
      let step = large + Int128(Int.random(in: -50...50, using: &random))
      do { try counter.add(step, by: id) } catch { Issue.record(error) }
    }
    return counter
  }

  mutating func set(_ depth: Int = 3) -> ElementSet {
    var set = ElementSet()
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      set.add(value(depth: depth + 1, inSet: true), tag: tag())
    }
    return set
  }

  mutating func tag() -> ElementSet.Tag {
    let byte = UInt8.random(in: 0...3, using: &random)
    return byte == 0 ? .thisRevision : .revision(Digest([UInt8](repeating: byte, count: 32))!)
  }
}
