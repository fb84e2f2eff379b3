import SeaCore
import SeaEngine
import SeaWords

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
      try view.writeJSON(session.options.json || arguments.has(.stdin) ? .compact : .pretty, meta: meta, into: &writer)
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
          try JSONWriter.write(value: $0, into: &writer)
        } else {
          try JSONWriter.writePlain(value: $0, raw: arguments.has(raw), into: &writer)
        }
      }
      if !arguments.has(raw) { writer.byte(session.options.zero ? 0 : 0x0A) }
      if asset != nil, isLooked { looked = "\(Escape.shellWord(text)) \(Escape.shellWord(place.description))" }
    }
    try drain.end(writer)
    if let looked { Advice.give("its content: sea get --raw \(looked) >FILE", session) }
    return .success
  }

  /// The asset that a value is, if it is one.
  private static func asset(_ value: [UInt8]) throws -> AssetReference? {
    guard case .asset(let asset) = try value.withUnsafeBufferPointer({ try Value.decode(value: $0) }).unlabelled else {
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
