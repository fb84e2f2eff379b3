extension Value {
  package func writeJSON(style: JSONStyle = .compact, into w: inout ByteWriter) throws(CoreError) {
    var out = JSONOutput(style: style)
    try out.value(self, &w)
  }

  package func json(style: JSONStyle = .compact) throws(CoreError) -> String {
    var writer = ByteWriter()
    try writeJSON(style: style, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Decodes the JSON value on the tape as a property value. Counters and sets become drafts.
  package static func value(
    _ tape: borrowing JSONTape, _ bytes: UnsafeBufferPointer<UInt8>, limits: RecordLimits = RecordLimits()
  ) throws(CoreError) -> Value {
    var writer = ByteWriter()
    try encodeValue(tape, bytes, into: &writer, limits: limits)
    return try decode(value: writer.bytes)
  }

  package static func json(_ text: String, limits: RecordLimits = RecordLimits()) throws(CoreError) -> Value {
    let bytes = Array(text.utf8)
    var tape = JSONTape()
    let result: Result<Value, CoreError> = bytes.withUnsafeBufferPointer { bytes in
      do throws(CoreError) {
        let end = JSONTape.skipSpace(bytes, from: try tape.parse(bytes, at: 0))
        guard end == bytes.count else { throw .badJSON(.trailingText, offset: end) }
        return .success(try value(tape, bytes, limits: limits))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
