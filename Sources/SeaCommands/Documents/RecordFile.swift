import SeaCore

struct RecordFile {
  private(set) var id: String?
  private(set) var content = Content.deleted
  private var revision: RevisionID?
  private var lamport: UInt32?

  init(_ file: String, _ session: Session) throws {
    try self.init(file == "-" ? "standard input" : file, session.reader(file))
  }

  init(_ name: String, bytes: [UInt8]) throws {
    var rest = bytes[...]
    try self.init(
      name,
      Input { buffer in
        let piece = rest.prefix(buffer.count)
        buffer.copyBytes(from: piece)
        rest = rest.dropFirst(piece.count)
        return piece.count
      })
  }

  private init(_ name: String, _ input: Input) throws {
    let reader = DocumentReader(name, input)
    var result: RecordFile?
    while try reader.next({ tape, bytes in
      guard result == nil else { throw CoreError.badJSON(.trailingText, offset: tape.origin) }
      result = try RecordFile(tape, bytes)
    }) {}
    guard let result else { throw CommandError.emptyInput(name: name) }
    self = result
  }

  private init(_ tape: borrowing JSONTape, _ bytes: UnsafeBufferPointer<UInt8>) throws {
    var writer = ByteWriter()
    let input = try encodeRecord(tape, bytes, into: &writer)
    let body = try Value.decodeDraft(UnsafeBufferPointer(rebasing: writer.bytes[input.body]))
    id = input.id
    revision = input.rev
    content = Content(type: input.type, body: input.deleted ? nil : body)
    if case .integer(let time)? = try? Value.value(tape, bytes).members?["_lamport"] { lamport = UInt32(exactly: time) }
  }

  func provenance(isOwn: Bool) -> Provenance { Provenance(revision: revision, lamport: lamport, isOwn: isOwn) }

  /// Returns the id that the files have in common. Files without an id are permitted.
  static func id(_ files: [RecordFile]) throws(CommandError) -> String? {
    var known: String?
    for file in files {
      guard let id = file.id else { continue }
      if let known, !UTF8Text.equal(known, id) { throw .otherRecord(have: id, want: known) }
      known = id
    }
    return known
  }

  static func text(_ id: String?, _ content: Content) throws -> [UInt8] {
    try item(id, content).line
  }

  static func item(_ id: String?, _ content: Content) throws -> Item {
    var item: Item = ["_id": .id(id), "_type": .text(content.type), "_deleted": .mark(content.body == nil)]
    if case .packed(let stored)? = content.body, var entries = stored.entries {
      while let entry = entries.next() { item.add([entry.name: .value(entry.value)]) }
    }
    for (name, value) in content.body?.members?.entries ?? [] { item.add([name: try .value(value)]) }
    return item
  }

  static func pretty(
    _ id: String, _ content: Content, rev: RevisionID? = nil, extra: [(name: String, value: Value)] = []
  ) throws -> [UInt8] {
    var body = ByteWriter()
    var writer = ByteWriter()
    _ = try content.body?.encodeBody(into: &body)
    try JSONWriter.writeRecord(
      id: id, type: content.type, rev: rev, deleted: content.body == nil, extra: extra,
      body: content.body == nil ? nil : body.bytes, style: .pretty, into: &writer)
    return writer.array() + [0x0A]
  }
}
