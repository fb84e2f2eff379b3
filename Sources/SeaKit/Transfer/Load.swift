internal import SeaCore
internal import SeaEngine
internal import SeaSystem

/// The number of records that a load changed or, in a preview, would change. With the form `history`, it counts
/// revisions.
public struct LoadResult: Sendable, Hashable {
  /// The number of new records.
  public internal(set) var created = 0
  /// The number of existing records that were changed.
  public internal(set) var updated = 0
  /// The number of records that already had this content.
  public internal(set) var unchanged = 0
  /// The number of records that were deleted.
  public internal(set) var deleted = 0
  /// The number of loaded revisions that cannot be shown yet, because earlier revisions are missing.
  public internal(set) var waiting = 0

  mutating func add(_ outcome: WriteResult.Outcome) {
    switch outcome {
    case .created: created += 1
    case .updated: updated += 1
    case .unchanged: unchanged += 1
    case .deleted: deleted += 1
    case .skipped, .rejected: break
    }
  }
}

extension Database {
  /// Loads the records of a file in one transaction: either all of them or none.
  ///
  /// A record with the same `_id` is updated: properties in the input are set, and all others are kept. Without `_id`,
  /// each object becomes a new record. The values of references are ids.
  /// - Parameters:
  ///   - path: the path of the file.
  ///   - form: the form, as written by `dump`. The input of `full` and `plain` is read in the same way: one or more
  ///     JSON objects, also in an array.
  ///   - type: the type of records without `_type`; nil for none.
  /// - Returns: the number of changed records.
  /// - Throws: `bad-data` if the input is invalid or breaks a rule, if it would replace a value with one of another
  ///   kind, or if it is too large for one transaction. The message names the line.
  @discardableResult
  public func load(_ path: String, as form: DumpForm = .full, type: String? = nil) async throws -> LoadResult {
    try await load(.file(path), form, type, isPreview: false)
  }

  /// Loads records from bytes in one transaction: either all of them or none. In all other respects, this works like
  /// `load(_:as:type:)` for a file.
  @discardableResult
  public func load(_ bytes: [UInt8], as form: DumpForm = .full, type: String? = nil) async throws -> LoadResult {
    try await load(.bytes(bytes), form, type, isPreview: false)
  }

  /// Returns what `load` would do with a file, without writing anything.
  public func preview(loading path: String, as form: DumpForm = .full, type: String? = nil) async throws -> LoadResult {
    try await load(.file(path), form, type, isPreview: true)
  }

  private enum LoadSource {
    case file(String)
    case bytes([UInt8])

    /// Returns the name of the input, and a function that returns its next bytes.
    func open() throws -> (name: String, read: () throws -> [UInt8]) {
      switch self {
      case .bytes(let bytes):
        var rest = bytes
        return ("the input", { rest.takeAll() })
      case .file(let path):
        // Opening a pipe without a writer would block forever.
        let file = try File(path, [.read, .nonBlocking])
        guard try file.status().kind == .file else {
          throw SeaError(.usage, "'\(path)' is not a regular file", ["path": path])
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        return (
          "'\(path)'",
          {
            let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
            return Array(buffer[..<count])
          }
        )
      }
    }
  }

  private func load(
    _ source: LoadSource, _ form: DumpForm, _ type: String?, isPreview: Bool
  ) async throws -> LoadResult {
    try await working(opensReadOnly: isPreview) { engine in
      // If a password is needed, it is requested before the write lock is acquired.
      if !isPreview { try engine.keychain.prepare() }
      let (name, read) = try source.open()
      let documents = JSONDocuments(name, isDatastore: form == .datastore || form == .compactDatastore, read)
      if form == .history {
        guard type == nil else { throw SeaError(.usage, "a history contains the types of its revisions") }
        return try engine.loadHistory(documents, isPreview: isPreview)
      }
      return try engine.load(documents, type: type, isPreview: isPreview)
    }
  }
}

extension Engine {
  fileprivate func load(_ documents: JSONDocuments, type: String?, isPreview: Bool) throws -> LoadResult {
    var options = WriteBatch.Options()
    options.type = type
    if let type { try Name.check(type) }
    (options.ignoresRevision, options.isAddition) = (true, true)
    // The data was valid where it was written.
    options.limits = RecordLimits(maxData: JSONDocuments.longest)
    let batch = WriteBatch(label: "load")
    batch.replaceKinds(false)
    var lines: [Int] = []
    while try documents.next({ tape, bytes in
      if documents.isDatastore {
        try batch.add(options) { try encodeEntity(tape, bytes, into: &$0, limits: options.limits).record }
      } else {
        try batch.add(tape, bytes, options)
      }
    }) {
      try settings.checkStop()
      lines.append(documents.line)
    }
    do {
      var result = LoadResult()
      for one in try records.write(batch, dryRun: isPreview).results { result.add(one.outcome) }
      return result
    } catch let fault as EntryFault where lines.indices.contains(fault.entry) {
      throw documents.located(lines[fault.entry], fault.reason)
    }
  }

  fileprivate func loadHistory(_ documents: JSONDocuments, isPreview: Bool) throws -> LoadResult {
    var limits = RecordLimits(maxData: JSONDocuments.longest)
    limits.isHistory = true
    var revisions: [(input: RecordInput, body: [UInt8], line: Int)] = []
    var size = 0
    while try documents.next({ tape, bytes in
      var writer = ByteWriter()
      let input = try encodeRecord(tape, bytes, into: &writer, limits: limits)
      revisions.append((input, Array(writer.bytes[input.body]), documents.line))
      size += writer.count
      guard revisions.count <= Payload.mostItems else { throw KitError.tooManyChanges(revisions.count) }
      guard size <= BlockHeader.largestBlock else { throw KitError.transactionTooLarge(records: revisions.count) }
    }) { try settings.checkStop() }
    let waiting = try records.countWaiting()
    var result = LoadResult()
    try records.importHistory(label: "load", dryRun: isPreview) { open in
      for (input, body, line) in revisions {
        do {
          let isNew = try body.withUnsafeBufferPointer { try open.add(input, $0) }
          if isNew { result.created += 1 } else { result.unchanged += 1 }
        } catch let error as KitError { throw documents.located(line, error) }
      }
    }
    if !isPreview { result.waiting = try records.countWaiting() - waiting }
    return result
  }
}

extension [UInt8] {
  fileprivate mutating func takeAll() -> [UInt8] {
    defer { self = [] }
    return self
  }
}

/// Reads JSON objects one by one: one after another, in an array, or in Datastore's interchange form. Little more than
/// the current object is in memory.
private final class JSONDocuments {
  let isDatastore: Bool
  private let name: String
  private let read: () throws -> [UInt8]
  private var buffer = ByteWriter(capacity: 1 << 16)
  private var start = 0
  private var hasEnded = false
  /// The number of lines before an offset in the buffer.
  private var counted = (offset: 0, lines: 0)
  /// The line in which the current object begins. The first line is 1.
  private(set) var line = 1
  private var tape: JSONTape
  private enum Place { case beginning, outside, first, element, behind, end }
  private var place: Place

  /// The maximum size of an object in bytes.
  static let longest = 64 << 20

  init(_ name: String, isDatastore: Bool, _ read: @escaping () throws -> [UInt8]) {
    (self.name, self.isDatastore, self.read) = (name, isDatastore, read)
    tape = JSONTape(isEntity: isDatastore)
    place = .beginning
  }

  /// Passes the next object to `body`; returns false at the end.
  func next(_ body: (borrowing JSONTape, UnsafeBufferPointer<UInt8>) throws -> Void) throws -> Bool {
    if place == .beginning { try begin() }
    while try skipSpace() {
      switch (buffer.bytes[start], place) {
      case (0x5B, .outside): place = .first
      case (0x5D, .first), (0x5D, .behind): place = isDatastore ? .end : .outside
      case (0x5D, .element) where isDatastore: place = .end
      case (0x2C, .behind): place = .element
      case (_, .behind), (_, .end): throw invalid(CoreError.badJSON(.unexpectedCharacter, offset: start))
      default:
        try parse(body)
        if place != .outside { place = .behind }
        return true
      }
      start += 1
      if place == .end {
        _ = try accept(",")
        guard try accept("}"), try !skipSpace() else {
          throw invalid(CoreError.badJSON(.unexpectedCharacter, offset: start))
        }
        return false
      }
    }
    guard place == .outside else { throw invalid(CoreError.badJSON(.unexpectedEnd, offset: start)) }
    return false
  }

  private func begin() throws {
    while buffer.count < 3, try more() {}
    if buffer.bytes.starts(with: [0xEF, 0xBB, 0xBF]) { start = 3 }
    place = isDatastore ? .first : .outside
    guard isDatastore else { return }
    for word in ["{", "\"entities\"", ":", "["] {
      guard try accept(word) else { throw invalid(CoreError.badEntity(.notEntities, "", offset: start)) }
    }
  }

  private func parse(_ body: (borrowing JSONTape, UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    line = lines(before: start)
    var end = start
    while true {
      do throws(CoreError) {
        end = try tape.parse(buffer.bytes, at: start)
        break
      } catch .badJSON(.unexpectedEnd, _) where !hasEnded {
        try extend()
      } catch { throw invalid(error) }
    }
    guard tape.isObject else { throw invalid(CoreError.badJSON(.notAnObject, offset: start)) }
    do { try body(tape, buffer.bytes) } catch let error as CoreError { throw invalid(error) } catch let error
      as KitError
    {
      throw located(line, error)
    }
    start = end
  }

  /// Reads as much again as there is of the current object, because parsing after each read would be slow.
  private func extend() throws {
    let wanted = 2 * (buffer.count - start)
    guard wanted <= 2 * JSONDocuments.longest else { throw invalid(CoreError.badJSON(.tooLong, offset: start)) }
    repeat { guard try more() else { return } } while buffer.count - start < wanted
  }

  /// - Returns: whether anything follows.
  private func skipSpace() throws -> Bool {
    while true {
      start = JSONTape.skipSpace(buffer.bytes, from: start)
      if start < buffer.count { return true }
      guard try more() else { return false }
    }
  }

  private func accept(_ word: String) throws -> Bool {
    guard try skipSpace() else { return false }
    while buffer.count - start < word.utf8.count, try more() {}
    guard buffer.bytes[start...].starts(with: word.utf8) else { return false }
    start += word.utf8.count
    return true
  }

  /// Reads the next bytes, and forgets those before the current object.
  private func more() throws -> Bool {
    guard !hasEnded else { return false }
    if start > 0 {
      counted = (0, lines(before: start) - 1)
      buffer.removeFirst(start)
      start = 0
    }
    let piece = try read()
    hasEnded = piece.isEmpty
    buffer.append(piece)
    return !hasEnded
  }

  /// - Parameter offset: an offset at or after the last one.
  private func lines(before offset: Int) -> Int {
    let offset = max(counted.offset, min(offset, buffer.count))
    counted.lines += UTF8Text.lines(UnsafeBufferPointer(rebasing: buffer.bytes[counted.offset..<offset]))
    counted.offset = offset
    return counted.lines + 1
  }

  private func invalid(_ error: CoreError) -> SeaError { located(lines(before: error.place ?? start), error) }

  /// Returns an error that names the input and the line.
  func located(_ line: Int, _ error: any Error) -> SeaError {
    let known = SeaError(known: error)
    return SeaError(
      known.code, "\(name), line \(line): \(known.message)", known.details.merging(["line": "\(line)"]) { $1 })
  }
}
