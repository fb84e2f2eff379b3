import SeaKit

/// Creates a record. The form has the properties of other records of the type.
enum NewPage {
  private static let sample = 20

  static func show(_ visit: Visit) async throws -> Answer {
    let type = visit.query["type"]
    var kinds: [String: Kind] = [:]
    let records = try await visit.database.fetch(Query<Record>.records(of: type).limit(type == nil ? 0 : sample))
    for record in records {
      for (name, value) in record.properties where kinds[name] == nil { kinds[name] = Kind(value) }
    }
    let offered = kinds.filter { Kind.new.contains($0.value) }.sorted { Field.order($0.key, $1.key) }
    let entries = offered.enumerated().map { Entry($0.offset, names: [$0.element.key], $0.element.value) }
    return try await page(visit, type: type ?? "", id: "", entries, like: records)
  }

  private static func page(
    _ visit: Visit, type: String, id: String, _ entries: [Entry], like records: [Record] = [], status: Int = 200,
    problem: String? = nil
  ) async throws -> Answer {
    let view = ValueView(id: id)
    var rows = entries
    let next = (entries.map(\.number).max() ?? -1) + 1
    if !entries.contains(where: { $0.names.isEmpty }) { rows += (0..<2).map { Entry(next + $0) } }
    var sample = Record(type: nil, id: "-")
    for (k, record) in records.enumerated() {
      for (name, value) in record.properties where Kind(value) == .reference { sample["\(name)\(k)"] = value }
    }
    let candidates = try await Candidates.html(for: sample, visit.studio)
    let (known, new) = (rows.filter { !$0.names.isEmpty }, rows.filter { $0.names.isEmpty })
    let example = CommandText("set", "--new", "-t", type.isEmpty ? "TYPE" : type, "NAME=TEXT")
    let crumb: HTML? =
      type.isEmpty
      ? nil : " <span aria-hidden=true>›</span> <a href=\"\(Fragments.records(type))\"><bdi>\(type)</bdi></a>"
    let types = try await visit.database.types().compactMap(\.name)
    return try await visit.page("New record", status: status) {
      """
      <nav class=crumbs aria-label="Path"><a href="/">Records</a>\(crumb)</nav>
      <h1>New record</h1>
      \(problem.map { "<p class=problem role=alert>\($0.sentence)</p>" as HTML })
      <form class=edit method=post action="/new" enctype="multipart/form-data">\(visit.token)
      <div class=entry><div class=about><label for=type>type</label></div><div class=input>\
      <input id=type name=type list=types value="\(value: type)" autocapitalize=none></div></div>
      <div class=entry><div class=about><label for=id>id</label></div><div class=input>\
      <input id=id name=id value="\(value: id)" placeholder="a new random id" autocapitalize=none></div></div>
      <datalist id=types>\(types.map { "<option value=\"\(value: $0)\"></option>" as HTML })</datalist>
      \(known.map { EntryView(entry: $0, view: view).html })
      <fieldset class=more><legend>New properties</legend>\(new.map { EntryView(entry: $0, view: view).html })\
      </fieldset>
      \(candidates)
      <div class=actions><button class=main\(visit.isReadOnly ? " disabled" : nil)>Create</button> \
      <a class=button href="\(type.isEmpty ? Link("/") : Fragments.records(type))">Cancel</a></div></form>
      \(Fragments.command(example, "Command, for example"))
      """
    }
  }

  static func save(_ visit: Visit) async throws -> Answer {
    let (type, id) = (visit.form.fields["type"], visit.form.fields["id"])
    var entries = Entry.all(in: visit.form)
    let (edits, isValid) = EditPage.collect(&entries, except: visit.form)
    let files = Uploads(visit, entries)
    func again(_ problem: String) async throws -> Answer {
      for k in entries.indices where entries[k].hasFile { entries[k].kept = files.key(entries[k].part) }
      return try await page(visit, type: type ?? "", id: id ?? "", entries, status: 422, problem: problem)
    }
    guard isValid else { return try await again("Some values are not valid; nothing was created") }
    let new = Record(type: type, id: id ?? RecordID.new())
    do {
      try await visit.database.assets.write(files.contents, label: "new record (studio)") { transaction, assets in
        var record = new
        edits.apply(to: &record, assets)
        try transaction.save(&record, check: .isNew)
      }
    } catch let error as SeaError where error.code == .stale || error.code == .exists {
      return try await again("A record with the id '\(new.id)' already exists; nothing was created")
    } catch let error as SeaError where [.badData, .refused, .usage].contains(error.code) {
      return try await again(error.message)
    }
    files.forget()
    let words = ["set", "--create"] + (type.map { ["-t", $0] } ?? []) + [new.id] + edits.flatMap(\.words)
    return visit.done(
      Fragments.record(new.id),
      Note(text: "Created.", command: CommandText(words: words), link: ("Undo", Link("/undo"))))
  }
}
