import SeaCore
import SeaEngine
import SeaSystem

enum GetCommand: Command {
  static var title: Title {
    Title("get", .records, .plumbing, needs: .database, "print a record, or some of its properties")
  }
  static var synopsis: [String] {
    [
      "[--rev=REV | --at=WHEN] [--meta] [--strict] [-e] [--raw | --path | --expand] [--fetch] RECORD|REVISION [PATH]...",
      "[--at=WHEN] [--meta] [--strict] [--expand] --stdin",
    ]
  }
  static var printsJSON: Bool { true }
  static let rev = Option("rev", nil, .revision, "REV", "print this revision instead of the winner")
  static let meta = Option("meta", help: "also print the author, time and block")
  static let strict = Option("strict", help: "fail if the record is in conflict")
  static let exists = Option("exists", "e", help: "print nothing; report in the exit status whether it exists")
  static let raw = Option("raw", help: "print the bytes of one property or asset, without a newline")
  static let path = Option("path", help: "print the file paths of assets instead of values")
  static let expand = Option("expand", help: "print referenced records in place of references")
  static let fetch = Option("fetch", help: "first download missing assets from containers")
  static var options: [Option] { [rev, .at, meta, strict, exists, raw, path, expand, fetch, .stdin] }
  static var operands: [Operand] { [.optional("RECORD", .record), .any("PATH", .path)] }
  static var exits: [Exit] {
    [
      Exit(.no, "with -e: no such record or property"),
      Exit(.conflict, "with --strict: the record is in conflict"),
      Exit(.notFound, "no such record, revision, property or operation, or the name is ambiguous"),
      Exit(.corrupt, "with --raw: the asset is damaged; do not use the output"),
      Exit(.unreachable, "with --raw, --path: the asset is not on this device, or with --fetch nowhere available"),
      Exit(.badData, "with --expand: the referenced records exceed 64 MiB in total"),
      Exit(.partial, "with --stdin: some records do not exist"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(.stdin) {
      if !arguments.operands.isEmpty { throw UsageFault.excluded(["--stdin", "RECORD"]) }
    } else if arguments.operands.isEmpty {
      throw UsageFault.missingOperand("RECORD")
    }
    _ = try arguments.only(of: [rev, .at])
    _ = try arguments.only(of: [raw, path, expand])
    let database = try arguments.has(fetch) ? session.writing(as: self) : session.reading()
    let moment = try session.moment(arguments, database)
    if !arguments.has(.stdin) {
      func printOne() throws -> ExitStatus {
        try print(arguments.operands[0], at: moment, database, session, arguments)
      }
      return try arguments.has(fetch) ? printOne() : database.atOneState(printOne)
    }
    var status = ExitStatus.success
    while let line = try session.terminal.input.line(terminator: session.options.zero ? 0 : 0x0A) {
      let text = String(decoding: line, as: UTF8.self)
      do {
        status = status.and(try print(text, at: moment, database, session, arguments))
      } catch KitError.recordNotFound(let id) {
        session.terminal.warning("not-found", "record '\(id)' does not exist")
        status = status.and(.partial)
      }
    }
    return status
  }
}

extension GetCommand {
  static func print(
    _ text: String, at moment: Moment?, _ database: Database, _ session: Session, _ arguments: Arguments
  ) throws -> ExitStatus {
    let paths = try arguments.operands.dropFirst().map { try PropertyPath($0) }
    let found: Found
    do {
      found = try revision(text, moment, database, session, arguments)
      let isPlain = !arguments.has(rev) && found.leaf.kind != .put && found.leaf.revision.description != text
      if found.row.isDeleted, isPlain, moment != nil || !text.contains("@") { throw KitError.recordNotFound(text) }
    } catch KitError.recordNotFound where arguments.has(exists) {
      return .no
    }
    var view = try database.records.view(found)
    if arguments.has(strict), found.row.conflict != .none { throw CommandError.inConflict(found.row.id) }
    if arguments.has(exists) { return try paths.allSatisfy { try view.value($0) != nil } ? .success : .no }
    let drain = OutputDrain(session.terminal.output)
    var writer = drain.writer()
    let expansion = arguments.has(expand) ? Expansion(found.row.id, database, at: moment) : nil
    if paths.isEmpty {
      if let body = view.body { view.body = try expansion?.expand(body: body) ?? body }
      if arguments.has(raw) || arguments.has(path) { throw UsageFault.missingOperand("PATH") }
      let meta = arguments.has(meta) ? try database.records.meta(of: view, in: found) : []
      var style = session.terminal.jsonStyle
      style.isPretty = !session.options.json && !arguments.has(.stdin)
      try view.writeJSON(style, meta: meta, into: &writer)
      writer.byte(0x0A)
    }
    if view.leaf.isPurged { session.terminal.warning("purged", "the content of \(found.row.id) was purged") }
    let values = try paths.map { path in
      guard let value = try view.value(path) else {
        throw KitError.propertyNotFound(id: found.row.id, path: path.description)
      }
      return try expansion?.expand(value: value) ?? value
    }
    var looked: String?
    for (value, place) in zip(values, paths) {
      let isLooked = session.host.isTerminal(1) && !arguments.has(raw) && !arguments.has(path)
      let wantsAsset = arguments.has(raw) || arguments.has(fetch) || arguments.has(path) || isLooked
      let asset = try wantsAsset ? self.asset(value) : nil
      if let asset, arguments.has(fetch) { try RawAsset.fetch(asset, database, session) }
      if arguments.has(path) {
        guard let asset else {
          throw KitError.badValue(id: found.row.id, path: place.description, reason: .notAnAsset)
        }
        for file in try RawAsset.files(asset, database, session) {
          if session.options.json {
            try writer.append(Value.string(file).json())
            writer.byte(0x0A)
          } else {
            writer.append(file)
            writer.byte(session.options.zero ? 0 : 0x0A)
          }
        }
        continue
      }
      if let asset, arguments.has(raw) {
        try drain.end(writer)
        writer = drain.writer()
        try RawAsset.write(asset, database, session)
        continue
      }
      try value.withUnsafeBufferPointer {
        if session.options.json {
          try JSONWriter.write(value: $0, style: session.terminal.jsonStyle, into: &writer)
        } else {
          try JSONWriter.writePlain(
            value: $0, raw: arguments.has(raw), style: session.terminal.jsonStyle, into: &writer)
        }
      }
      if !arguments.has(raw) { writer.byte(session.options.zero ? 0 : 0x0A) }
      if asset != nil, isLooked { looked = "\(Escape.shellWord(text)) \(Escape.shellWord(place.description))" }
    }
    try drain.end(writer)
    if let looked { Advice.give("to save the content, run: sea get --raw \(looked) >FILE", session) }
    return .success
  }

  private static func asset(_ value: [UInt8]) throws -> AssetReference? {
    guard case .asset(let asset) = try value.withUnsafeBufferPointer({ try Value.decode(value: $0) }).unlabeled else {
      return nil
    }
    return asset
  }

  private static func revision(
    _ text: String, _ moment: Moment?, _ database: Database, _ session: Session, _ arguments: Arguments
  ) throws -> Found {
    if let moment { return try database.records.findRevision(text, at: moment, literal: session.literalIDs) }
    guard let revision = arguments.text(rev) else { return try session.find(text, in: database) }
    let row = try database.records.find(text, literal: session.literalIDs)
    return Found(row: row, leaf: try database.records.revision(revision, of: row))
  }
}

enum RawAsset {
  /// Prints the content while reading it, so damage may not be detected until the end.
  /// - Throws: `assetMissing`; a `Failure` for binary content at a terminal; `badAsset` if the content does not match
  ///   the record.
  static func write(_ reference: AssetReference, _ database: Database, _ session: Session) throws {
    let assets = database.assets
    guard let asset = assets.row(reference), assets.isPlausible(asset) else {
      throw KitError.badAsset(reference, .badReference)
    }
    guard let here = try assets.here(asset) else { throw KitError.assetMissing(reference) }
    let isLooked = session.host.isTerminal(1)
    let state = try assets.readContent(of: here, from: assets.files) { bytes in
      // Binary content usually contains a NUL byte near its beginning.
      if isLooked, bytes.contains(0) { throw Failure.contentAtTerminal }
      try session.terminal.output.write(bytes)
    }
    guard state == .good else {
      // Print the content before the damage first, because the error message refers to it.
      try session.terminal.output.flush()
      throw KitError.badAsset(reference, state)
    }
  }

  static func files(_ reference: AssetReference, _ database: Database, _ session: Session) throws -> [String] {
    let assets = database.assets
    guard let asset = assets.row(reference), assets.isPlausible(asset) else {
      throw KitError.badAsset(reference, .badReference)
    }
    guard let here = try assets.here(asset) else { throw KitError.assetMissing(reference) }
    if try database.folder.isSealed() {
      session.terminal.warning("sealed", "the files are encrypted", hint: "to print the content, run: sea get --raw")
    }
    return try assets.files(of: here).filter { $0 != here.list }.map { try Path.absolute(assets.files.path(of: $0)) }
  }

  static func fetch(_ reference: AssetReference, _ database: Database, _ session: Session) throws {
    guard let asset = database.assets.row(reference), try database.assets.here(asset) == nil else { return }
    let copies = try database.exchange.assetCopies()
    for (_, error) in copies.unavailable {
      let failure = Failure.describing(error)
      session.terminal.warning(failure.slug, failure.message, hint: failure.hint)
    }
    var last: Problem?
    let outcome = try database.assets.fetch(asset, from: copies.origins) { problem in
      last = problem
      try? session.terminal.report(problem)
    }
    if case .bad = outcome, last != nil { throw KitError.badAsset(reference, .wrongDigest) }
  }
}

/// Replaces references with the records that they refer to. References within those records are kept, as are references
/// to missing or deleted records.
final class Expansion {
  /// The maximum size of included content in bytes, because a record may refer to a large record many times.
  static let mostBytes = 64 << 20

  private let database: Database
  private let moment: Moment?
  private var known: [String: [UInt8]?] = [:]
  private var room = Expansion.mostBytes
  private let id: String

  init(_ id: String, _ database: Database, at moment: Moment?) {
    self.id = id
    self.database = database
    self.moment = moment
  }

  func expand(body: [UInt8]) throws -> [UInt8] {
    try body.withUnsafeBufferPointer { try ReferenceSplice.body($0) { try self.record($0) } }
  }

  func expand(value: [UInt8]) throws -> [UInt8] {
    try value.withUnsafeBufferPointer { try ReferenceSplice.value($0) { try self.record($0) } }
  }

  private func record(_ target: String) throws -> [UInt8]? {
    let found = try known[target] ?? read(target)
    known[target] = .some(found)
    guard let found else { return nil }
    room -= found.count
    guard room >= 0 else { throw CommandError.tooMuchToExpand(id, most: Expansion.mostBytes) }
    return found
  }

  private func read(_ target: String) throws -> [UInt8]? {
    let view: RecordView
    do {
      if let moment {
        let past = try database.records.find(target, at: moment, literal: true)
        if past.row.live == 0 { return nil }
        view = try database.records.view(past)
      } else {
        let row = try database.records.find(target, literal: true)
        if row.isDeleted { return nil }
        view = try database.records.view(row)
      }
    } catch KitError.recordNotFound {
      return nil
    }
    guard let body = view.body else { return nil }
    var texts = [(name: "_id", text: view.id), (name: "_rev", text: view.revision.description)]
    if let type = view.type { texts.append((name: "_type", text: type)) }
    return try body.withUnsafeBufferPointer { try ReferenceSplice.adding(texts, to: $0) }
  }
}
