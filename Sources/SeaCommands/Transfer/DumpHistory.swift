import SeaCore
import SeaEngine
import SeaWords

/// One run of `sea dump --history`: each revision as a JSON object on a line, from which its id can be worked out.
struct DumpHistory {
  private let session: Session
  private let arguments: Arguments
  private let type: String?
  private let file: String?
  private let assets: String?

  init(_ session: Session, _ arguments: Arguments, _ file: String?) throws {
    let useless = [DumpCommand.condition, QueryParameter.option, QueryCommand.deleted, .at].first(where: arguments.has)
    if let useless { throw UsageFault.excluded([DumpCommand.history.dashed, useless.dashed]) }
    let form = DumpCommand.form(arguments, file)
    if form != "jsonl", form != "json" || arguments.has(DumpCommand.format) {
      throw UsageFault.excluded([DumpCommand.history.dashed, "--format=\(form)"])
    }
    self.arguments = arguments
    self.session = session
    self.file = file
    type = arguments.text(.type)
    assets = arguments.text(DumpCommand.assets)
  }

  func run() throws -> ExitStatus {
    let database = try session.reading()
    if let file { try DumpFile.check(file, "jsonl", session, arguments) }
    var purged = 0
    try DumpFile.write(file, session, counting: "revision") { output in
      var found = 0
      var writer = ByteWriter()
      let meter = WorkMeter(session.terminal.workReport, .writing, file ?? "") { nil }
      try database.atOneState(at: nil) {
        try database.records.forEachRevision(type: type) { one in
          if one.isPurged {
            purged += 1
            return
          }
          try session.host.checkStop()
          writer.truncate(to: 0)
          try DumpHistory.write(one, into: &writer)
          writer.byte(0x0A)
          try output.write(UnsafeRawBufferPointer(writer.bytes))
          found += 1
          meter?.add()
        }
      }
      if purged > 0 {
        session.terminal.warning("purged", "\(Count(purged, "revision")) left out, as the content was purged")
      }
      return found
    }
    let status = try writeAssets(database)
    return purged > 0 ? .partial : status
  }

  /// What any revision names.
  private func writeAssets(_ database: Database) throws -> ExitStatus {
    guard var files = AssetFiles(assets, session, database) else { return .success }
    var selection = AssetSelection()
    selection.withHistory = true
    if let type { selection.filter.types = [type] }
    try database.assets.forEach(selection) { try files.write($0) }
    return files.end()
  }

  private static func write(_ one: HistoryRevision, into writer: inout ByteWriter) throws {
    var extra: [(name: String, value: Value)] = []
    if let parent = one.parent { extra.append(("_revParent", .string(parent.description))) }
    if !one.merged.isEmpty { extra.append(("_merged", .array(one.merged.map { .string($0.description) }))) }
    if one.kind == .resolved { extra.append(("_resolved", .bool(true))) }
    func write(_ body: UnsafeBufferPointer<UInt8>?) throws {
      // JSON has the values of counters and sets, and a revision is made of what these follow from.
      if let body, StoredValue.mayHaveStates(body), try Value.decode(body: body).holdsStates {
        var text = ByteWriter()
        Base64.write(body, into: &text)
        extra.append(("_body", .string(String(decoding: text.bytes, as: UTF8.self))))
      }
      try JSONWriter.writeRecord(
        id: one.id, type: one.type, rev: one.revision, deleted: one.kind == .delete, extra: extra, body: body,
        into: &writer)
    }
    if let body = one.body { try body.withUnsafeBufferPointer(write) } else { try write(nil) }
  }
}
