import SeaCore
import SeaStore

/// What a text on a command line can name.
package enum Named: Sendable {
  case record(RecordRow)
  case revision(Found)
  case block(BlockRow)
  case instance(UUID)
}

extension Records {
  /// The one thing that a text names: a record before a block, a block before an instance, an instance before a
  /// revision, as `@` may stand in all of them.
  /// - Throws: `nothingNamed`, and what is wrong with a name whose first part is known.
  package func named(_ text: String, literal: Bool = false) throws -> Named {
    do {
      return .record(try find(text, literal: literal))
    } catch KitError.recordNotFound {
      if literal { throw KitError.nothingNamed(text) }
    }
    do { return .block(try block(named: text)) } catch KitError.instanceNotFound {} catch KitError.badSpec {}
    do { return .instance(try author.members.instance(named: text)) } catch KitError.instanceNotFound {}
    guard text.utf8.dropFirst().contains(UInt8(ascii: "@")) else { throw KitError.nothingNamed(text) }
    return .revision(try findRevision(text))
  }

  /// The block that `INSTANCE/INDEX` or `INSTANCE~DIGITS/INDEX` names: of the digits of a branch so many that no other one has them.
  package func block(named text: String) throws -> BlockRow {
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")),
      let index = RevisionText.number(text[text.index(after: slash)...])
    else { throw KitError.badSpec(text) }
    // `~` may stand in an instance's name too, which no digits follow then.
    var name = text[..<slash]
    var digits: String?
    if let tilde = name.utf8.lastIndex(of: UInt8(ascii: "~")), ForkID.isBeginning(name[name.index(after: tilde)...]) {
      digits = String(name[name.index(after: tilde)...])
      name = name[..<tilde]
    }
    let instance = try author.members.instance(named: String(name))
    var branch = BranchID(instance)
    if let digits {
      let named = try store.branches.siblings(of: instance).filter {
        $0.id.fork?.description.hasPrefix(digits) ?? false
      }
      guard named.count == 1 else { throw KitError.blockNotFound(text) }
      branch = named[0].id
    }
    guard let row = try store.blocks.block(branch, index) else { throw KitError.blockNotFound(text) }
    return row
  }

  /// The block that a revision came with first.
  package func block(of leaf: Leaf) throws -> BlockRow? { try store.blocks.block(sequence: leaf.sequence) }

  /// A block as it is stored.
  package func bytes(of block: BlockRow) throws -> [UInt8] { try store.content.bytes(of: block) }
}

extension Named {
  /// The shortest form of a name, with at least so many digits, that still names nothing else.
  package func abbreviated(in records: Records, digits: Int) throws -> String {
    switch self {
    case .record(let row):
      guard UUID(row.id) != nil else { return row.id }
      var count = max(digits, RevisionText.leastDigits)
      while count < 36, try records.store.records.ids(prefix: String(row.id.prefix(count)), limit: 2).count > 1 {
        count += 1
      }
      return String(row.id.prefix(count))
    case .revision(let found):
      let (revision, digest) = (found.leaf.revision, found.leaf.revision.digest.description)
      let others = try records.store.records.revisions(of: found.row).map(\.revision).filter {
        $0.depth == revision.depth
      }
      return revision.short(Named.enough(digest, digits, among: others.map(\.digest.description)))
    case .block(let row): return try abbreviated(row.instance, digits, in: records) + row.tail
    case .instance(let instance): return try abbreviated(instance, digits, in: records)
    }
  }

  private func abbreviated(_ instance: UUID, _ digits: Int, in records: Records) throws -> String {
    let text = instance.description
    return String(
      text.prefix(Named.enough(text, digits, among: try records.store.branches.chains().map(\.instance.description))))
  }

  /// How many characters it takes to tell a text from others.
  private static func enough(_ text: String, _ digits: Int, among all: [String]) -> Int {
    var count = max(digits, RevisionText.leastDigits)
    let others = all.filter { $0 != text }
    while count < text.utf8.count, others.contains(where: { $0.utf8.starts(with: text.utf8.prefix(count)) }) {
      count += 1
    }
    return min(count, text.utf8.count)
  }
}

extension KitError {
  /// Whether a name names nothing, or more than one thing.
  package var isAboutNames: Bool {
    switch self {
    case .recordNotFound, .ambiguousRecord, .revisionNotFound, .ambiguousRevision, .propertyNotFound,
      .instanceNotFound, .ambiguousInstance, .blockNotFound, .nothingNamed, .badSpec, .badName:
      true
    default: false
    }
  }
}
