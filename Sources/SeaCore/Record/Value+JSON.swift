extension Value {
  package func writeJSON(style: JSONStyle = .compact, into w: inout ByteWriter) throws(CoreError) {
    var out = JSONOutput(style: style)
    try out.value(self, &w)
  }

  /// The value as compact JSON.
  package func json(style: JSONStyle = .compact) throws(CoreError) -> String {
    var writer = ByteWriter()
    try writeJSON(style: style, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
