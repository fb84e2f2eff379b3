import SeaCore
import SeaEngine

/// Resolves conflicts for `sea resolve`, passes the results to the hooks, and writes them.
struct ResolveRun {
  private let session: Session
  private let database: Database
  private let choice: ResolveChoice
  private let dryRun: Bool
  private let isPartial: Bool
  private let edit: ResolutionEdit?
  private let hooks: Hooks?
  private var programs: ProgramMerge
  private let program: MergeProgram?
  private var status = ExitStatus.success

  init(
    _ session: Session, _ database: Database, _ choice: ResolveChoice, dryRun: Bool, isPartial: Bool
  ) throws {
    self.session = session
    self.database = database
    self.choice = choice
    self.dryRun = dryRun
    self.isPartial = isPartial
    edit = ResolutionEdit(choice.assignments, database.instance, session.host.now())
    let hooks = dryRun ? nil : try Hooks(session, database, ResolveCommand.self)
    self.hooks = hooks.flatMap { $0.listen(to: .preResolve) ? $0 : nil }
    programs = ProgramMerge(session, database)
    switch choice.way {
    case .driver(let name, let choices):
      let driver = try MergeProgram.driver(name, session)
      if driver.scope == .record, choices.prefer != nil || !choices.picks.isEmpty {
        throw UsageFault.excluded(["--driver for whole records", choices.prefer == nil ? "--pick" : "--prefer"])
      }
      program = driver
    case .tool(let name): program = try MergeProgram.tool(name, session)
    case .merge(let choices), .edit(let choices):
      program = nil
      for name in choices.programs { try programs.checkScope(ofDriver: name) }
    case .whole, .document: program = nil
    }
  }

  var runsPrograms: Bool {
    if hooks != nil || program != nil { return true }
    switch choice.way {
    case .merge(let choices): return !choices.programs.isEmpty
    case .edit: return true
    default: return false
    }
  }

  mutating func run(_ ids: [String]) throws -> ExitStatus {
    do {
      return try end(ids)
    } catch {
      programs.keepTyped()
      throw error
    }
  }

  private mutating func end(_ ids: [String]) throws -> ExitStatus {
    var ids = ids
    let resolution = try resolution(&ids)
    var results: [Resolved]
    if let hooks {
      results = try resolve(ids, resolution, edit, dryRun: true)
      try ask(hooks, results)
      results = try write(results)
    } else {
      results = try resolve(ids, resolution, edit, dryRun: dryRun)
    }
    if results.contains(where: { $0.open != nil || $0.left > 0 }) { status = status.and(.partial) }
    try ResolveReport(session: session, database: database).print(results)
    return status
  }

  private func resolve(
    _ ids: [String], _ resolution: Resolution, _ edit: ResolutionEdit?, dryRun: Bool
  ) throws -> [Resolved] {
    try database.conflicts.resolve(
      ids, resolution, label: choice.label,
      ResolveOptions(edit: edit, isPartial: isPartial, dryRun: dryRun))
  }

  // MARK: Resolutions

  /// - Parameter ids: the records to resolve. Records whose merge program fails are removed from the list.
  private mutating func resolution(_ ids: inout [String]) throws -> Resolution {
    switch choice.way {
    case .whole(let resolution): return resolution
    case .document(let document):
      try document.check(ids)
      return document.resolution
    case .merge(let choices) where choices.programs.isEmpty: return .merge(choices)
    default:
      var made: [[UInt8]: Settled] = [:]
      var good: [String] = []
      for id in ids {
        do {
          made[Array(id.utf8)] = try settled(id)
          good.append(id)
        } catch let error as ProgramError where isPartial && error.isOfOneRecord {
          let failure = Failure.describing(error)
          failure.report(to: session.terminal)
          status = status.and(failure.status)
        }
      }
      ids = good
      return .made(made)
    }
  }

  private mutating func settled(_ id: String) throws -> Settled? {
    var choices = MergeChoices()
    switch choice.way {
    case .merge(let given), .edit(let given): choices = given
    case .driver(let name, let given):
      choices = given
      if program?.scope == .property, choices.prefer == nil { choices.prefer = .program(name) }
    default: break
    }
    guard let conflict = try database.conflicts.conflict(of: id, choices) else { return nil }
    if let program, program.scope == .record {
      return try programs.settle(conflict, with: program) ?? Settled(stays: conflict)
    }
    let settled = try programs.settle(conflict, choices)
    if case .edit = choice.way { return try programs.edit(conflict, settled) }
    return settled
  }

  // MARK: Hooks and writing

  private func ask(_ hooks: Hooks, _ results: [Resolved]) throws {
    var lines: [UInt8] = []
    for one in results where one.revision != nil {
      let item: Item = [
        "id": .id(one.id), "type": .text(one.content?.type), "leaves": .texts(one.leaves),
        "record": try one.content.map { .object(try RecordFile.item(one.id, $0)) } ?? .absent,
        "deleted": .mark(one.content == nil),
      ]
      lines += Item(event: "resolve", item).line
    }
    if !lines.isEmpty { try hooks.run(.preResolve, lines) }
  }

  /// Writes exactly the records that the hooks received.
  private func write(_ planned: [Resolved]) throws -> [Resolved] {
    var made: [[UInt8]: Settled] = [:]
    for one in planned where one.revision != nil {
      made[Array(one.id.utf8)] = Settled(one.content ?? .deleted, leaves: one.leaves, how: one.how)
    }
    let ids = planned.filter { $0.revision != nil }.map(\.id)
    if ids.isEmpty { return planned }
    var written = try resolve(ids, .made(made), nil, dryRun: false)[...]
    return planned.map { $0.revision == nil ? $0 : written.removeFirst() }
  }
}

extension Settled {
  /// Represents a conflict that a merge program left unresolved.
  fileprivate init(stays conflict: Conflict) {
    self.init(conflict.merged, leaves: conflict.leaves, how: .manual)
    open = conflict.clashes.isEmpty ? conflict.paths : conflict.clashes
    if open.isEmpty { open = [conflict.whole] }
  }
}

extension ProgramError {
  /// Whether the error affects only one record; if so, other records can still be resolved.
  fileprivate var isOfOneRecord: Bool {
    switch self {
    case .failed, .noResult, .tooLarge, .badResult, .badText, .clashesLeft: true
    case .unknown, .badSetting, .wrongScope, .notStarted, .interrupted: false
    }
  }
}

struct ResolveReport {
  let session: Session
  let database: Database
  private static let widest = 40

  func print(_ results: [Resolved]) throws {
    session.terminal.summarize(["resolved": .integer(results.count { $0.revision != nil })])
    for one in results where one.open == nil {
      guard let revision = one.revision else {
        session.terminal.notice("\(one.id) is not in conflict")
        continue
      }
      if session.options.json {
        try session.terminal.report("resolved", item(one, revision)) { [] }
      } else if session.terminal.isDryRun {
        try session.terminal.remark(plan(one, revision))
      } else if !session.options.quiet {
        try session.terminal.item("resolved\t\(one.id)\t\(revision.seen(at: session.terminal))")
        if one.isDeleted { session.terminal.notice("\(one.id) is deleted") }
      }
      if one.left > 0 {
        let rest = "\(Count(one.left, "conflicting revision")) left"
        session.terminal.notice(
          "\(one.id) is still in conflict: \(rest), too many for one merge; run sea resolve again")
      }
    }
    let open = results.compactMap(\.open)
    if open.isEmpty { return }
    Failure.stillOpen(open).report(to: session.terminal)
    session.terminal.summarize(["open": .integer(open.count)])
  }

  private func plan(_ one: Resolved, _ revision: RevisionID) throws -> String {
    let head = "would write \(one.id) \(session.terminal.short(revision))"
    guard let content = one.content else { return head + ": deleted" }
    let paths = try database.conflicts.conflict(of: one.id, inShort: true)?.paths ?? []
    let texts = try paths.map { path in
      guard path.state == .clash else { return path.path.description }
      let value = try content[path.path].map { try $0.summary ?? $0.json() } ?? "-"
      return "\(path.path) \(TextWidth.cut(value, to: ResolveReport.widest))"
    }
    return texts.isEmpty ? head : "\(head): \(texts.joined(separator: ", "))"
  }

  private func item(_ one: Resolved, _ revision: RevisionID) -> Item {
    [
      "id": .id(one.id), "rev": .id(revision), "leaves": .texts(one.leaves), "how": .text(one.how.words),
      "deleted": .mark(one.isDeleted), "left": one.left > 0 ? .integer(one.left) : .absent,
    ]
  }
}

extension Settled.How {
  var words: String {
    switch self {
    case .clean: "clean"
    case .policies(let policies): "policy:" + policies.map(\.rawValue).joined(separator: ",")
    case .program(let name): "driver:\(name)"
    case .manual: "manual"
    }
  }
}

extension ResolutionEdit {
  /// Returns nil if there are no assignments. Assigning a value inside a property does not resolve the whole property.
  init?(_ assignments: [Assignment], _ instance: UUID, _ now: Milliseconds) {
    if assignments.isEmpty { return nil }
    let decided = assignments.filter { $0.path.names.count == 1 }.compactMap { $0.path.names.first }
    self.init(properties: decided) { id, content in
      var record = content
      for one in assignments { try one.apply(to: &record, id: id, instance: instance, replacesType: true, now: now) }
      return record
    }
  }
}
