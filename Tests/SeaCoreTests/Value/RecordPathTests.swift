import SeaCore
import Testing

@Suite struct RecordPathTests {
  private let text =
    #"{"a":{"b":[10,{"c":"deep"}],"":1,"x.y":2,"p/q":3,"m~n":4},"d":{"$dict":{"$k":5,"k":6}},"r":{"$ref":"id"}}"#

  @Test(arguments: [
    ("a.b.0", "10"), ("a.b.1.c", #""deep""#), ("/a/b/1/c", #""deep""#), ("/a/", "1"), (#"a.x\.y"#, "2"),
    ("/a/x.y", "2"), ("/a/p~1q", "3"), ("/a/m~0n", "4"), ("d.$k", "5"), ("/d/k", "6"), ("r", #"{"$ref":"id"}"#),
    ("a.b.2", nil), ("a.b.00", nil), ("a.b.-", nil), ("a.b.x", nil), ("a.c", nil), ("r.$ref", nil), ("d.$dict", nil),
    ("a.b.0.x", nil), ("zz", nil), ("a.b.99999999999999999999", nil),
  ])
  func pathResolvesAlikeInBytesAndValues(path: String, expected: String?) throws {
    let path = try PropertyPath(path)
    let body = try RecordSupport.body(text)
    let found = try body.withUnsafeBufferPointer { bytes in
      try path.find(in: bytes).map { try Value.decode(value: UnsafeBufferPointer(rebasing: bytes[$0])).json() }
    }
    #expect(found == expected)
    #expect(try RecordSupport.value(body)[path]?.json() == expected)
    #expect(try PropertyPath(path.description).names == path.names)
  }

  @Test(arguments: [
    ("", PathFault.empty), (".a", .emptyName), ("a..b", .emptyName), ("a.", .emptyName), (#"a\b"#, .badEscape),
    (#"a\"#, .badEscape), ("/a~2", .badEscape), ("/~", .badEscape),
  ])
  func badPathsAreRefused(text: String, fault: PathFault) {
    #expect(throws: CoreError.badPath(fault, text)) { try PropertyPath(text) }
  }

  @Test func valuesAreSetRemovedAndRenamed() throws {
    var value = try RecordSupport.value(RecordSupport.body(#"{"a":{"b":[1]}}"#))
    try value.set(.integer(2), at: PropertyPath("a.b.1"))
    try value.set(.string("x"), at: PropertyPath("a.b.-"))
    try value.set(.bool(true), at: PropertyPath("new.way.in"))
    try value.set(.integer(0), at: PropertyPath("a.b.0"))
    #expect(try value.json() == #"{"a":{"b":[0,2,"x"]},"new":{"way":{"in":true}}}"#)
    #expect(value.remove(at: try PropertyPath("a.b.1")) == .integer(2))
    #expect(value.remove(at: try PropertyPath("a.b.7")) == nil)
    #expect(value.remove(at: try PropertyPath("new.way")) != nil)
    #expect(try value.json() == #"{"a":{"b":[0,"x"]},"new":{}}"#)
    #expect(throws: CoreError.badPath(.badIndex, "a.b.3")) { try value.set(.null, at: PropertyPath("a.b.3")) }
    #expect(throws: CoreError.badPath(.notAContainer, "a.b.0.x")) { try value.set(.null, at: PropertyPath("a.b.0.x")) }
    try value.rename(PropertyPath("a.b"), to: PropertyPath("list"))
    #expect(try value.json() == #"{"a":{},"new":{},"list":[0,"x"]}"#)
    #expect(throws: CoreError.badPath(.notFound, "gone")) {
      try value.rename(PropertyPath("gone"), to: PropertyPath("b"))
    }
  }

  /// RFC 7396, appendix A, as properties.
  @Test(arguments: [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"{"e":[null]}"#, #"{"a":1}"#, #"{"a":1,"e":[null]}"#),
    (#"{"a":"foo"}"#, #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    (#"{"a":{"x":1,"zz":2}}"#, #"{"a":{"y":[null]}}"#, #"{"a":{"x":1,"y":[null],"zz":2}}"#),
  ])
  func mergePatchFollowsRFC7396(target: String, patch: String, result: String) throws {
    let read = try RecordSupport.encode(Array(patch.utf8), limits: RecordLimits(keepsNulls: true))
    let change = try read.body.withUnsafeBufferPointer { try Value.decodeDraft($0) }
    let merged = try RecordSupport.value(RecordSupport.body(target)).merged(patch: change)
    #expect(try merged.json() == result)
    var writer = ByteWriter()
    try merged.encodeBody(into: &writer)
  }
}
