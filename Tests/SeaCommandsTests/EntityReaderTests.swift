import SeaCommands
import SeaCore
import SeaEngine
import Testing

/// Files of entities, sea-datastore(5), whatever pieces they come in.
@Suite struct EntityReaderTests {
  /// The bodies of the entities, and what was said in the end.
  private func read(_ text: String, cut: Int) -> (bodies: [String], fault: String?) {
    let bytes = Array(text.utf8)
    var at = 0
    let reader = DocumentReader(
      "in",
      Input { buffer in
        // One large piece, then small ones.
        let end = min(bytes.count, at + (at == 0 && cut > 0 ? cut : 2), at + buffer.count)
        buffer.copyBytes(from: bytes[at..<end])
        defer { at = end }
        return end - at
      }, hasEntities: true)
    var bodies: [String] = []
    do {
      while try reader.next({ tape, bytes in
        var writer = ByteWriter()
        let input = try encodeEntity(tape, bytes, into: &writer)
        bodies.append(try Value.decode(body: UnsafeBufferPointer(rebasing: writer.bytes[input.record.body])).json())
      }) {}
      return (bodies, nil)
    } catch {
      return (bodies, Failure.describing(error).message)
    }
  }

  @Test(arguments: [
    (#"{"entities":[]}"#, 0), (" {\n\"entities\" :\t[ ] , }\n\n", 0), (#"{"entities":[{},]}"#, 1),
    (#"{"entities":[{"a":"]}"},{"a":"]}","identifier":"x",},],} "#, 2),
  ])
  func entitiesAreReadAcrossAnyChunkBoundary(_ text: String, _ count: Int) {
    for cut in 0...text.utf8.count {
      let found = read(text, cut: cut)
      #expect(found.fault == nil && found.bodies.count == count, "cut at \(cut)")
      for body in found.bodies { #expect(body == "{}" || body == #"{"a":"]}"}"#) }
    }
  }

  @Test(arguments: [
    ("", "in:1:1: not Datastore interchange JSON: expected {\"entities\":[...]}", 0),
    (" []", "in:1:2: not Datastore interchange JSON: expected {\"entities\":[...]}", 0),
    ("{\n\"entitie\":[]}", "in:2:1: not Datastore interchange JSON: expected {\"entities\":[...]}", 0),
    (#"{"entities":"#, "in:1:13: not Datastore interchange JSON: expected {\"entities\":[...]}", 0),
    (#"{"entities":["#, "in:1:14: unexpected end of JSON", 0),
    (#"{"entities":[{},"#, "in:1:17: unexpected end of JSON", 1),
    (#"{"entities":[{}"#, "in:1:16: unexpected end of JSON", 1),
    (#"{"entities":[{}]"#, "in:1:17: unexpected end of JSON", 1),
    (#"{"entities":[{}],"#, "in:1:18: unexpected end of JSON", 1),
    (#"{"entities":[{}],"x":1}"#, "in:1:18: the outermost object may contain only one \"entities\" key", 1),
    ("{\"entities\":[{}]}\n x", "in:2:2: the outermost object may contain only one \"entities\" key", 1),
    (#"{"entities":[,{}]}"#, "in:1:14: unexpected character: ,", 0),
    (#"{"entities":[{},,]}"#, "in:1:17: unexpected character: ,", 1),
    (#"{"entities":[{} {}]}"#, "in:1:17: unexpected character: {", 1),
    (#"{"entities":[{},[{}]]}"#, "in:1:17: a record must be a JSON object", 1),
    ("{\"entities\":[\n{},{\"a\":[]}]}", "in:2:9: a: an entity value cannot be an array", 1),
  ])
  func errorPositionIsIndependentOfChunks(_ text: String, _ fault: String, _ count: Int) {
    for cut in 0...text.utf8.count {
      let found = read(text, cut: cut)
      #expect(found.fault == fault && found.bodies.count == count, "cut at \(cut): \(found)")
    }
  }
}
