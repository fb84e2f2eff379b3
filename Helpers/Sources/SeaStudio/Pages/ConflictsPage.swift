import SeaKit

/// The records in conflict, and one decision for many of them.
enum ConflictsPage {
  private static let most = 100

  static func show(_ visit: Visit) async throws -> Answer {
    let position = try await visit.database.position()
    let (type, after) = (visit.query["type"], visit.query["after"])
    let ids = try await visit.database.conflicts.ids(of: type)
    let rest =
      after.map { after in ids.drop { $0.utf8.lexicographicallyPrecedes(after.utf8) || $0 == after } } ?? ids[...]
    let conflicts = try await read(Array(rest.prefix(most)), visit.database)
    let types = Set(conflicts.compactMap(\.type)).sorted()
    return try await visit.page("Conflicts", at: position) {
      """
      <h1>Conflicts <span class=count>\(Amount.count(ids.count))</span></h1>
      \(ids.isEmpty ? empty(type) : list(visit, conflicts, types, type, total: ids.count))
      \(rest.count > most ? "<p class=pages><a class=button href=\"\(Link("/conflicts", [("type", type), ("after", conflicts.last?.id)]))\">Next \(most)</a></p>" as HTML? : nil)
      \(Fragments.command(CommandText(words: ["conflicts"] + (type.map { ["-t", $0] } ?? []))))
      """
    }
  }

  private static func read(_ ids: [String], _ database: Database) async throws -> [RecordConflict<Record>] {
    var all: [RecordConflict<Record>] = []
    for id in ids { if let conflict = try await database.conflicts.find(id) { all.append(conflict) } }
    return all
  }

  private static func empty(_ type: String?) -> HTML {
    if type != nil {
      return "<p class=empty>No record of this type is in conflict. <a href=\"/conflicts\">Show all types</a></p>"
    }
    return """
      <p class=empty>No record is in conflict. If several instances change the same property of a record before they sync, you \
      choose here what to keep.</p>
      """
  }

  private static func list(
    _ visit: Visit, _ conflicts: [RecordConflict<Record>], _ types: [String], _ type: String?, total: Int
  ) -> HTML {
    let rows: [HTML] = conflicts.map { conflict in
      let title = ConflictWords.title(conflict)
      let paths: [HTML] = conflict.clashes.prefix(6).map {
        "<span class=tag><bdi>\(ConflictWords.name($0.path))</bdi></span> "
      }
      let sides: [HTML] = ConflictWords.sides(conflict).map(\.version).map {
        "<li>\(ConflictWords.about($0))\($0.isDeleted ? " <span class=warn>deleted</span>" : nil)</li>"
      }
      let name: HTML? = title == conflict.id ? nil : " <span class=id><bdi>\(conflict.id.cut(40))</bdi></span>"
      return """
        <tr role=row><td role=cell class=check><input type=checkbox name=one value="\(value: ConflictWords.leaves(conflict)) \(value: conflict.id)" checked \
        aria-label="Include \(label: title)"></td><th scope=row role=rowheader><a href="\(ConflictWords.link(conflict.id))"><bdi>\(title.cut(80))</bdi></a>\(name)</th>\
        <td role=cell data-label="type"><bdi>\(conflict.type ?? "")</bdi></td><td role=cell data-label="what happened">\(ConflictWords.kind(conflict))</td>\
        <td role=cell data-label="to choose"><span class=tags>\(paths)\(conflict.clashes.isEmpty ? "<span class=quiet>nothing</span>" : nil)\(conflict.clashes.count > 6 ? "…" : nil)</span></td>\
        <td role=cell data-label="sides"><ul class=plain>\(sides)</ul></td></tr>
        """
    }
    let filter: HTML? =
      types.count > 1 || type != nil
      ? "<p class=links>Types: \(type == nil ? "<strong>all</strong>" : "<a href=\"/conflicts\">all</a>" as HTML) \(types.map { $0 == type ? " <strong><bdi>\($0)</bdi></strong>" : " <a href=\"\(Link("/conflicts", [("type", $0)]))\"><bdi>\($0)</bdi></a>" as HTML })</p>"
      : nil
    return """
      \(filter)<form method=post action="/resolve">\(visit.token)\(type.map { "<input type=hidden name=type value=\"\(value: $0)\">" as HTML })
      <div class=scroll role=region aria-label="Records in conflict" tabindex=0><table class="records conflicts" role=table><thead role=rowgroup><tr role=row>\
      <th scope=col role=columnheader><span class=hidden>include</span></th><th scope=col role=columnheader>record</th><th scope=col role=columnheader>type</th>\
      <th scope=col role=columnheader>what happened</th><th scope=col role=columnheader>to choose</th><th scope=col role=columnheader>sides</th></tr></thead>\
      <tbody role=rowgroup>\(rows)</tbody></table></div>
      <fieldset class=bulk><legend>Take one side for all marked records</legend>\
      <p class=quiet>What can be merged is merged. Only for properties in conflict, this side decides. You see the result before it is stored.</p>\
      \(SideChoice.allCases.map { side in
        "<label><input type=radio name=side value=\(side.rawValue)\(side == .winner ? " checked" : nil)> <span><strong>\(side.title)</strong> <span class=quiet>\(side.explanation)</span></span></label>" as HTML
      })\
      <div class=actions><button\(visit.isReadOnly ? " disabled" : nil)>Show the result</button></div></fieldset></form>
      """
  }
}

/// A side that can be taken for many conflicts.
enum SideChoice: String, CaseIterable {
  case winner, ours, theirs

  var title: String {
    switch self {
    case .winner: "The current winner"
    case .ours: "This instance"
    case .theirs: "The other instance"
    }
  }

  var explanation: String {
    switch self {
    case .winner: "shown by all instances now"
    case .ours: "written on this device"
    case .theirs: "written by somebody else; a record with several other sides stays in conflict"
    }
  }

  var choice: PropertyChoice {
    switch self {
    case .winner: .winner
    case .ours: .ours
    case .theirs: .theirs
    }
  }

  /// The version that is taken; nil if the side is not clear.
  func version(of conflict: RecordConflict<Record>) -> ConflictVersion<Record>? {
    switch self {
    case .winner: return conflict.versions[0]
    case .ours: return conflict.own
    case .theirs:
      let others = conflict.versions.filter { !$0.isOwn }
      return others.count == 1 ? others[0] : nil
    }
  }
}

/// Resolves many conflicts with one decision, after a page that shows what it does.
enum ResolveAllPage {
  private struct Item {
    let conflict: RecordConflict<Record>
    let choices: ConflictChoices
    /// Nil if the decision does not decide it.
    let outcome: ConflictChoices.Outcome?
  }

  static func change(_ visit: Visit) async throws -> Answer {
    guard let side = visit.form.fields["side"].flatMap(SideChoice.init(rawValue:)) else {
      throw Refusal(400, "the side is missing")
    }
    let wanted: [(leaves: String, id: String)] = visit.form.fields.values("one").compactMap { text in
      let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
    guard !wanted.isEmpty else { throw Refusal(422, "no record is marked") }
    var items: [Item] = []
    var changed = 0
    for one in wanted {
      guard let conflict = try await visit.database.conflicts.find(one.id), ConflictWords.leaves(conflict) == one.leaves
      else {
        changed += 1
        continue
      }
      var choices = ConflictChoices()
      if let version = side.version(of: conflict) { choices.take(version.revision.description, conflict) }
      let outcome = conflict.merged == nil ? nil : choices.outcome(conflict)
      items.append(Item(conflict: conflict, choices: choices, outcome: outcome))
    }
    let decided = items.filter { $0.outcome != nil }
    guard visit.form.fields["do"] == "resolve", changed == 0, !decided.isEmpty else {
      return try await preview(visit, side, items, changed)
    }
    let results: [ResolvedConflict]
    do {
      results = try await visit.database.conflicts.resolve(
        decided.map(\.conflict), .merge([:], otherwise: side.choice), partially: true)
    } catch let error as SeaError where error.code == .stale {
      return try await preview(visit, side, items, 1)
    }
    let done = results.count { !$0.isOpen && $0.revision != nil }
    let left = try await visit.database.conflicts.count()
    return visit.done(
      Link("/conflicts"),
      Note(
        text:
          "Resolved \(Amount.count(done, "conflict")). \(left == 0 ? "No conflict is left." : "\(Amount.count(left, "conflict")) left.")",
        command: command(side, decided), link: ("Undo", Link("/undo"))))
  }

  private static func command(_ side: SideChoice, _ items: [Item]) -> CommandText {
    CommandText(words: ["resolve", "--prefer=\(side.rawValue)"] + items.map(\.conflict.id))
  }

  private static func preview(_ visit: Visit, _ side: SideChoice, _ items: [Item], _ changed: Int) async throws
    -> Answer
  {
    let decided = items.filter { $0.outcome != nil }
    let fields: [HTML] = items.map {
      "<input type=hidden name=one value=\"\(value: ConflictWords.leaves($0.conflict)) \(value: $0.conflict.id)\">"
    }
    let warning: HTML? =
      changed == 0
      ? nil
      : "<p class=problem role=alert>\(Amount.count(changed, "record")) changed in the meantime and \(changed == 1 ? "is" : "are") left out. Nothing was stored yet.</p>"
    let records = items.flatMap { $0.conflict.versions.compactMap(\.content) }
    let titles = try await visit.database.read { try References.titles(of: records, $0) }
    return try await visit.page("Resolve conflicts", status: changed == 0 ? 200 : 409) {
      """
      <nav class=crumbs aria-label="Path"><a href="/conflicts">Conflicts</a></nav>
      <h1>Resolve \(Amount.count(decided.count, "conflict"))?</h1>
      <p><strong>\(side.title)</strong> decides: \(side.explanation). All of them are stored in one transaction. The history keeps every \
      side, so you can undo this.</p>\(warning)
      <div class=scroll role=region aria-label="Results" tabindex=0><table class=sides><caption>Results</caption>\
      <thead><tr><th scope=col>property</th><th scope=col>now</th><th scope=col>after that</th></tr></thead>\
      \(items.map { "<tbody>\(rows($0, titles))</tbody>" as HTML })</table></div>
      <form class="confirm actions" method=post action="/resolve">\(visit.token)<input type=hidden name=side value=\(side.rawValue)>\(fields)\
      <button class=main name=do value=resolve\(decided.isEmpty || visit.isReadOnly ? " disabled" : nil)>Resolve</button> \
      <a class=button href="/conflicts">Cancel</a></form>
      \(decided.isEmpty ? nil : Fragments.command(command(side, decided)))
      """
    }
  }

  private static func rows(_ item: Item, _ titles: [String: String]) -> HTML {
    let title = ConflictWords.title(item.conflict)
    let head: HTML = """
      <tr><th scope=rowgroup colspan=3><a href="\(ConflictWords.link(item.conflict.id))"><bdi>\(title.cut(60))</bdi></a></th></tr>
      """
    let view = ValueView(id: item.conflict.id, titles: titles)
    func shown(_ value: Value?) -> HTML {
      if case .string(let text)? = value?.unlabeled { return "<bdi>\(text.cut(120))</bdi>" }
      return value.map { view.brief($0) } ?? "<span class=quiet>none</span>"
    }
    guard let outcome = item.outcome else {
      return
        "\(head)<tr><td colspan=3><span class=warn>stays in conflict</span>: this decision is not clear for it</td></tr>"
    }
    if item.conflict.clashes.isEmpty {
      return "\(head)<tr><td colspan=3 class=quiet>all changes can be merged</td></tr>"
    }
    let rows: [HTML] = item.conflict.clashes.map { clash in
      switch outcome {
      case .deletion:
        return "<tr><td colspan=2>the whole record</td><td><span class=warn>deleted</span></td></tr>"
      case .record(let record):
        if clash.path.isEmpty { return "<tr><td colspan=2>the whole record</td><td>kept, with all changes</td></tr>" }
        let new: Value? = clash.path == "/_type" ? record.type.map { Value.string($0) } : record[path: clash.path]
        return
          "<tr><th scope=row><bdi>\(ConflictWords.name(clash.path))</bdi></th><td>\(shown(clash.values[0]))</td><td>\(new == clash.values[0] ? "<span class=quiet>unchanged</span>" : view.changed(from: clash.values[0], to: new))</td></tr>"
      }
    }
    return "\(head)\(rows)"
  }
}
