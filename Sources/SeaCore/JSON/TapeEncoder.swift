/// Walks a tape and writes canonical CBOR. Nothing is allocated per value, sets and large numbers excepted.
///
/// A level is the number of containers around a value, counted in its JSON form: what is written can be printed and
/// read again. It is a window on a tape and its text, and must not outlive the call that made it.
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
  /// Within an element of a set or a labelled value, where neither counter nor set may stand.
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

  func fail(_ fault: JSONFault, _ node: Int) -> CoreError { .badJSON(fault, offset: place(node)) }

  /// Where a value begins in the text.
  func place(_ node: Int) -> Int {
    let kind = nodes[node].kind
    let quote = kind == .string || kind == .unescaped ? 1 : 0
    return origin &+ Int(nodes[node].start) &- quote
  }

  /// The bytes of a string, a key or a number.
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

  /// The members of an object, whatever its keys look like.
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
