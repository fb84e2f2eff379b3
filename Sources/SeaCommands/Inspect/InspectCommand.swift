import SeaCore
import SeaEngine
import SeaSystem
import enum SeaContainer.BundleError
import enum SeaContainer.BundleSource
import enum SeaContainer.ContainerError

enum InspectCommand: Command {
  static var title: Title {
    Title("inspect", .care, .porcelain, "show the structure of containers, bundles, chains, blocks and records")
  }
  static var synopsis: [String] { ["[--tree | --blocks | --hex] [CONTAINER | BUNDLE | INSTANCE | BLOCK | RECORD]"] }
  static let tree = Option("tree", help: "list the files and the meaning of each")
  static let blocks = Option("blocks", help: "list the blocks of each chain")
  static let hex = Option("hex", help: "also print the bytes of blocks")
  static var options: [Option] { [tree, blocks, hex] }
  static var operands: [Operand] { [.optional("CONTAINER", .place)] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "unknown or ambiguous name"),
      Exit(.corrupt, "a block is damaged"),
      Exit(.denied, "the block is encrypted and its key is not available"),
      Exit(.unreachable, "the container is unavailable, or a part of a bundle is missing"),
      Exit(.noDatabase, "no database found, but one is needed"),
      Exit(.incompatible, "not a container or bundle, or unknown format"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let view = try arguments.only(of: [tree, blocks, hex])
    let operand = arguments.operand(0)
    // Ignore a `.sea` folder next to the operand, because it may come from the same untrusted source.
    session.ignoresDatabase = try operand.map { try Path.exists(session.path($0)) } ?? false
    switch try InspectTarget.of(operand, session) {
    case .place(let place, let name):
      let output = InspectPlace(session, place, name)
      switch view?.key {
      case tree.key: return try output.files()
      case blocks.key: return try output.blocks(of: nil, withBytes: false)
      case hex.key: return try output.blocks(of: nil, withBytes: true)
      default: return try output.summary()
      }
    case .chain(let place, let name, let branch):
      if view?.key == tree.key { throw UsageFault.excluded([tree.dashed, "INSTANCE"]) }
      return try InspectPlace(session, place, name).blocks(of: branch, withBytes: view?.key == hex.key)
    case .blocks(let source, let name):
      if view?.key == tree.key { throw UsageFault.excluded([tree.dashed, "BLOCK"]) }
      return try InspectBlock(session, withBytes: view?.key == hex.key).print(source, name)
    case .record(let row, let database):
      if view?.key == tree.key { throw UsageFault.excluded([tree.dashed, "RECORD"]) }
      return try InspectRecord(session, database).print(row)
    }
  }
}

struct InspectRecord {
  private let session: Session
  private let database: Database

  init(_ session: Session, _ database: Database) { (self.session, self.database) = (session, database) }

  func print(_ row: RecordRow) throws -> ExitStatus {
    let terminal = session.terminal
    let names = try database.members.names()
    try database.atOneState {
      let item: Item = [
        "id": .id(row.id), "type": .text(row.type), "deleted": .flag(row.isDeleted),
        "conflict": .flag(row.conflict != .none),
      ]
      try terminal.show(Item(event: "record", item), wraps: true) {
        let state = row.isDeleted ? "  deleted" : row.conflict != .none ? "  in conflict: sea conflicts" : ""
        return ["record \(row.id)\(row.type.map { "  \($0)" } ?? "")\(state)", ""]
      }
      var lines = GraphLines(winner: try database.records.revision("winner", of: row).revision, terminal)
      try database.history.forEachEvent(of: row, in: nil) { event in
        let merged = try database.history.merged(by: event)
        if terminal.options.json {
          try terminal.object(self.item(event, merged, names))
          return true
        }
        let taken = merged.isEmpty ? "" : "merged \(merged.map { terminal.short($0) }.joined(separator: " "))"
        lines.add(
          event,
          [
            terminal.short(event.revision), event.state.rawValue, name(event, names),
            event.author.map { terminal.text($0.time) } ?? "-", taken,
          ])
        return true
      }
      try lines.print(columns: 5)
    }
    return .success
  }

  private func name(_ event: Event, _ names: [UUID: String]) -> String {
    guard let author = event.author else { return "-" }
    let name = names[author.instance].flatMap { $0.isEmpty ? nil : $0 } ?? session.terminal.short(author.instance)
    return name + author.tail
  }

  private func item(_ event: Event, _ merged: [RevisionID], _ names: [UUID: String]) -> Item {
    Item(
      event: "revision",
      [
        "rev": .id(event.revision), "parent": .id(event.leaf.parentRevision),
        "merged": merged.isEmpty ? .absent : .texts(merged), "kind": .text(event.leaf.kind.rawValue),
        "state": .text(event.state.rawValue), "block": .id(event.author?.place),
        "name": .text(event.author.flatMap { names[$0.instance] }.flatMap { $0.isEmpty ? nil : $0 }),
        "time": .time(event.author?.time), "bytes": .integer(event.leaf.length),
      ])
  }
}

enum InspectTarget {
  case place(any InspectedPlace, name: String)
  case chain(any InspectedPlace, name: String, BranchID)
  case blocks(BlockSource, name: String)
  case record(RecordRow, Database)

  /// Identifies the object that an operand names; nil means the database. Containers, bundles and files of blocks take
  /// precedence over names that `sea show` accepts.
  static func of(_ text: String?, _ session: Session) throws -> InspectTarget {
    guard let text else {
      let database = try session.reading()
      return .place(try InspectedStore(database), name: database.path)
    }
    let database = try Result { try session.reading() }.ifAvailable()
    if let database, let setting = try? database.containers.setting(text) {
      let container = try database.containers.open(setting)
      return .place(try InspectedContainer(container, named: text, database), name: text)
    }
    let path = session.path(text)
    if let there = try Path.statusFollowing(path), there.kind == .file {
      if try isBlock(path) { return .blocks(BlockSource(session), name: Path.join(".", text)) }
      if there.size == 0 { throw TransferError.bundle(name: text, .notABundle) }
    }
    if !Containers.isRemoteLocation(text), case .file(let path)? = try BundleOperand.of(path) {
      do {
        let bundle = try InspectedBundle(
          .file(path: path), named: text, temporary: session.temporaryFolder, database)
        return .place(bundle, name: text)
      } catch TransferError.bundle(_, .notABundle) where database != nil {
        // If the file is neither a bundle nor a block, the operand may still name a record.
      }
    }
    let container = try Containers.at(session.location(text), session.helpers)
    do {
      return .place(try InspectedContainer(container, named: text, database), name: text)
    } catch let error as ContainerError {
      guard !Containers.isRemoteLocation(text), let database else { throw error }
      return try inside(text, database, session, orElse: error)
    }
  }

  private static func inside(
    _ text: String, _ database: Database, _ session: Session, orElse error: ContainerError
  ) throws -> InspectTarget {
    do {
      switch try session.named(text, in: database) {
      case .record(let row): return .record(row, database)
      case .revision(let found): return .record(found.row, database)
      case .block: return .blocks(BlockSource(session), name: text)
      case .instance(let instance):
        return .chain(try InspectedStore(database), name: database.path, BranchID(instance))
      }
    } catch KitError.nothingNamed(let name) {
      if try Path.exists(session.path(text)) { throw error }
      throw KitError.nothingNamed(name)
    }
  }

  private static func isBlock(_ path: String) throws -> Bool {
    let file = try File.openWithoutWaiting(path)
    var start = [UInt8](repeating: 0, count: 3)
    let count = try start.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return count == 3 && start == Array("SEA".utf8)
  }
}

extension Result where Success == Database, Failure == any Error {
  /// Returns nil if there is no database or if it must not be used. Some targets do not need a database.
  fileprivate func ifAvailable() throws -> Database? {
    do { return try get() } catch KitError.noDatabase { return nil } catch let error as KitError {
      guard error.isUnsafePlace else { throw error }
      return nil
    }
  }
}

struct InspectPlace {
  private let session: Session
  private let place: any InspectedPlace
  private let name: String
  private var terminal: Terminal { session.terminal }

  init(_ session: Session, _ place: any InspectedPlace, _ name: String) {
    (self.session, self.place, self.name) = (session, place, name)
  }

  // MARK: - Summary

  /// Prints general information, the number of files of each kind, and the chains.
  func summary() throws -> ExitStatus {
    let layout = try place.layout(keepsFiles: false)
    let chains = try place.chains()
    let facts = place.facts
    let item: Item = [
      "where": .text(name), "form": .text(place.form), "database": .id(facts.database),
      "container": .id(facts.container),
      "content_type": .text(facts.contentType), "sealed": .flag(facts.isSealed),
      "members": .flag(facts.hasMembers), "files": .integer(layout.total.files),
      "bytes": .integer(layout.total.bytes), "opens": .flag(!facts.isSealed || place.keys != nil),
    ]
    try terminal.show(Item(event: "place", item)) {
      var lines = [
        "\(place.form) \(name)",
        "database \(terminal.short(facts.database))  \(facts.contentType)"
          + (facts.isSealed ? "  encrypted" : "") + (facts.hasMembers ? "  members" : ""),
      ]
      if facts.isSealed, place.keys == nil { lines.append("no key available: only headers and sizes are shown") }
      return lines + [""]
    }
    try kinds(layout)
    if !terminal.options.json, !chains.isEmpty { try terminal.line("") }
    let list = try Listing(
      terminal,
      [
        Column("CHAIN", "chain"), Column("NAME", "name"), Column("BLOCKS", "blocks", right: true),
        Column("SIZE", right: true) { item, _ in item["bytes"].size }, Column("FIRST", brief: "began"),
        Column("LAST", brief: "ended"),
      ])
    for chain in chains { try list.add(chain.item) }
    try list.end()
    for chain in chains where chain.missing > 0 {
      try terminal.remark(
        "\(terminal.short(chain.branch.instance))\(chain.branch.tail): \(Count(chain.missing, "block")) "
          + "before block \(chain.last) \(chain.missing == 1 ? "is" : "are") missing, so later blocks are not reached"
      )
    }
    return .success
  }

  private func kinds(_ layout: PlaceLayout) throws {
    let list = try Listing(
      terminal,
      [
        Column("FILES", "files", right: true), Column("SIZE", right: true) { item, _ in item["bytes"].size },
        Column("WHAT", "what"),
      ])
    for kind in FileMeaning.Kind.allCases {
      guard let sum = layout.kinds[kind] else { continue }
      let item: Item = [
        "kind": .text(kind.rawValue), "files": .integer(sum.files), "bytes": .integer(sum.bytes),
        "what": .aside(kind.words(sum.files)),
      ]
      try list.add(Item(event: "kind", item))
    }
    try list.end()
  }

  // MARK: - Files

  func files() throws -> ExitStatus {
    let layout = try place.layout(keepsFiles: true)
    var above: [Substring] = []
    for (path, size, meaning) in layout.files {
      let item: Item = [
        "path": .text(path), "bytes": .integer(size), "kind": .text(meaning.kind.rawValue),
        "chain": .text(meaning.branch), "first": .integer(meaning.blocks?.lowerBound),
        "last": .integer(meaning.blocks?.upperBound),
      ]
      try terminal.show(Item(event: "file", item)) {
        var parts = path.split(separator: "/")
        let own = parts.popLast() ?? ""
        let same = zip(parts, above).prefix { $0 == $1 }.count
        var lines = parts.indices[same...].map { String(repeating: "  ", count: $0) + parts[$0] + "/" }
        above = parts
        lines.append("\(String(repeating: "  ", count: parts.count))\(own)  \(SizeText.of(size))  \(meaning.words)")
        return lines
      }
    }
    if layout.more > 0 { terminal.notice("\(Count(layout.more, "file")) more") }
    terminal.summarize(["files": .integer(layout.total.files), "bytes": .integer(layout.total.bytes)])
    try terminal.remark("\(Count(layout.total.files, "file")), \(SizeText.of(layout.total.bytes))")
    return .success
  }

  // MARK: - Blocks

  func blocks(of only: BranchID?, withBytes: Bool) throws -> ExitStatus {
    let printer = InspectBlock(session, withBytes: withBytes)
    var (count, bytes, last) = (0, Int64(0), BranchID?.none)
    let problems = try place.forEachBlock(of: only, newest: nil) { block, raw in
      (count, bytes) = (count + 1, bytes + Int64(block.size))
      if block.ref.branch != last, !terminal.options.json {
        let name = block.name.map { "  \($0)" } ?? ""
        if last != nil { try terminal.line("") }
        try terminal.line(terminal.shown("chain \(block.ref.branch)\(name)"))
      }
      last = block.ref.branch
      if withBytes { return try printer.header(block, raw) }
      try terminal.show(block.item) { [printer.line(block)] }
    }
    for problem in problems {
      try terminal.show(terminal.item(problem)) {
        ["\(problem.code.rawValue) \(Failure.words(problem, in: terminal))"]
      }
    }
    terminal.summarize(["blocks": .integer(count), "bytes": .integer(bytes), "problems": .integer(problems.count)])
    try terminal.remark("\(Count(count, "block")), \(SizeText.of(bytes))")
    return problems.contains(where: \.isDamage) ? .corrupt : .success
  }
}

extension InspectedPlace {
  var form: String {
    switch self {
    case is InspectedBundle: "bundle"
    case is InspectedContainer: "container"
    default: "database"
    }
  }
}

extension InspectedChain {
  var item: Item {
    Item(
      event: "chain",
      [
        "chain": .id(branch), "name": .text(name.isEmpty ? nil : name), "first": .integer(first),
        "last": .integer(last), "blocks": .integer(count), "missing": missing > 0 ? .integer(missing) : .absent,
        "bytes": .integer(bytes), "began": .time(began),
        "ended": .time(ended),
      ])
  }
}

extension Field {
  fileprivate var size: String { if case .number(let bytes) = self { SizeText.of(bytes) } else { "" } }
}
