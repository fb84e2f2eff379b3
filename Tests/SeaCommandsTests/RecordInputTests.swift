import SeaCommands
import SeaCore
import SeaEngine
import Testing

/// How documents are read, whatever pieces they come in.
@Suite struct RecordInputTests {
  /// A reader whose input comes in pieces that end at `cuts`.
  private func reader(_ bytes: [UInt8], cuts: [Int]) -> DocumentReader {
    var ends = cuts.filter { $0 > 0 && $0 < bytes.count }.sorted() + [bytes.count]
    var at = 0
    return DocumentReader(
      "in",
      Input { buffer in
        guard at < bytes.count else { return 0 }
        let end = min(ends[0], at + buffer.count)
        if end == ends[0] { ends.removeFirst() }
        buffer.copyBytes(from: bytes[at..<end])
        defer { at = end }
        return end - at
      })
  }

  @Test func keysGetNewNames() throws {
    var names = NameMap()
    names.add("_id", "code")
    names.add("_*", "meta/*")
    names.add("secret", "")
    names.add("_type", "_type")
    func encoded(_ text: String) throws -> (input: RecordInput, body: String) {
      var limits = RecordLimits()
      limits.names = names
      var result: (RecordInput, String)?
      let reader = reader(Array(text.utf8), cuts: [])
      while try reader.next({ tape, bytes in
        var writer = ByteWriter()
        let input = try encodeRecord(tape, bytes, into: &writer, limits: limits)
        let body = UnsafeBufferPointer(rebasing: writer.bytes[input.body])
        result = (input, try Value.decode(body: body).json())
      }) {}
      return try #require(result)
    }
    let text = "{\"_id\":7,\"_uuid\":\"u\",\"secret\":1,\"_type\":\"t\",\"z\":{\"_id\":1},\"_\":null,\"é\":2}"
    let (input, body) = try encoded(text)
    #expect(input.id == nil && input.type == "t")
    #expect(body == "{\"z\":{\"_id\":1},\"é\":2,\"code\":7,\"meta/uuid\":\"u\"}")
    for bad in ["{\"_id\":7,\"code\":1}", "{\"a\":1,\"$b\":2}"] {
      #expect(throws: (any Error).self) { try encoded(bad) }
    }
  }

  /// The documents, and what was said in the end.
  private func read(_ text: [UInt8], cuts: [Int]) -> (documents: [String], fault: String?) {
    var documents: [String] = []
    let reader = reader(text, cuts: cuts)
    do {
      while try reader.next({ tape, bytes in
        var writer = ByteWriter()
        let input = try encodeRecord(tape, bytes, into: &writer)
        let body = UnsafeBufferPointer(rebasing: writer.bytes[input.body])
        documents.append(try Value.decode(body: body).json())
      }) {}
      return (documents, nil)
    } catch {
      return (documents, Failure.describing(error).message)
    }
  }

  @Test func documentsAreReadAcrossAnyChunkBoundary() {
    let text = Array(#"{"a":"x\"}{"}{"b":[1,{"c":"é\\"}]}"#.utf8) + Array("\r\n\n  {\n\"d\":\"\\u00e9\"}\n".utf8)
    let want = [#"{"a":"x\"}{"}"#, #"{"b":[1,{"c":"é\\"}]}"#, #"{"d":"é"}"#]
    for cut in 0...text.count {
      let found = read(text, cuts: [cut, cut + 1, cut + 3])
      #expect(found.documents == want && found.fault == nil, "cut at \(cut)")
    }
    #expect(read(text, cuts: Array(0...text.count)).documents == want)
  }

  @Test func errorPositionIsIndependentOfChunks() {
    let cases = [
      ("{\"a\":1}\n\n {\"a\":1}{\"a\" 2}", "in:3:14: unexpected character: 2", 2),
      ("{\"a\":1}\n{\"b\":\n{\"c\":}}", "in:3:6: unexpected character: }", 1),
      ("{}{\"a\":{\"$ref\":\"x y\"}}", "in:1:16: the id in a reference 'x y' contains white space", 1),
      ("{\"a\":1}\n{\"b\":\n{\"c\":2}\n", "in:2:6: unexpected end of JSON", 1),
      ("{}\n  {\"b\":[1\n  {\"c\":2}\n", "in:2:10: unexpected end of JSON", 1),
      ("{\n \"a\":1\n{\"c\":2}\n", "in:2:7: unexpected end of JSON", 0),
      ("{\"a\":[\n{\"c\":2},\n{\"d\":3}\n", "in:3:8: unexpected end of JSON", 0),
      ("{}\n{\"_id\":7}", "in:2:8: the id must be text", 1),
      ("{}\n{\"a\":\"", "in:2:7: unexpected end of JSON", 1),
      ("{} [1]", "in:1:5: a record must be a JSON object", 1), ("[[{}]]", "in:1:2: a record must be a JSON object", 0),
      ("[{}, {}", "in:1:8: unexpected end of JSON", 2), ("[{} {}]", "in:1:5: unexpected character: {", 1),
      ("[{},]", "in:1:5: unexpected character: ]", 1), ("[,{}]", "in:1:2: unexpected character: ,", 0),
      ("[]\n[{}]]", "in:2:5: unexpected character: ]", 1),
    ]
    for (text, fault, count) in cases {
      let bytes = Array(text.utf8)
      for cut in 0...bytes.count {
        let found = read(bytes, cuts: [cut])
        #expect(found.fault == fault && found.documents.count == count, "\(text) cut at \(cut)")
      }
    }
  }

  @Test func earlyErrorStopsReadingLongDocument() {
    let text = Array("{\"a\":1 2".utf8) + [UInt8](repeating: 0x20, count: 1 << 20)
    var asked = 0
    var at = 0
    let reader = DocumentReader(
      "in",
      Input { buffer in
        let count = min(buffer.count, text.count - at, 5)
        buffer.copyBytes(from: text[at..<(at + count)])
        at += count
        asked += 1
        return count
      })
    #expect(throws: CommandError.self) { try reader.next { _, _ in } }
    #expect(asked * 5 < 8192)
  }

  @Test func errorExcerptShowsShortOffendingText() {
    func excerpt(_ text: String, _ fault: JSONFault, _ offset: Int) -> String? {
      Array(text.utf8).withUnsafeBufferPointer { Excerpt.of(.badJSON(fault, offset: offset), in: $0) }
    }
    #expect(excerpt("{é}", .unexpectedCharacter, 1) == "é")
    #expect(excerpt("[tru]", .badLiteral, 1) == "tru")
    #expect(excerpt(#""\q""#, .badEscape, 1) == #"\q"#)
    #expect(excerpt(#"{"a b":1}"#, .duplicateKey, 1) == #""a b""#)
    #expect(excerpt("\"" + String(repeating: "é", count: 40) + "\"", .badDate, 0)?.hasSuffix("é...") == true)
    #expect(excerpt("{\u{1}", .notUTF8, 1) == nil)
    #expect(excerpt("{", .unexpectedCharacter, 1) == nil)
  }
}

/// Options and values that are refused before anything is touched.
@Suite struct RecordOptionTests {
  private func database() throws -> Run {
    var run = Run()
    run.directory = try scratch()
    run.variables = ["SEA_CONFIG_NOSYSTEM": "1", "SEA_DIR": run.directory + "/.sea"]
    #expect(run("init", run.directory).status == 0)
    return run
  }

  @Test func invalidOptionCombinationsAreRefused() throws {
    let run = try database()
    for words in [
      ["query", "--json", "--csv"], ["query", "--types", "-t", "x"], ["query", "--ids", "--select=a"],
      ["query", "--shell"],
      ["query", "--after=x", "--sort=y"], ["query", "--select=a,,b"], ["put", "--chunk=0", "{}"], ["set"],
      ["set", "--new", "--create", "a=1"], ["set", "x", "word"], ["set", "x", "--rename=a"], ["get", "x", "a..b"],
      ["get", "--stdin", "x"], ["delete", "--stdin", "x"], ["delete"], ["put", "--if-rev=x", "{}"],
    ] {
      let outcome = run.run(words)
      #expect(outcome.status == 2 && outcome.out.isEmpty, "\(words): \(outcome.err)")
      let json = run.run(words + ["--json"])
      #expect(json.errLines.count == 1 && json.err.hasPrefix(#"{"event":"error","code":"usage","exit":2"#), "\(words)")
    }
  }

  @Test func putStoresRecordDespiteOutputFailure() throws {
    var run = try database()
    run.outputFault = 28
    let outcome = run("put", #"{"_id":"a"}"#)
    #expect(outcome.status == 12 && outcome.err.contains("cannot write standard output"))
    run.outputFault = nil
    #expect(run("get", "-e", "a").status == 0)
  }

  @Test func refusedValueReportsRecordAndPath() throws {
    let run = try database()
    #expect(run("set", "--create", "a", "n:=1", "c:counter=1").status == 0)
    for (word, path) in [("n=x", "n"), ("k:int=x", "k"), ("n+=1", "n"), ("x.y:=[", "x.y"), ("c=1", "c")] {
      let outcome = run("set", "a", word, "--json")
      #expect(outcome.status == 13 && outcome.err.contains(#""id":"a","path":"\#(path)""#), "\(word): \(outcome.err)")
    }
    #expect(run("set", "a", "--rename=zz=y").status == 4)
  }
}
