/// One JSON object on one line, written key by key in the order of the calls.
package struct JSONObject {
  package private(set) var bytes: [UInt8] = [0x7B]

  package init() {}

  /// The object so far, closed.
  package var closed: [UInt8] { bytes + [0x7D] }

  private mutating func key(_ name: String) {
    if bytes.count > 1 { bytes.append(0x2C) }
    Escape.json(name, into: &bytes)
    bytes.append(0x3A)
  }

  package mutating func text(_ name: String, _ value: String) {
    key(name)
    Escape.json(value, into: &bytes)
  }

  /// Leaves the key out when there is no value.
  package mutating func text(_ name: String, _ value: String?) {
    if let value { text(name, value) }
  }

  package mutating func integer(_ name: String, _ value: some BinaryInteger) {
    key(name)
    bytes += String(value).utf8
  }

  package mutating func flag(_ name: String, _ value: Bool) {
    key(name)
    bytes += (value ? "true" : "false").utf8
  }

  package mutating func null(_ name: String) {
    key(name)
    bytes += "null".utf8
  }

  package mutating func texts(_ name: String, _ values: some Sequence<String>) {
    list(name, values) { Escape.json($0, into: &$1) }
  }

  /// A value that is JSON already.
  package mutating func raw(_ name: String, _ json: some Sequence<UInt8>) {
    key(name)
    bytes += json
  }

  package mutating func object(_ name: String, _ build: (inout JSONObject) throws -> Void) rethrows {
    var inner = JSONObject()
    try build(&inner)
    raw(name, inner.closed)
  }

  package mutating func objects<T>(
    _ name: String, _ values: some Sequence<T>, _ build: (T, inout JSONObject) throws -> Void
  ) rethrows {
    try list(name, values) { value, bytes in
      var inner = JSONObject()
      try build(value, &inner)
      bytes += inner.closed
    }
  }

  private mutating func list<T>(
    _ name: String, _ values: some Sequence<T>, _ write: (T, inout [UInt8]) throws -> Void
  ) rethrows {
    key(name)
    bytes.append(0x5B)
    var first = true
    for value in values {
      if !first { bytes.append(0x2C) }
      first = false
      try write(value, &bytes)
    }
    bytes.append(0x5D)
  }
}
