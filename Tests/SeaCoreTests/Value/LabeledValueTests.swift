import SeaCore
import Testing

/// Values with a semantic type.
@Suite struct LabeledValueTests {
  @Test(arguments: [
    #""+49 30 1""#, "1", "1.5", "true", "[]", #"[1,{"a":null},{"$label":"B","$value":2}]"#, #"{"$ref":"n/1"}"#,
    #"{"as":"x","$ref":"n/1"}"#, #"{"$date":"2026-03-01T00:00:00.001Z"}"#, #"{"$day":"2026-03-01"}"#,
    #"{"$data":"AA=="}"#,
    #"{"$decimal":"1.50"}"#, #"{"$int":"18446744073709551616"}"#,
  ])
  func labeledValueRoundTrips(_ inside: String) throws {
    let json = #"{"p":{"$label":"HomePhone","$value":\#(inside)}}"#
    let body = try RecordSupport.body(json)
    try RecordSupport.validate(body)
    #expect(try RecordSupport.json(body) == json)
    let value = try #require(try RecordSupport.value(body).members?["p"])
    #expect(value.semanticType == "HomePhone")
    #expect(try value.unlabeled == Value.json(inside))
    #expect(try RecordSupport.value(body).encoding == body)
    // In whatever order the keys stand.
    #expect(try RecordSupport.body(#"{"p":{"$value":\#(inside),"$label":"HomePhone"}}"#) == body)
  }

  @Test(arguments: [
    #"{"$label":"A","$value":null}"#, #"{"$label":"A","$value":{}}"#, #"{"$label":"A","$value":{"a":1}}"#,
    #"{"$label":"A","$value":{"$dict":{"$a":1}}}"#, #"{"$label":"A","$value":{"$counter":1}}"#,
    #"{"$label":"A","$value":{"$set":[]}}"#, #"{"$label":"A","$value":{"$label":"B","$value":1}}"#,
    #"{"$label":"A","$value":[{"$counter":1}]}"#, #"{"$label":"A","$value":[{"a":{"$set":[]}}]}"#,
    #"{"$label":"","$value":1}"#, #"{"$label":"a\nb","$value":1}"#, #"{"$label":1,"$value":1}"#, #"{"$label":"A"}"#,
    #"{"$label":"A","$value":1,"x":1}"#, #"{"$label":"A","value":1}"#,
    #"{"$label":"\#(String(repeating: "x", count: 256))","$value":1}"#,
  ])
  func invalidLabeledValueIsRefused(_ json: String) throws {
    #expect(RecordSupport.refusal("{\"p\":\(json)}") != nil)
  }

  /// The same in bytes, where nobody has looked at JSON.
  @Test(arguments: [
    "f6", "a0", "a1616101", "a1652464696374a162246101", "a16824636f756e746572a0", "a1642473657480",
    "a2662464 6162656c6142662476616c756501", "81a16824636f756e746572a0", "a2616101616201", "a26261736161616201",
  ])
  func invalidLabeledBytesAreRefused(_ inside: String) throws {
    let hex = "a16170a2" + "66246c6162656c" + "6141" + "662476616c7565" + inside.filter { $0 != " " }
    #expect(RecordSupport.refusal(hex: hex) != nil)
    #expect(RecordSupport.refusal(hex: "a16170a2" + "66246c6162656c" + "6141" + "662476616c7565" + "01") == nil)
  }

  @Test func pathSkipsTheLabel() throws {
    var record = try Value.json(#"{"p":{"$label":"A","$value":[1,[2,3]]},"q":{"$label":"B","$value":"x"}}"#)
    let path = try PropertyPath("p.1.0")
    #expect(record[path] == .integer(2))
    let body = record.encoding
    let range = try body.withUnsafeBufferPointer { try path.find(in: $0) }
    #expect(range.map { Array(body[$0]) } == [2])
    try record.set(.integer(9), at: path)
    record.remove(at: try PropertyPath("p.0"))
    #expect(try record.json() == #"{"p":{"$label":"A","$value":[[9,3]]},"q":{"$label":"B","$value":"x"}}"#)
    for text in ["q.0", "q.$value", "p.$value", "p.$label"] {
      let path = try PropertyPath(text)
      #expect(record[path] == nil)
      #expect(try body.withUnsafeBufferPointer { try path.find(in: $0) } == nil)
    }
    #expect(try RecordSupport.plain(#"{"$label":"A","$value":"x"}"#) == "x")
  }

  /// Levels are counted as the JSON has them: what is stored can be printed and read.
  @Test func nestingLevelsAreCountedAsInJSON() throws {
    func nested(_ levels: Int, _ inside: String) -> String {
      "{\"p\":" + String(repeating: "[", count: levels) + inside + String(repeating: "]", count: levels) + "}"
    }
    for (inside, levels) in [
      (#"{"$label":"A","$value":1}"#, 126), (#"{"$label":"A","$value":[]}"#, 125), (#"{"$counter":1}"#, 125),
    ] {
      let body = try RecordSupport.body(nested(levels, inside))
      #expect(RecordSupport.refusal(nested(levels + 1, inside)) != nil)
      #expect(try RecordSupport.json(body) == nested(levels, inside))
    }
  }
}
