import SeaCore
import SeaEngine

/// The record that a person made out of the leaves.
struct ResolvedDocument {
  private var id: String?
  let resolution: Resolution

  init(_ file: String, _ session: Session) throws {
    var id: String?
    var resolution: Resolution?
    let name = file == "-" ? "standard input" : file
    let reader = DocumentReader(name, try session.reader(file))
    while try reader.next({ tape, bytes in
      guard resolution == nil else { throw CoreError.badJSON(.trailingText, offset: 0) }
      var writer = ByteWriter()
      let input = try encodeRecord(tape, bytes, into: &writer)
      id = input.id
      let body = try Value.decodeDraft(UnsafeBufferPointer(rebasing: writer.bytes[input.body]))
      resolution = .with(input.deleted ? nil : body, type: input.type, revision: input.rev)
    }) {}
    guard let resolution else { throw CommandError.emptyInput(name: name) }
    self.id = id
    self.resolution = resolution
  }

  /// The document must be of the one record that it is given for.
  func check(_ ids: [String]) throws {
    guard let id, let want = ids.first, !UTF8Text.equal(id, want) else { return }
    throw CommandError.otherRecord(have: id, want: want)
  }
}
