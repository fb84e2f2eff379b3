import SeaEngine
import SeaCore

enum HashRecordCommand: Command {
  static var title: Title { Title("hash-record", .plumbing, .plumbing, "compute the revision of a record") }
  static var synopsis: [String] {
    ["[-t TYPE] [--id=ID] [--parent=REV] [--merged=REV]... [--kind=KIND] [FILE]..."]
  }
  static let id = Option("id", nil, .record, "ID", "set the id of records without _id")
  static let parent = Option("parent", nil, .revision, "REV", "set the parent revision (default: none)")
  static let merged = Option("merged", nil, .revision, "REV", "add a revision that this one merges", repeatable: true)
  static let revisionKind = Option(
    "kind", nil, .choice(["put", "delete", "resolved"]), "KIND", "set the kind: put (default), delete or resolved")
  static var options: [Option] { [.type, id, parent, merged, revisionKind] }
  static var operands: [Operand] { [.any("FILE", .file)] }
  static var exits: [Exit] { [Exit(.badData, "a line is not a record")] }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let hasher = try Hasher(arguments)
    try JSONLines(session, arguments.operands).each { tape, line in
      let (id, revision) = try hasher.revision(of: tape, line)
      try session.terminal.show(["id": .text(id), "rev": .id(revision)]) { [revision.description] }
    }
    return .success
  }

  private struct Hasher {
    let id: String?, type: String?
    let parent: RevisionID?
    let merged: [RevisionID]
    let kind: RevisionKind?

    init(_ arguments: Arguments) throws {
      id = arguments.text(HashRecordCommand.id)
      type = arguments.text(.type)
      let parent = try arguments.text(HashRecordCommand.parent).map { try Hasher.full($0, "--parent") }
      if parent?.depth == .max {
        throw UsageFault.badValue(option: "--parent", value: parent?.description ?? "", expected: .revision)
      }
      let all = try arguments.texts(HashRecordCommand.merged).map { try Hasher.full($0, "--merged") }
      merged = Set(all).sorted()
      if merged.count > Change.mostMerged || merged.contains(where: { $0 == parent }) {
        throw UsageFault.excluded(["--parent", "--merged"])
      }
      self.parent = parent
      kind = arguments.text(HashRecordCommand.revisionKind).flatMap(RevisionKind.init)
    }

    private static func full(_ text: String, _ option: String) throws(UsageFault) -> RevisionID {
      guard let revision = RevisionID(text) else { throw .badValue(option: option, value: text, expected: .revision) }
      return revision
    }

    func revision(of tape: borrowing JSONTape, _ line: UnsafeBufferPointer<UInt8>) throws -> (String, RevisionID) {
      var body = ByteWriter()
      let input = try encodeRecord(tape, line, into: &body)
      if input.needsState { throw LineFault.needsState }
      guard var id = input.id ?? id else { throw LineFault.missingKey("_id") }
      let kind = kind ?? (input.deleted ? .delete : .put)
      let content = UnsafeBufferPointer(rebasing: body.bytes[input.body])
      var writer = ByteWriter()
      var type = input.type ?? type
      let change = try id.withUTF8 { id in
        try Name.check(id)
        func write(_ type: UnsafeBufferPointer<UInt8>?) -> Change {
          Change.write(
            into: &writer, id: id, type: type, parent: parent, merged: merged, kind: kind,
            body: kind == .put ? content : nil, hasReferences: input.hasReferences)
        }
        return try type?.withUTF8 {
          try Name.check($0)
          return write($0)
        } ?? write(nil)
      }
      return (id, change.revision)
    }
  }
}
