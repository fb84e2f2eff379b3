import SeaKit

/// One record: its values, what refers to it, and its history.
enum RecordPage {
  private static let mostReferring = 20
  private static let firstRevisions = 20
  private static let mostRevisions = 500

  struct Found: Sendable {
    var record: Record?
    var titles: [String: String] = [:]
    var referring: [Record] = []
  }

  static func show(_ visit: Visit) async throws -> Answer {
    let id = try visit.needed("id")
    let position = try await visit.database.position()
    let revision = try visit.query["rev"].map { text throws(Refusal) in
      guard let revision = Revision(text) else { throw Refusal(404, "'\(text)' is not a revision") }
      return revision
    }
    var found = try await visit.database.read { transaction in
      var found = Found()
      found.record = try transaction.record(id)
      found.referring = try transaction.fetch(Query<Record>.records().referring(to: id).limit(mostReferring + 1))
      found.titles = try References.titles(of: [found.record].compactMap { $0 }, transaction)
      return found
    }
    let current = found.record
    let revisions: [RecordRevision]
    do { revisions = try await visit.database.history.revisions(of: id) } catch let error as SeaError
      where error.code == .notFound
    {
      return try await visit.page("No such record", status: 404) { missing(id, found.referring) }
    }
    if let revision {
      found.record = try await visit.database.history.record(id, at: revision)
      let old = found.record
      found.titles = try await visit.database.read { try References.titles(of: [old].compactMap { $0 }, $0) }
    }
    let shown = found
    // A deleted record still has the name of its last state.
    let end = current == nil ? revisions.first?.parent : nil
    var last = shown.record ?? current
    if last == nil, let end { last = try? await visit.database.history.record(id, at: end) }
    let (named, ended) = (last, end)
    let fields = Field.all(of: found.record?.properties ?? [:])
    let files = try await Files(in: fields.map(\.value), visit.database)
    let timeline = try await Timeline.html(
      visit, id, revisions, current: current, shown: revision,
      most: visit.query["history"] == "all" ? mostRevisions : firstRevisions)
    let title = named.flatMap(Title.of) ?? id
    return try await visit.page(title.cut(60), at: position) {
      """
      <nav class=crumbs aria-label="Path"><a href="/">Records</a> <span aria-hidden=true>›</span> \
      <a href="\(Fragments.records(named?.type ?? ""))"><bdi>\(named?.type ?? "without a type")</bdi></a></nav>
      <article data-record="\(value: id)">
      <div class=head><h1><bdi>\(title)</bdi></h1>\(actions(visit, id, current, revision, ended))</div>
      <p class=meta><span class=id><bdi>\(id)</bdi></span> \(state(shown.record, revision, revisions, current))</p>
      \(conflict(current))
      <div class=two>
      <div>
      \(values(shown, fields, files, revision))
      \(Fragments.command(CommandText("get", revision.map { "\(id)@\(Fragments.short($0))" } ?? id)))
      \(referring(shown.referring, id))
      </div>
      \(timeline)
      </div>
      </article>
      """
    }
  }

  private static func missing(_ id: String, _ referring: [Record]) -> HTML {
    """
    <h1>No such record</h1>
    <p>No record here has the id <code>\(id)</code>. It may not have arrived yet, or its history was purged.</p>
    \(RecordPage.referring(referring, id))
    """
  }

  /// - Parameter ended: the revision before the deletion of a deleted record.
  private static func actions(
    _ visit: Visit, _ id: String, _ current: Record?, _ revision: Revision?, _ ended: Revision?
  ) -> HTML {
    if let revision {
      return """
        <div class=actions><a class=button href="\(Fragments.record(id))">Show the current state</a> \
        <a class="button main" href="\(Link("/revert", [("id", id), ("rev", revision.description)]))">Bring back this \
        state</a></div>
        """
    }
    guard current != nil else {
      let back = ended.map { Link("/revert", [("id", id), ("rev", $0.description)]) }
      return back.map { "<div class=actions><a class=\"button main\" href=\"\($0)\">Bring back</a></div>" } ?? HTML()
    }
    return """
      <div class=actions><a class="button main" href="\(Link("/edit", [("id", id)]))">Edit</a> \
      <a class=button href="\(Link("/edit", [("id", id)]))#attach">Attach a photo or file</a> \
      <a class=button href="\(Link("/delete", [("id", id)]))">Delete</a></div>
      """
  }

  private static func state(
    _ record: Record?, _ revision: Revision?, _ all: [RecordRevision], _ current: Record?
  ) -> HTML {
    guard let about = all.first(where: { $0.revision == revision ?? current?.revision ?? all.first?.revision }) else {
      return HTML()
    }
    let time: HTML? = about.time.map { Times.ago($0) }
    if revision != nil {
      return
        """
        <strong class=warn>State of revision \(Fragments.revision(about.revision))\
        </strong>, by \(Fragments.author(about.author)) \(time)
        """
    }
    if current == nil { return "<strong class=warn>Deleted</strong> by \(Fragments.author(about.author)) \(time)" }
    return "revision \(Fragments.revision(about.revision)), changed by \(Fragments.author(about.author)) \(time)"
  }

  private static func conflict(_ record: Record?) -> HTML? {
    guard let record, !record.conflicts.isEmpty else { return nil }
    let page: HTML? =
      Routes.all.contains { $0.path == "/conflict" }
      ? " <a href=\"\(Link("/conflict", [("id", record.id)]))\">Resolve the conflict</a>" : nil
    return """
      <div class=notice><p><strong>In conflict.</strong> \(Amount.count(record.conflicts.count, "other revision")) \
      of this record \(record.conflicts.count == 1 ? "differs" : "differ"); the winner is shown.\(page)</p>\
      \(Fragments.command(CommandText("resolve", record.id)))</div>
      """
  }

  private static func values(_ found: Found, _ fields: [Field], _ files: Files, _ revision: Revision?) -> HTML {
    guard let record = found.record else {
      return
        """
        <section class=values><h2>Properties</h2>\
        <p class=empty>The record is deleted in this state. Its history still has its content.</p></section>
        """
    }
    let view = ValueView(id: record.id, revision: revision, titles: found.titles, files: files)
    let rows: [HTML] = fields.map { field in
      let label: HTML? = field.value.label.map { " <span class=tag title=\"semantic type\"><bdi>\($0)</bdi></span>" }
      return """
        <div class=value><dt><bdi>\(field.title)</bdi>\(label) <span class=kind>\(field.kind.rawValue)</span></dt>\
        <dd>\(view.full(field.value, field.names))</dd></div>
        """
    }
    let names: HTML? =
      revision == nil || found.titles.isEmpty
      ? nil : "<p class=quiet>Other records are shown with their current names.</p>"
    let cut: HTML? =
      fields.count >= Field.most ? "<p class=quiet>Only the first \(Field.most) values are shown.</p>" : nil
    let list: HTML =
      rows.isEmpty ? "<p class=empty>This record has no properties.</p>" : "<dl class=values>\(rows)</dl>"
    return "<section aria-labelledby=properties><h2 id=properties>Properties</h2>\(list)\(names)\(cut)</section>"
  }

  private static func referring(_ records: [Record], _ id: String) -> HTML? {
    if records.isEmpty { return nil }
    let items: [HTML] = records.prefix(mostReferring).map { record in
      """
      <li>\(Fragments.link(to: record.id, title: Title.of(record))) <span class=kind><bdi>\(record.type ?? "")</bdi>\
      </span></li>
      """
    }
    let all = Link("/", [("where", "refers(_id, \(SQLWord.text(id)))")])
    let isCut = records.count > mostReferring
    let more: HTML = """
      <p class=quiet>\(isCut ? "Only the first \(mostReferring) are shown. " : "")\
      <a href="\(all)">Show \(isCut ? "all" : "them") as a table</a></p>
      """
    return """
      <section aria-labelledby=referring><h2 id=referring>Referred to by</h2><ul class=plain>\(items)</ul>\(more)\
      \(Fragments.command(CommandText("query", "--refs-to=\(id)")))</section>
      """
  }
}

/// The history of a record: who changed what, and when.
enum Timeline {
  private static let mostInBranch = 20

  private typealias Step = (revision: RecordRevision, differences: [PropertyDifference], count: Int)

  static func html(
    _ visit: Visit, _ id: String, _ all: [RecordRevision], current: Record?, shown: Revision?, most: Int
  ) async throws -> HTML {
    let line = all.filter(\.isOnWinningBranch)
    var branches = Branches(all)
    // The first merge of a branch shows what it has merged.
    var merged: [Revision: [RecordRevision]] = [:]
    for one in line.reversed() where !one.merged.isEmpty {
      merged[one.revision] = branches.removeBranches(endingIn: one.merged)
    }
    let others = branches.removeAll()
    func steps(_ revisions: some Sequence<RecordRevision>) async -> [Step] {
      var steps: [Step] = []
      for revision in revisions {
        let isKnown = !revision.isPurged && !revision.isDeletion
        let found = try? await visit.database.history.differences(of: id, from: revision.parent, to: revision.revision)
        let all = isKnown ? found ?? [] : []
        steps.append((revision, Array(all.prefix(revision.parent == nil ? 6 : 30)), all.count))
      }
      return steps
    }
    var (changes, sides): ([(step: Step, merged: [Step])], [[Step]]) = ([], [])
    for step in await steps(line.prefix(most)) {
      changes.append((step, await steps(merged[step.revision.revision]?.prefix(mostInBranch) ?? [])))
    }
    for side in others.prefix(most) { sides.append(await steps(side.prefix(mostInBranch))) }
    let shownSteps = changes.flatMap { [$0.step] + $0.merged } + sides.joined()
    let titles = try await titles(of: shownSteps.flatMap(\.differences), visit.database)
    let items = changes.enumerated().map { k, one in
      item(
        id, one.step, one.merged, current, titles, isNewest: k == 0,
        isShown: one.step.revision.revision == shown ?? line.first?.revision)
    }
    let more: HTML? =
      line.count > most && most < 100
      ? """
      <p><a href="\(Link("/record", [("id", id), ("rev", shown?.description), ("history", "all")]))#history">\
      Show all \(Amount.count(line.count, "change"))</a></p>
      """ : line.count > most ? "<p class=quiet>Only the newest \(most) changes are shown.</p>" : nil
    return """
      <section class=history aria-labelledby=history><h2 id=history>History</h2>\
      <p class=links><a href="\(Link("/tree", [("id", id)]))">Tree of \(Amount.count(all.count, "revision"))</a></p>\
      <ol class=timeline>\(items)</ol>\(more)\(self.others(sides, others.count, id, titles))\
      \(Fragments.command(CommandText("log", "-p", id)))</section>
      """
  }

  /// The branches that no shown change has merged.
  private static func others(_ sides: [[Step]], _ count: Int, _ id: String, _ titles: [String: String]) -> HTML? {
    if sides.isEmpty { return nil }
    let items: [HTML] = sides.map { side in
      let state: HTML? =
        switch side[0].revision.state {
        case .loser: "<p class=warn>in conflict</p>"
        case .waiting: "<p class=quiet>waits for earlier changes, which have not arrived</p>"
        default: nil
        }
      return "<li>\(state)\(branch(side, id, titles))</li>"
    }
    let title = Amount.count(count, "other branch", "other branches")
    return "<details class=sides><summary>\(title)</summary><ul class=plain>\(items)</ul></details>"
  }

  private static func branch(_ steps: [Step], _ id: String, _ titles: [String: String]) -> HTML? {
    if steps.isEmpty { return nil }
    return "<ul class=branch>\(steps.map { item(id, $0, [], nil, titles, isNewest: false, isShown: false) })</ul>"
  }

  private static func titles(of differences: [PropertyDifference], _ database: Database) async throws -> [String:
    String]
  {
    let values = differences.flatMap { [$0.old, $0.new].compactMap { $0 } }
    return try await database.read { try References.titles(in: values, $0) }
  }

  /// - Parameter current: the record, to bring back values; nil in a branch.
  private static func item(
    _ id: String, _ step: Step, _ merged: [Step], _ current: Record?, _ titles: [String: String], isNewest: Bool,
    isShown: Bool
  ) -> HTML {
    let revision = step.revision
    let what: HTML =
      revision.isPurged
      ? "Content purged"
      : revision.isDeletion
        ? (revision.isOnWinningBranch ? "Deleted" : "Ended")
        : revision.parent == nil ? "Created" : revision.merged.isEmpty ? "Changed" : "Merged"
    let show: HTML? =
      isNewest || revision.isPurged || revision.isDeletion
      ? nil : "<a href=\"\(Link("/record", [("id", id), ("rev", revision.revision.description)]))\">Show this state</a>"
    let changes = list(id, revision, step.differences, step.count, current, titles)
    return """
      <li\(isShown ? " class=shown" : nil)><p class=event><strong>\(what)\
      </strong> by \(Fragments.author(revision.author)) \
      \(revision.time.map { Times.ago($0) }) \(Fragments.revision(revision.revision))</p>\
      \(Fragments.when(revision.time, revision.label))\(changes)<p class=links>\(show)</p>\(branch(merged, id, titles))</li>
      """
  }

  private static func list(
    _ id: String, _ revision: RecordRevision, _ differences: [PropertyDifference], _ count: Int, _ current: Record?,
    _ titles: [String: String]
  ) -> HTML? {
    if differences.isEmpty { return nil }
    let isFirst = revision.parent == nil
    let view = ValueView(id: id, revision: revision.revision, titles: titles)
    let rows: [HTML] = differences.map { one in
      let old: HTML? = one.old.map { "<del>\(brief($0, view))</del>" }
      let new: HTML = one.new.map { "<ins>\(brief($0, view))</ins>" } ?? "<span class=quiet>removed</span>"
      let arrow: HTML? = old == nil ? nil : " <span aria-hidden=true>→</span><span class=hidden>to</span> "
      // The parent revision has the value before this change.
      let back: HTML? =
        one.name == "_type" || isFirst || current == nil || current?.properties[one.name] == one.old
        ? nil
        : revision.parent.map { parent in
          let to = Link("/revert", [("id", id), ("rev", parent.description), ("path", Field.pointer([one.name]))])
          let text: HTML = one.old.map { "Bring back \(short($0, view))" } ?? "Remove"
          return " <a class=back href=\"\(to)\">\(text)<span class=hidden> of \(one.name)</span></a>"
        }
      return
        """
        <li><span class=name><bdi>\(one.name == "_type" ? "type" : one.name)</bdi>\
        </span> \(old)\(arrow)\(new)\(back)</li>
        """
    }
    let left = count - rows.count
    return
      """
      <ul class=changes>\(rows)\
      \(left > 0 ? "<li class=quiet>and \(Amount.count(left, "more property", "more properties"))</li>" as HTML? : nil)</ul>
      """
  }

  /// A value on a button.
  private static func short(_ value: Value, _ view: ValueView) -> HTML {
    switch value.unlabeled {
    case .string(""): "the old value"
    case .bool, .integer, .bigInteger, .double, .decimal, .day, .string: "<bdi>\(value.fieldText.cut(24))</bdi>"
    case .reference(let reference): "<bdi>\((view.titles[reference.id] ?? reference.id).cut(24))</bdi>"
    default: "the old value"
    }
  }

  private static func brief(_ value: Value, _ view: ValueView) -> HTML {
    switch value.unlabeled {
    case .asset(let asset): "<span>\(asset.mimeType), \(Amount.size(asset.size))</span>"
    case .string(let text): "<bdi>\(text.cut(160))</bdi>"
    case .bool, .date, .day, .data, .null: view.cell(value, [])
    case .reference(let reference):
      view.titles[reference.id].map { "<bdi>\($0.cut(80))</bdi>" } ?? "<bdi>\(reference.id)</bdi>"
    default: "<bdi>\(value.fieldText.cut(160))</bdi>"
    }
  }
}

/// The revisions of a record that are not on its winning branch.
struct Branches {
  private let all: [RecordRevision]
  private let known: [Revision: RecordRevision]
  private var removed: Set<Revision>

  /// - Parameter all: the revisions, children before parents.
  init(_ all: [RecordRevision]) {
    self.all = all
    known = Dictionary(all.map { ($0.revision, $0) }, uniquingKeysWith: { first, _ in first })
    removed = Set(all.filter(\.isOnWinningBranch).map(\.revision))
  }

  /// Removes and returns these revisions and their ancestors, except those that were removed before.
  mutating func removeBranches(endingIn ends: [Revision]) -> [RecordRevision] {
    var found: Set<Revision> = []
    var ancestors = ends
    while let next = ancestors.popLast() {
      guard let one = known[next], removed.insert(next).inserted else { continue }
      found.insert(next)
      ancestors += one.merged + (one.parent.map { [$0] } ?? [])
    }
    return all.filter { found.contains($0.revision) }
  }

  /// Removes and returns the other branches. A revision that only ends a removed branch is not a branch.
  mutating func removeAll() -> [[RecordRevision]] {
    let merged = removed.filter { known[$0].map { !$0.isOnWinningBranch } ?? false }
    let ends = all.filter { !$0.isOnWinningBranch && $0.state != .inner }
    return ends.compactMap { end in
      let isEnd = end.state == .tombstone && end.parent.map { merged.contains($0) } ?? false
      let found = isEnd ? [] : removeBranches(endingIn: [end.revision])
      return found.isEmpty ? nil : found
    }
  }
}
