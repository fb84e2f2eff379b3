import SeaCore
import SeaEngine
import SeaSystem

/// Resolves conflicts with a merge program or the user's editor. No lock is held while either of them runs.
struct ProgramMerge {
  private let session: Session
  private let database: Database
  private var drivers: [String: MergeProgram] = [:]
  private var typed: [(id: String, text: [UInt8])] = []

  init(_ session: Session, _ database: Database) {
    self.session = session
    self.database = database
  }

  private mutating func driver(_ name: String) throws -> MergeProgram {
    if let known = drivers[name] { return known }
    let driver = try MergeProgram.driver(name, session)
    drivers[name] = driver
    return driver
  }

  /// Throws an error unless the driver merges single values. Call this before doing any other work.
  mutating func checkScope(ofDriver name: String) throws {
    guard try driver(name).scope == .property else { throw ProgramError.wrongScope(driver: name) }
  }

  // MARK: Values

  /// Resolves each property whose choice names a driver for values.
  mutating func settle(_ conflict: Conflict, _ choices: MergeChoices) throws -> Settled {
    var programs = self
    defer { self = programs }
    return try database.conflicts.settle(conflict, choices) { name, path in
      try programs.checkScope(ofDriver: name)
      return try programs.value(programs.driver(name), path, conflict)
    }
  }

  private func value(_ driver: MergeProgram, _ path: Conflict.Path, _ conflict: Conflict) throws -> Value?? {
    var values: [Value?] = []
    for (side, value) in zip(conflict.sides, path.values) where side.leaf.kind == .put {
      // A revision that did not change the property is not passed to the driver.
      if conflict.base != nil, value == path.base { continue }
      if !values.contains(where: { $0 == value }) { values.append(value) }
    }
    guard var result = values.first else { return .some(path.base) }
    for value in values.dropFirst() {
      let versions = MergeProgram.Versions(
        id: conflict.id, type: conflict.merged.type, base: try text(path.base), ours: try text(result),
        theirs: try text(value))
      switch try driver.merge(versions, database, session) {
      case .stays: return nil
      case .nothing: result = nil
      case .merged(let bytes): result = try checked(driver, conflict.id) { try ProgramMerge.value(bytes) }
      }
    }
    return .some(result)
  }

  private func text(_ value: Value?) throws -> [UInt8]? {
    try value.map { Array(try $0.json(style: .pretty).utf8) + [0x0A] }
  }

  private static func value(_ bytes: [UInt8]) throws -> Value {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw CoreError.badJSON(.notUTF8, offset: 0) }
    let value = try Value.json(text)
    // A property cannot be null.
    if case .null = value { throw CoreError.badJSON(.nullValue, offset: 0) }
    return value
  }

  // MARK: Records

  /// Merges whole records: each conflicting revision in turn is merged into the winner. Returns nil if the conflict
  /// remains.
  func settle(_ conflict: Conflict, with program: MergeProgram) throws -> Settled? {
    var result = shared(conflict.sides[0], conflict)
    let base = try conflict.base.map { try RecordFile.pretty(conflict.id, Content(type: $0.type, body: $0.body)) }
    for side in conflict.sides.dropFirst() {
      var versions = MergeProgram.Versions(
        id: conflict.id, type: result.type ?? side.type, base: base, ours: try text(result, conflict),
        theirs: try text(shared(side, conflict), conflict))
      versions.merged = try MergeText.write(conflict, conflict.merged, conflict.clashes)
      switch try program.merge(versions, database, session) {
      case .stays: return nil
      case .nothing: result = .deleted
      case .merged(let bytes):
        if let left = MergeText.clashes(in: bytes), !left.isEmpty { return nil }
        let type = result.type ?? side.type
        result = try checked(program, conflict.id) { try record(bytes, conflict.id, type) }
      }
    }
    return Settled(result, leaves: conflict.leaves, how: .program(program.name))
  }

  private func text(_ content: Content, _ conflict: Conflict) throws -> [UInt8]? {
    content.body == nil ? nil : try RecordFile.pretty(conflict.id, content)
  }

  /// Returns the content of a side after merging the counters and sets of all sides, so that merge programs do not have
  /// to.
  private func shared(_ side: Conflict.Side, _ conflict: Conflict) -> Content {
    guard side.leaf.kind == .put else { return .deleted }
    var content = Content(type: side.type, body: side.body)
    for path in conflict.paths where path.state == .merges {
      switch path.merged {
      case .counter?, .set?: content = (try? content.replacing(path.path, with: path.merged)) ?? content
      default: break
      }
    }
    return content
  }

  private func record(_ bytes: [UInt8], _ id: String, _ type: String?, name: String = "it") throws -> Content {
    let file = try RecordFile(name, bytes: bytes)
    if let other = file.id, !UTF8Text.equal(other, id) { throw CommandError.otherRecord(have: other, want: id) }
    var content = file.content
    if content.type == nil { content.type = type }
    return content
  }

  private func checked<Result>(_ program: MergeProgram, _ id: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      throw ProgramError.badResult(program: program.title, id: id, error)
    }
  }

  // MARK: Automatic merges

  /// Resolves some paths with the driver from the settings. Returns nil if the conflict remains. If the driver fails,
  /// prints a warning and also returns nil.
  mutating func settle(
    _ name: String, _ conflict: Conflict, _ content: Content, _ paths: [Conflict.Path]
  ) throws -> Content? {
    do {
      let driver = try driver(name)
      if driver.scope == .record {
        guard let settled = try settle(conflict, with: driver) else { return nil }
        if paths.count == conflict.clashes.count { return settled.content }
        // The remaining paths belong to other drivers.
        return try paths.reduce(content) { try $0.replacing($1.path, with: settled.content[$1.path]) }
      }
      var content = content
      for path in paths {
        guard let value = try value(driver, path, conflict) else { return nil }
        content = try content.replacing(path.path, with: value)
      }
      return content
    } catch let error as ProgramError where !error.isInterrupt {
      let failure = Failure.describing(error)
      session.terminal.warning("merge-program", failure.message, hint: failure.hint)
      session.programFailures += 1
      return nil
    }
  }

  // MARK: By hand

  /// Opens the user's editor with the result of the choices so far.
  mutating func edit(_ conflict: Conflict, _ settled: Settled) throws -> Settled {
    let folder = try database.folder.temporaryFolder()
    defer { folder.remove() }
    let name = "merged.json"
    let before = try MergeText.write(conflict, settled.content, settled.open)
    try folder.write(name, before)
    var after: [UInt8]?
    func keep() -> String? { after.flatMap { $0 == before ? nil : try? folder.keep($0, ending: ".json") } }
    do {
      try session.edit(folder.path(of: name))
      after = try folder.read(name, limit: MergeProgram.longest)
    } catch {
      after = try? folder.read(name, limit: MergeProgram.longest)
      if let kept = keep() { throw ProgramError.badText(error, kept: kept) }
      guard case CommandError.programFailed(let editor, let status) = error else { throw error }
      throw ProgramError.failed(program: "editor '\(editor)'", id: conflict.id, .exited(status))
    }
    guard let text = after else {
      throw ProgramError.tooLarge(program: "the editor", id: conflict.id, limit: MergeProgram.longest)
    }
    if let left = MergeText.clashes(in: text), !left.isEmpty {
      throw ProgramError.clashesLeft(id: conflict.id, left, kept: keep())
    }
    do {
      let content = try record(text, conflict.id, settled.content.type, name: name)
      if text != before { typed.append((conflict.id, text)) }
      return Settled(content, leaves: conflict.leaves, how: .manual)
    } catch {
      guard let kept = keep() else { throw error }
      throw ProgramError.badText(named(kept, error), kept: kept)
    }
  }

  /// Saves the edited text in files if a later error prevented the write.
  func keepTyped() {
    for (id, text) in typed {
      guard let kept = try? database.folder.temporaryFolder().keep(text, ending: ".json") else { continue }
      session.terminal.warning(
        "not-written", "\(id): your text was kept in '\(kept)'",
        hint: "to use it, run: sea resolve --with=\(Escape.shell(kept)) -- \(Escape.shell(id))")
    }
  }

  private func named(_ kept: String, _ error: any Error) -> any Error {
    switch error {
    case CommandError.input(_, let line, let column, let error, let excerpt):
      CommandError.input(name: kept, line: line, column: column, error, excerpt: excerpt)
    case CommandError.emptyInput: CommandError.emptyInput(name: kept)
    default: error
    }
  }
}

/// The merge of a record as JSON for the editor, with `{"$clash":{…}}` at each unresolved conflict.
package enum MergeText {
  private static let clash = "$clash"

  static func write(_ conflict: Conflict, _ content: Content, _ open: [Conflict.Path]) throws -> [UInt8] {
    let names = names(conflict)
    var extra: [(name: String, value: Value)] = []
    var content = content
    var texts: [(mark: String, path: Conflict.Path)] = []
    if conflict.hasDeletion, !open.isEmpty {
      // The user must also choose whether to delete the record.
      var sides = Members()
      for (name, side) in zip(names, conflict.sides) {
        sides[name] = .string(side.leaf.kind == .put ? "changed" : "deleted")
      }
      extra = [(clash, .dictionary(sides))]
    } else {
      for path in open {
        // A random mark will not occur in the record by chance.
        let mark = try UUID.random().description
        content = try content.replacing(path.path, with: .string(mark))
        texts.append((mark, path))
      }
    }
    var text = String(
      decoding: try RecordFile.pretty(conflict.id, content, rev: conflict.sides[0].leaf.revision, extra: extra),
      as: UTF8.self)
    for (mark, path) in texts {
      guard let place = text.firstPlace(of: "\"\(mark)\"") else { continue }
      let line = text[..<place.lowerBound].lastIndex(of: "\n").map { text[text.index(after: $0)...] } ?? text[...]
      let indent = String(line.prefix { $0 == " " })
      text.replaceSubrange(place, with: try object(path, names, hasBase: conflict.base != nil, indent))
    }
    return Array(text.utf8)
  }

  /// Names each side by its shortened revision, or by its full revision if the shortened ones are not unique.
  private static func names(_ conflict: Conflict) -> [String] {
    let short = conflict.leaves.map { $0.short() }
    return Set(short).count == short.count ? short : conflict.leaves.map(\.description)
  }

  private static func object(
    _ path: Conflict.Path, _ names: [String], hasBase: Bool, _ indent: String
  ) throws -> String {
    var sides = Members()
    if hasBase { sides["base"] = path.base ?? .null }
    for (name, value) in zip(names, path.values) { sides[name] = value ?? .null }
    let inner = try Value.dictionary(sides).json(style: .pretty).split(separator: "\n")
    return "{\n\(indent)  \"\(clash)\": " + inner.joined(separator: "\n\(indent)  ") + "\n\(indent)}"
  }

  /// Returns JSON pointers to the conflicts that are still unresolved; nil if the text is not a JSON object.
  package static func clashes(in bytes: [UInt8]) -> [String]? {
    var tape = JSONTape()
    let isJSON = bytes.withUnsafeBufferPointer { bytes in
      (try? tape.parse(bytes, at: 0)).map { JSONTape.skipSpace(bytes, from: $0) == bytes.count } ?? false
    }
    guard isJSON, tape.isObject else { return nil }
    var finder = ClashFinder(bytes)
    finder.value([])
    return finder.found.map(\.pointer)
  }

  private struct ClashFinder {
    private let bytes: [UInt8]
    private var at = 0
    private(set) var found: [PropertyPath] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func value(_ path: [String]) {
      skipSpace()
      switch bytes[at] {
      case 0x7B: object(path)
      case 0x5B: list(path)
      case 0x22: _ = string()
      default: while at < bytes.count, !Self.ends.contains(bytes[at]) { at += 1 }
      }
    }

    private static let ends: [UInt8] = [0x2C, 0x5D, 0x7D, 0x20, 0x09, 0x0A, 0x0D]

    private mutating func skipSpace() {
      while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
    }

    private mutating func another(_ closing: UInt8) -> Bool {
      at += 1
      skipSpace()
      guard bytes[at] == closing else { return true }
      at += 1
      return false
    }

    private mutating func isAtComma() -> Bool {
      skipSpace()
      if bytes[at] == 0x2C { return true }
      at += 1
      return false
    }

    private mutating func object(_ path: [String]) {
      guard another(0x7D) else { return }
      while true {
        skipSpace()
        let name = string()
        // A value marked as a dictionary may have any key.
        if name == MergeText.clash, path.last != "$dict" { found.append(PropertyPath(names: path)) }
        skipSpace()
        at += 1
        value(path + [name])
        guard isAtComma() else { return }
        at += 1
      }
    }

    private mutating func list(_ path: [String]) {
      guard another(0x5D) else { return }
      var index = 0
      while true {
        value(path + [String(index)])
        index += 1
        guard isAtComma() else { return }
        at += 1
      }
    }

    private mutating func string() -> String {
      let start = at
      at += 1
      while bytes[at] != 0x22 { at += bytes[at] == 0x5C ? 2 : 1 }
      at += 1
      guard case .string(let text)? = try? Value.json(String(decoding: bytes[start..<at], as: UTF8.self)) else {
        return ""
      }
      return text
    }
  }
}
