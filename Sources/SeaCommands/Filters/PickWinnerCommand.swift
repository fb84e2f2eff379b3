import SeaEngine
import SeaCore

enum PickWinnerCommand: Command {
  static var title: Title { Title("pick-winner", .plumbing, .plumbing, "print the winning revision of a tree") }
  static var synopsis: [String] { ["[FILE]..."] }
  static var operands: [Operand] { [.any("FILE", .file)] }
  static var exits: [Exit] { [Exit(.badData, "a line is not a revision, or contradicts another")] }

  struct Revision: Hashable, Comparable {
    let text: String
    let depth: UInt64

    init(_ text: String) throws(LineFault) {
      let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[1].isEmpty, let first = parts[0].utf8.first, (0x31...0x39).contains(first),
        let depth = UInt64(parts[0])
      else { throw .badRevision(text) }
      self.text = text
      self.depth = depth
    }

    static func < (a: Revision, b: Revision) -> Bool {
      a.depth != b.depth ? a.depth < b.depth : UTF8Text.less(a.text, b.text)
    }
    static func == (a: Revision, b: Revision) -> Bool { UTF8Text.equal(a.text, b.text) }
    func hash(into hasher: inout Hasher) { text.utf8.forEach { hasher.combine($0) } }
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    var known: [Revision: (parent: Revision?, isDeleted: Bool)] = [:]
    try JSONLines(session, arguments.operands).each { tape, line in
      let (revision, parent, isDeleted) = try read(tape, line)
      if let before = known[revision] {
        let moved = before.parent != nil && parent != nil && before.parent != parent
        if moved || before.isDeleted != isDeleted { throw LineFault.contradiction(revision.text) }
      }
      known[revision] = (parent ?? known[revision]?.parent, isDeleted)
    }
    let tree = RevisionTree(known.map { ($0.key, $0.value.parent, $0.value.isDeleted) })
    try session.terminal.object([
      "winner": .text(tree.winner?.text).orNull, "record_deleted": .flag(tree.isDeleted),
      "conflicts": .texts(tree.conflicts.map(\.text)), "deleted_leaves": .texts(tree.deletedLeaves.map(\.text)),
    ])
    return .success
  }

  private static func read(
    _ tape: borrowing JSONTape, _ line: UnsafeBufferPointer<UInt8>
  ) throws -> (Revision, Revision?, Bool) {
    guard let members = try Value.value(tape, line).members else { throw LineFault.missingKey("rev") }
    guard case .string(let revision)? = members["rev"] else {
      throw members["rev"] == nil ? LineFault.missingKey("rev") : .wrongType(key: "rev", expected: "a string")
    }
    var parent: Revision?
    switch members["parent"] {
    case nil, .null?: break
    case .string(let text)?: parent = try Revision(text)
    default: throw LineFault.wrongType(key: "parent", expected: "a string or null")
    }
    switch members["deleted"] {
    case nil: return (try Revision(revision), parent, false)
    case .bool(let isDeleted)?: return (try Revision(revision), parent, isDeleted)
    default: throw LineFault.wrongType(key: "deleted", expected: "true or false")
    }
  }
}
