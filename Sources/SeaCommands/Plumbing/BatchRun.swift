import SeaCore
import SeaEngine

/// Runs `sea batch`, which reads one command per line and prints an answer to each command.
final class BatchRun {
  private let session: Session
  private let database: Database
  private let dryRun: Bool
  private let limits: RecordLimits
  private var tape = JSONTape()
  private var counts = (done: 0, failed: 0)
  private var hasFailed = false
  private var hasLost = false
  private var isOver = false
  private static let mostAnswers = 16 << 20

  init(_ session: Session, _ database: Database, dryRun: Bool) throws {
    self.session = session
    self.database = database
    self.dryRun = dryRun
    limits = try session.recordLimits()
  }

  func run() throws -> ExitStatus {
    let terminal = session.terminal
    // Answers are flushed only while no input is ready. A caller that is still writing may not be reading yet, and then
    // both sides would block.
    terminal.output.limit = BatchRun.mostAnswers
    terminal.input.willRead = { [host = session.host] in
      while try !terminal.output.isEmpty && !host.readsFirst() { try terminal.output.flushSome() }
    }
    defer { terminal.input.willRead = nil }
    while !isOver, let line = try next() {
      if line.verb == "start", line.isEmpty { try transaction() } else { try answer(line, nil) }
      try RecordHooks.run(session, BatchCommand.self)
    }
    terminal.summarize(["done": .integer(counts.done), "failed": .integer(counts.failed)])
    return hasLost ? .conflict : counts.failed > 0 ? .partial : .success
  }

  private func next() throws -> BatchLine? {
    while let bytes = try session.terminal.input.line(terminator: session.options.zero ? 0 : 0x0A) {
      if let line = BatchLine(bytes) { return line }
    }
    isOver = true
    return nil
  }

  // MARK: - Transactions

  private enum End { case commit, abort, failed, lost }

  /// Runs the commands between `start` and `commit` or `abort`. Reaching the end of the input also aborts the
  /// transaction.
  private func transaction() throws {
    hasFailed = false
    var end = End.lost
    let block: BlockRef?
    do {
      block = try database.records.transaction(label: "batch", dryRun: dryRun) { open in
        try reply("ok", ["start"], [:])
        while !isOver, let line = try next() {
          if line.verb == "commit" || line.verb == "abort", line.isEmpty {
            end = line.verb == "abort" ? .abort : hasFailed ? .failed : .commit
            break
          }
          try answer(line, open)
        }
        return end == .commit
      }
    } catch let refusal where BatchRun.isRefusal(refusal) {
      hasLost = true
      let failure = Failure.describing(refusal)
      return try fail(failure.slug, failure.message)
    }
    switch end {
    case .commit:
      let name = block.map { "\($0.branch.instance)/\($0.index)" }
      try reply("ok", ["commit"] + (name.map { [$0] } ?? []), ["block": name.map { .id($0) } ?? .absent])
    case .abort: try reply("ok", ["abort"], [:])
    case .failed:
      hasLost = true
      try fail("conflict", "a command of the transaction failed; nothing was written")
    case .lost:
      hasLost = true
      session.terminal.warning("conflict", "the input ended within a transaction; nothing was written")
    }
  }

  /// Whether a hook or a rule refused the transaction, so that the next one may still succeed.
  private static func isRefusal(_ error: any Error) -> Bool {
    if case .breaksRule? = error as? KitError { return true }
    return error is HookRefusal
  }

  // MARK: - Commands

  private func answer(_ line: BatchLine, _ open: OpenTransaction?) throws {
    do {
      try perform(line, open)
    } catch KitError.recordNotFound(let name) {
      try lack("missing", name, isAnswer: line.verb == "get" || line.verb == "verify")
    } catch KitError.ambiguousRecord(let name, _) {
      try lack("ambiguous", name, isAnswer: line.verb == "get" || line.verb == "verify")
    } catch KitError.stale(let id, let have, let want) {
      try conflict(id, have, want)
      hasFailed = true
      counts.failed += 1
    } catch {
      let failure = Failure.describing(error)
      // An error that affects more than this line ends the program.
      guard [.usage, .notFound, .badData, .refused, .conflict, .partial].contains(failure.status) else { throw error }
      try fail(failure.slug, failure.message)
    }
  }

  private func perform(_ line: BatchLine, _ open: OpenTransaction?) throws {
    var words = line
    switch line.verb {
    case "put": try write(open) { try self.add(line.rest, nil, to: $0) }
    case "patch":
      let name = try words.word("RECORD")
      try write(open) { try self.add(words.rest, try self.find(name, open), to: $0) }
    case "set": try set(words, open)
    case "delete":
      let name = try words.word("RECORD")
      let precondition = try words.isEmpty ? .none : BatchLine.precondition(words.word("REV"))
      try words.end()
      try write(open) { $0.addDeletion(try self.find(name, open), precondition) }
    case "get":
      let name = try words.word("RECORD")
      try words.end()
      try get(find(name, open), open)
    case "verify":
      let name = try words.word("RECORD")
      let want = try words.word("REV")
      try words.end()
      try verify(name, want, open)
    case "flush", "quit":
      try words.end()
      isOver = line.verb == "quit"
      try reply("ok", [line.verb], [:])
    case "start":
      try words.end()
      throw Failure(.usage, "a transaction is already open")
    case "commit", "abort":
      try words.end()
      throw Failure(.usage, "no transaction is open; to begin one, send 'start'")
    default: throw Failure(.usage, "unknown batch command '\(line.verb)'")
    }
  }

  private func set(_ line: BatchLine, _ open: OpenTransaction?) throws {
    let line = try BatchSet(line, session)
    try write(open) { batch in
      var first: RecordText.Match?
      var id: String?
      do {
        id = try self.find(line.name, open)
      } catch KitError.recordNotFound where line.creates {
        first = try self.session.literalIDs ? nil : RecordText.Match(line.name)
        if first == nil {
          try Name.check(line.name)
          id = line.name
        }
      }
      let (database, now) = (self.database, self.session.host.now())
      let change = try self.session.literalIDs ? line.change : line.change.naming { try self.find($0, open) }
      let type = line.type ?? first?.type
      try batch.addEdit(id, type: type, line.precondition, mustExist: !line.creates, keepsType: !change.replacesType) {
        [first, id] old in
        return try old == nil
          ? change.newContent(first, type, id ?? line.name, database, now)
          : change.content(from: old, id ?? line.name, database, now)
      }
    }
  }

  private func write(_ open: OpenTransaction?, _ fill: @escaping (WriteBatch) throws -> Void) throws {
    let id: String
    let result: WriteResult
    if let open {
      (id, result) = try open.write(fill)
    } else {
      let batch = WriteBatch(label: "batch")
      result = try database.records.write(batch, dryRun: dryRun, filling: fill).results[0]
      id = batch.id(of: 0)
    }
    try reply("ok", [id, result.revision.description], ["id": .id(id), "rev": .id(result.revision)])
  }

  private func add(_ bytes: ArraySlice<UInt8>, _ patched: String?, to batch: WriteBatch) throws {
    var options = WriteBatch.Options()
    options.limits = limits
    options.id = patched
    options.isForOneRecord = true
    options.isPatch = patched != nil
    try bytes.withUnsafeBufferPointer { bytes in
      let end = JSONTape.skipSpace(bytes, from: try tape.parse(bytes, at: JSONTape.skipSpace(bytes, from: 0)))
      guard end == bytes.count else { throw CoreError.badJSON(.trailingText, offset: end) }
      guard tape.isObject else { throw CoreError.badJSON(.notAnObject, offset: 0) }
      try batch.add(tape, bytes, options)
    }
  }

  private func find(_ name: String, _ open: OpenTransaction?) throws -> String {
    if let open { return try open.find(name, literal: session.literalIDs) }
    let row = try database.records.find(name, literal: session.literalIDs)
    if row.isDeleted { throw KitError.recordNotFound(name) }
    return row.id
  }

  private func get(_ id: String, _ open: OpenTransaction?) throws {
    var writer = ByteWriter(capacity: 512)
    if try open?.writeJSON(of: id, session.terminal.jsonStyle, into: &writer) != true {
      guard let view = try database.records.view(id) else { throw KitError.recordNotFound(id) }
      try view.writeJSON(session.terminal.jsonStyle, into: &writer)
    }
    counts.done += 1
    let output = session.terminal.output
    try output.write(session.options.json ? "{\"event\":\"ok\",\"record\":" : "ok ")
    try output.write(writer.array())
    try session.options.json ? output.write("}\n") : output.byte(session.options.zero ? 0 : 0x0A)
  }

  private func verify(_ name: String, _ want: String, _ open: OpenTransaction?) throws {
    let precondition = try BatchLine.precondition(want)
    var id = name
    var have: RevisionID?
    do {
      id = try find(name, open)
      have = try open?.revision(of: id) ?? database.records.view(id)?.revision
    } catch KitError.recordNotFound where precondition == .absent {}
    let holds = have.map { precondition != .absent && RevisionText.matches($0, want) } ?? (precondition == .absent)
    if holds { try reply("ok", [], ["id": .id(id)]) } else { try conflict(id, have, want) }
  }

  // MARK: - Answers

  private func reply(_ word: String, _ words: [String], _ item: Item) throws {
    counts.done += 1
    try say(word, words, item)
  }

  private func say(_ word: String, _ words: [String], _ item: Item) throws {
    if session.options.json { return try session.terminal.object(Item(event: word, item)) }
    try session.terminal.item(session.terminal.shown(([word] + words).joined(separator: " ")))
  }

  private func lack(_ word: String, _ name: String, isAnswer: Bool) throws {
    if isAnswer { return try reply(word, [name], ["id": .text(name)]) }
    hasFailed = true
    counts.failed += 1
    try say(word, [name], ["id": .text(name)])
  }

  private func conflict(_ id: String, _ have: RevisionID?, _ want: String) throws {
    let text = have?.description ?? "none"
    try say("conflict", [id, text, want], ["id": .id(id), "have": .text(text), "want": .text(want)])
  }

  private func fail(_ slug: String, _ text: String) throws {
    hasFailed = true
    counts.failed += 1
    try say("error", [slug, text], ["code": .text(slug), "message": .text(text)])
  }
}

/// A line of input for `sea batch`: a verb and its arguments.
struct BatchLine {
  let verb: String
  private(set) var rest: ArraySlice<UInt8>

  /// Returns nil for an empty line.
  init?(_ bytes: [UInt8]) {
    var bytes = bytes[...]
    if bytes.last == 0x0D { bytes.removeLast() }
    rest = bytes.drop(while: BatchLine.isSpace)
    if rest.isEmpty { return nil }
    verb = String(decoding: rest.prefix { !BatchLine.isSpace($0) }, as: UTF8.self)
    rest = rest.dropFirst(verb.utf8.count).drop(while: BatchLine.isSpace)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  var isEmpty: Bool { rest.isEmpty }

  /// Removes the next word from the line and returns it. A word that begins with a quotation mark is a JSON string.
  mutating func word(_ name: String) throws -> String {
    guard let first = rest.first else { throw UsageFault.missingOperand(name) }
    var count = 0
    if first == UInt8(ascii: "\"") {
      var isEscaped = false
      count = 1
      for byte in rest.dropFirst() {
        count += 1
        if !isEscaped, byte == UInt8(ascii: "\"") { break }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      }
    } else {
      count = rest.prefix { !BatchLine.isSpace($0) }.count
    }
    guard let text = String(validating: rest.prefix(count), as: UTF8.self) else {
      throw CoreError.badName(.notUTF8, "")
    }
    rest = rest.dropFirst(count).drop(while: BatchLine.isSpace)
    guard first == UInt8(ascii: "\"") else { return text }
    guard case .string(let quoted) = try Value.json(text) else { throw UsageFault.missingOperand(name) }
    return quoted
  }

  func end() throws {
    if !rest.isEmpty { throw UsageFault.extraOperand(String(decoding: rest.prefix(40), as: UTF8.self)) }
  }
}

extension BatchLine {
  static func precondition(_ text: String) throws -> Precondition {
    guard let read = Preconditions.read(text) else {
      throw Failure(.usage, "invalid revision '\(text)': expected a revision or 'none'")
    }
    return read
  }
}

struct BatchSet {
  private(set) var name = ""
  private(set) var change = RecordChange()
  private(set) var creates = false
  private(set) var type: String?
  private(set) var precondition = Precondition.none

  init(_ line: BatchLine, _ session: Session) throws {
    var words = line
    var isNamed = false
    while !words.isEmpty {
      let word = try words.word("RECORD")
      if word.hasPrefix("-") {
        try parse(word, session)
      } else if isNamed {
        change.assignments.append(try Assignment(word, session, readsFiles: false))
      } else {
        (name, isNamed) = (word, true)
      }
    }
    guard isNamed else { throw UsageFault.missingOperand("RECORD") }
    guard !change.isEmpty || type != nil || creates else { throw UsageFault.missingOperand("KEY=VALUE") }
    if !creates, !change.initial.isEmpty {
      throw UsageFault.needs(option: SetCommand.initial.dashed, with: SetCommand.create.dashed)
    }
  }

  private mutating func parse(_ word: String, _ session: Session) throws {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else {
      switch word {
      case SetCommand.create.dashed: creates = true
      case SetCommand.replaceType.dashed: change.replacesType = true
      default: throw UsageFault.unknownOption(word, command: "set", similar: nil)
      }
      return
    }
    switch parts[0] {
    case Option.type.dashed:
      try Name.check(parts[1])
      type = parts[1]
    case SetCommand.initial.dashed: change.initial.append(try Assignment(parts[1], session, readsFiles: false))
    case SetCommand.unset.dashed: change.removals.append(try PropertyPath(parts[1]))
    case SetCommand.rename.dashed: try change.addMove(parts[1])
    case Option.ifRevision.dashed: precondition = try BatchLine.precondition(parts[1])
    default: throw UsageFault.unknownOption(word, command: "set", similar: nil)
    }
  }
}
