import SeaKit

/// Changes a record: a form with a row for each property.
enum EditPage {
  static func show(_ visit: Visit) async throws -> Answer {
    let id = try visit.needed("id")
    guard let record = try await visit.database.record(id) else {
      throw Refusal(404, "no record has the id '\(id)'")
    }
    let fields = Field.all(of: record.properties)
    return try await page(visit, record, fields.enumerated().map { Entry($0.offset, $0.element) })
  }

  static func page(
    _ visit: Visit, _ record: Record, _ entries: [Entry], status: Int = 200, problem: String? = nil
  ) async throws -> Answer {
    let sample = try await visit.database.read { try TypeSample(of: record.type, with: record, $0) }
    let records = try await Candidates.html(sample, visit.studio)
    let title = Title.of(record) ?? record.id
    let example = CommandText("set", record.id, "NAME=TEXT", "NAME:=NUMBER", "--unset=NAME")
    let view = try await EntryView.view(record, entries, visit.database)
    var rows = entries
    let next = (entries.map(\.number).max() ?? -1) + 1
    let hasBlank = entries.contains { $0.isFree && $0.names.isEmpty }
    if !hasBlank { rows += Entry.blank(from: next) }
    return try await visit.page("Edit \(title.cut(50))", status: status) {
      """
      <nav class=crumbs aria-label="Path"><a href="/">Records</a> <span aria-hidden=true>›</span> \
      <a href="\(Fragments.record(record.id))"><bdi>\(title)</bdi></a></nav>
      <h1>Edit <bdi>\(title)</bdi></h1>
      \(problem.map { "<p class=problem role=alert>\($0.sentence)</p>" as HTML })
      <form class=edit method=post action="/edit" enctype="multipart/form-data">\(visit.token)\
      <input type=hidden name=id value="\(value: record.id)">\
      <input type=hidden name=rev value="\(value: record.revision?.description ?? "")">
      \(EntryView.rows(rows, view))
      \(records)
      <div class=actions><button class=main\(visit.isReadOnly ? " disabled" : nil)>Save</button> \
      <a class=button href="\(Fragments.record(record.id))">Cancel</a></div></form>
      \(Fragments.command(example, "Command, for example"))
      """
    }
  }

  // MARK: - Saving

  private enum Outcome: Sendable {
    case saved(Revision)
    case newer(Record?)
  }

  static func save(_ visit: Visit) async throws -> Answer {
    let id = try visit.needed("id")
    guard let base = Revision(try visit.needed("rev")) else { throw Refusal(400, "the revision is not valid") }
    var entries = Entry.all(in: visit.form)
    guard let record = try await visit.database.history.record(id, at: base) else {
      throw Refusal(409, "the record was deleted")
    }
    for k in entries.indices { entries[k].value = record[path: Field.pointer(entries[k].names)] }
    let files = Uploads(visit, entries)
    entries = try await complete(entries, files, record, visit.database)
    let (edits, isValid) = collect(&entries, except: visit.form)
    guard isValid else {
      for k in entries.indices where entries[k].hasFile { entries[k].kept = files.key(entries[k].part) }
      return try await page(visit, record, entries, status: 422, problem: "nothing was saved; \(wrong(entries))")
    }
    if edits.isEmpty {
      return visit.done(Fragments.record(id), Note(text: "Nothing was changed."))
    }
    let outcome: Outcome
    do {
      outcome = try await visit.database.assets.write(files.contents, label: label(edits)) {
        transaction, assets in
        guard var now = try transaction.record(id), now.revision == base else {
          throw Newer(record: try transaction.record(id))
        }
        edits.apply(to: &now, assets)
        return .saved(try transaction.save(&now, check: .revision))
      }
    } catch let newer as Newer {
      outcome = .newer(newer.record)
    } catch let error as SeaError where [.badData, .refused, .usage].contains(error.code) {
      for k in entries.indices where entries[k].hasFile { entries[k].kept = files.key(entries[k].part) }
      return try await page(visit, record, entries, status: 422, problem: error.message)
    }
    switch outcome {
    case .saved:
      files.forget()
      let command = CommandText(words: ["set", id] + edits.flatMap(\.words))
      return visit.done(Fragments.record(id), Note(text: "Saved.", command: command, link: undo(edits)))
    case .newer(nil): throw Refusal(409, "the record was deleted in the meantime; nothing was saved")
    case .newer(let now?):
      for k in entries.indices where entries[k].hasFile { entries[k].kept = files.key(entries[k].part) }
      return try await NewerPage.page(visit, base: record, now: now, entries)
    }
  }

  /// The message of the transaction, as `sea set` writes it.
  static func label(_ edits: [Edit]) -> String {
    var names: [String] = []
    for name in edits.compactMap(\.names.first) where !names.contains(name) { names.append(name) }
    return "set \(names.prefix(5).map { $0.cut(40) }.joined(separator: " ")) (studio)"
  }

  private struct Newer: Error { let record: Record? }

  private static func undo(_ edits: [Edit]) -> (title: String, to: Link)? { ("Undo", Link("/undo")) }

  /// - Parameter record: the stored record, or an empty one for a new record.
  static func complete(
    _ entries: [Entry], _ files: Uploads, _ record: Record, _ database: Database
  ) async throws -> [Entry] {
    try await database.read { transaction in
      let sample = try TypeSample(of: record.type, with: record, transaction)
      var entries = entries
      let filled = entries.filter { $0.hasFile || !$0.text.isEmpty }
      var taken = Set(record.properties.keys).union(filled.compactMap(\.names.first))
      for k in entries.indices {
        try entries[k].complete(sample, files[entries[k].part], taken: taken, transaction)
        if let name = entries[k].names.first { taken.insert(name) }
      }
      return entries
    }
  }

  static func wrong(_ entries: [Entry]) -> String {
    let names = entries.filter { $0.problem != nil }.map { $0.names.isEmpty ? "new property" : Field.title($0.names) }
    return "correct: \(names.joined(separator: ", "))"
  }

  /// The edits of all rows. Rows that are wrong get a problem.
  static func collect(_ entries: inout [Entry], except form: Form) -> (edits: [Edit], isValid: Bool) {
    var edits: [Edit] = []
    var isValid = true
    for k in entries.indices where form.fields["choice\(entries[k].number)"] != "theirs" {
      if entries[k].problem != nil { isValid = false }
      do { edits += try entries[k].edits() } catch {
        entries[k].problem = entries[k].problem ?? error.text
        isValid = false
      }
    }
    return (edits, isValid)
  }
}

/// Shows what has changed while a form was open, and asks.
enum NewerPage {
  static func page(_ visit: Visit, base: Record, now: Record, _ entries: [Entry]) async throws -> Answer {
    let title = Title.of(now) ?? now.id
    let changed = entries.filter { (try? $0.edits())?.isEmpty == false }
    let pointers = Set(changed.map { Field.pointer($0.names) })
    let others = theirs(base, now).filter { !pointers.contains($0.pointer) }
    let about = try await visit.database.history.revisions(of: now.id).first { $0.revision == now.revision }
    return try await visit.page("Changed in the meantime", status: 409) {
      """
      <h1><bdi>\(title)</bdi> was changed in the meantime</h1>
      <p>While you edited it, \(Fragments.author(about?.author)) saved revision \(Fragments.revision(now.revision!)) \
      \(about?.time.map { Times.ago($0) }). Nothing of yours is saved yet.</p>
      <form class=newer method=post action="/edit" enctype="multipart/form-data">\(visit.token)\
      <input type=hidden name=id value="\(value: now.id)">\
      <input type=hidden name=rev value="\(value: now.revision!.description)">
      <div class=scroll role=region aria-label="Your changes" tabindex=0><table class=sides>
      <caption>Your changes</caption><thead><tr><th scope=col>property</th><th scope=col>before</th><th scope=col>now\
      </th><th scope=col>yours</th><th scope=col>use</th></tr></thead>
      <tbody>\(changed.map { row($0, base, now) })</tbody></table></div>
      \(kept(others))
      <div class=actions><button class=main>Save the chosen values</button> \
      <a class=button href="\(Fragments.record(now.id))">Discard my changes</a></div>
      </form>
      """
    }
  }

  private static func kept(_ others: [Field]) -> HTML? {
    if others.isEmpty { return nil }
    let items: [HTML] = others.map {
      "<li><bdi>\($0.title)</bdi>: <bdi>\($0.value.fieldText.cut(120))</bdi></li>"
    }
    return "<h2>Also changed, and kept</h2><ul class=plain>\(items)</ul>"
  }

  private static func theirs(_ base: Record, _ now: Record) -> [Field] {
    Field.all(of: now.properties).filter { base[path: $0.pointer] != $0.value }
  }

  private static func row(_ entry: Entry, _ base: Record, _ now: Record) -> HTML {
    let pointer = Field.pointer(entry.names)
    let (before, current) = (base[path: pointer], now[path: pointer])
    // Counters and sets are changed, and not replaced.
    let merges = [.set, .counter].contains(entry.kind) && !entry.isRemoved && !entry.isNew
    let clashes = before != current && !merges
    func shown(_ value: Value?) -> HTML {
      value.map { "<bdi>\($0.fieldText.cut(200))</bdi>" } ?? "<span class=quiet>none</span>"
    }
    let number = entry.number
    let choice: HTML =
      clashes
      ? """
      <label><input type=radio name="choice\(number)" value=mine required> mine</label> \
      <label><input type=radio name="choice\(number)" value=theirs required> theirs</label>
      """ : "<span class=quiet>mine</span>"
    return """
      <tr\(clashes ? " class=clash" : nil)><th scope=row><bdi>\(Field.title(entry.names))\
      </bdi>\(clashes ? " <span class=warn>both changed it</span>" : nil)</th>\
      <td>\(shown(before))</td><td>\(shown(current))</td><td>\(mine(entry))</td><td>\(choice)\(hidden(entry))</td></tr>
      """
  }

  private static func mine(_ entry: Entry) -> HTML {
    if entry.isRemoved { return "<span class=quiet>removed</span>" }
    if entry.hasFile { return "<span class=quiet>the chosen file</span>" }
    switch entry.kind {
    case .counter where !entry.isNew: return "change by \(entry.delta)"
    case .set where !entry.isNew:
      let gone = entry.dropped.map { "− " + (Entry.element($0)?.fieldText ?? "") }
      let new = entry.added.split(separator: "\n").map { "+ \($0)" }
      return "<bdi>\((gone + new).joined(separator: ", ").cut(200))</bdi>"
    default: return "<bdi>\(entry.text.cut(200))</bdi>"
    }
  }

  /// All fields of a row, so that the form can be sent again.
  private static func hidden(_ entry: Entry) -> HTML {
    let n = entry.number
    var fields: [(String, String)] = [
      ("p\(n)", Field.pointer(entry.names)), ("k\(n)", entry.kind.rawValue), ("o\(n)", entry.original),
      ("v\(n)", entry.text),
      ("c\(n)", entry.delta), ("a\(n)", entry.added), ("e\(n)", entry.addedKind.rawValue),
    ]
    if entry.isNew { fields.append(("new\(n)", "1")) }
    if entry.isRemoved { fields.append(("r\(n)", "1")) }
    if let kept = entry.kept { fields.append(("kept\(n)", kept)) }
    fields += entry.dropped.map { ("d\(n)", $0) } + entry.elements.map { ("x\(n)", $0) }
    return fields.map { "<input type=hidden name=\"\(value: $0.0)\" value=\"\(value: $0.1)\">" as HTML }.joined(by: "")
  }
}

/// The files of a form, and those that an earlier form has left.
struct Uploads: Sendable {
  private let studio: Studio
  private var files: [String: (upload: Upload, key: String)] = [:]

  init(_ visit: Visit, _ entries: [Entry]) {
    studio = visit.studio
    for entry in entries where entry.hasFile && !entry.isRemoved {
      if let upload = visit.form.files[entry.part] {
        files[entry.part] = (upload, studio.kept.keep(upload))
      } else if let key = entry.kept, let upload = studio.kept.find(key) {
        files[entry.part] = (upload, key)
      }
    }
  }

  var contents: [String: AssetContent] { files.mapValues { .file($0.upload.path) } }

  subscript(part: String) -> Upload? { files[part]?.upload }
  func key(_ part: String) -> String? { files[part]?.key }
  func forget() { for file in files.values { studio.kept.forget(file.key) } }
}

/// Records that a reference can point to.
enum Candidates {
  private static let most = 200
  private static let mostToRead = 200_000

  /// A list of the records of the types that the references of a sample point to.
  static func html(_ sample: TypeSample, _ studio: Studio) async throws -> HTML {
    // Among very many records, even the first ones of a type take long to find.
    let types = try await studio.types(at: studio.database.position())
    guard types.reduce(0, { $0 + $1.count }) <= mostToRead else {
      return "<datalist id=records></datalist>"
    }
    let options = try await studio.database.read { transaction in
      var options: [HTML] = []
      for type in sample.targets.values.reduce(into: Set(), { $0.formUnion($1) }).sorted() where options.count < most {
        for one in try transaction.fetch(Query<Record>.records(of: type).limit(most - options.count)) {
          options.append("<option value=\"\(value: one.id)\">\(label: Title.described(one))</option>")
        }
      }
      return options
    }
    return "<datalist id=records>\(options)</datalist>"
  }
}
