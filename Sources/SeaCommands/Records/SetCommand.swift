import SeaCore
import SeaKit

/// `sea set`: only the properties that are named.
enum SetCommand: Command {
  static var title: Title {
    Title("set", .records, .porcelain, needs: [.database, .lock], "change properties of a record")
  }
  static var synopsis: [String] {
    [
      "[--create] [-t TYPE] [--if-rev=REV] [--unset=PATH]... [--rename=PATH=PATH]... [--replace-type] [-n] RECORD "
        + "[KEY=VALUE]...",
      "--new [-t TYPE] [-n] [KEY=VALUE]...",
    ]
  }
  static let create = Option("create", help: "make the record if there is none")
  static let new = Option("new", help: "make a record with a new id")
  static let unset = Option("unset", nil, .path, "PATH", "remove a property", repeatable: true)
  static let rename = Option("rename", nil, .text, "PATH=PATH", "move a property", repeatable: true)
  static let replaceType = Option("replace-type", help: "allow a property to become of another type")
  static var options: [Option] { [create, new, .type, .ifRevision, unset, rename, replaceType, .dryRun] }
  static var operands: [Operand] { [.optional("RECORD", .record), .any("KEY=VALUE", .text)] }
  static var exits: [Exit] {
    [
      Exit(.conflict, "the record is not at the revision that was asked for; nothing was written"),
      Exit(.notFound, "there is no such record or property, or the name means several"),
      Exit(.system, "a file for an asset cannot be read, or there is no room for its content"),
      Exit(.badData, "a value cannot be read or stored, or is of another type than the property has"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    var operands = arguments.operands[...]
    _ = try arguments.only(of: [create, new])
    let target = arguments.has(new) ? nil : operands.popFirst()
    if target == nil, !arguments.has(new) { throw UsageFault.missingOperand("RECORD") }
    var assignments = try operands.map { try Assignment($0, session) }
    let removals = try arguments.texts(unset).map { try PropertyPath($0) }
    let moves = try arguments.texts(rename).map(move)
    if let type = arguments.text(.type) { try Name.check(type) }
    let dryRun = arguments.has(.dryRun)
    let database = dryRun ? try session.reading() : try session.writing(as: Self.self)
    let assets = try assignments.loadAssets(into: database, session, dryRun: dryRun)
    // The record is looked up under the lock: nobody can make it in between.
    try database.locked {
      let place = try target.map { try self.place($0, database, session, arguments) }
      let replaces = arguments.has(replaceType)
      let (instance, now, name) = (database.instance, session.host.now(), place?.id ?? "the record")
      let batch = WriteBatch(label: Assignment.label(assignments, removals, moves))
      try batch.addEdit(
        place?.id, type: arguments.text(.type) ?? place?.type, Preconditions.parse(arguments.text(.ifRevision)),
        mustExist: target != nil && !arguments.has(create)
      ) { [assignments] old in
        var record = old ?? .empty
        if old == nil, let first = place?.first { try record.set(.string(first.value), at: first.path) }
        for (source, goal) in moves {
          guard record[source] != nil else { throw KitError.propertyNotFound(id: name, path: source.description) }
          try record.rename(source, to: goal)
        }
        for path in removals { record.remove(at: path) }
        for one in assignments {
          try one.apply(to: &record, id: name, instance: instance, replacesType: replaces, now: now)
        }
        return record
      }
      var report = WriteReport(session)
      let written =
        try dryRun ? database.records.write(batch, dryRun: true) : database.assets.write(batch, adding: assets)
      try report.add(written, of: batch)
    }
    return .success
  }

  /// The record to be changed: its id, and what a new one begins with.
  private static func place(
    _ text: String, _ database: Database, _ session: Session, _ arguments: Arguments
  ) throws -> (id: String?, type: String?, first: RecordText.Match?) {
    do {
      return (try database.records.find(text, literal: session.literalIDs).id, nil, nil)
    } catch KitError.recordNotFound where arguments.has(create) {
      if !session.literalIDs, let match = try RecordText.Match(text) { return (nil, match.type, match) }
      try Name.check(text)
      return (text, nil, nil)
    }
  }

  private static func move(_ text: String) throws -> (PropertyPath, PropertyPath) {
    guard let equals = text.firstIndex(of: "=") else {
      throw UsageFault.badValue(option: rename.dashed, value: text, expected: .choice(["of the form PATH=PATH"]))
    }
    return (try PropertyPath(String(text[..<equals])), try PropertyPath(String(text[text.index(after: equals)...])))
  }
}
