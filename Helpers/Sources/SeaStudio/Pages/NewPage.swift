import SeaKit

/// Creates a record. The form has the properties of other records of the type.
enum NewPage {
  static func show(_ visit: Visit) async throws -> Answer {
    guard let type = visit.query["type"] else { return try await types(visit) }
    let entries = try await visit.database.read { try TypeSample(of: type, $0).entries }
    return try await page(visit, type: type, id: "", entries)
  }

  /// Asks for the type, on which the form depends.
  private static func types(_ visit: Visit) async throws -> Answer {
    let types = try await visit.database.types().filter { $0.count > 0 }.compactMap(\.name)
    let known: [HTML] = types.map { "<a class=button href=\"\(Link("/new", [("type", $0)]))\"><bdi>\($0)</bdi></a>" }
    return try await visit.page("New record") {
      """
      <nav class=crumbs aria-label="Path"><a href="/">Records</a></nav>
      <h1>New record</h1>
      <p>Choose its type. The form then has the properties of this type.</p>
      <div class=actions>\(known)</div>
      <form class=actions method=get action="/new"><label>\(known.isEmpty ? "Type" : "Another type") \
      <input name=type required autocapitalize=none autocomplete=off></label> <button>Continue</button></form>
      """
    }
  }

  private static func page(
    _ visit: Visit, type: String, id: String, _ entries: [Entry], status: Int = 200, problem: String? = nil
  ) async throws -> Answer {
    let view = try await EntryView.view(Record(type: type, id: id), entries, visit.database)
    var rows = entries
    let next = (entries.map(\.number).max() ?? -1) + 1
    if !entries.contains(where: { $0.names.isEmpty }) { rows += Entry.blank(from: next) }
    let sample = try await visit.database.read { try TypeSample(of: type, $0) }
    let candidates = try await Candidates.html(sample, visit.studio)
    return try await visit.page("New record", status: status) {
      """
      <nav class=crumbs aria-label="Path"><a href="/">Records</a> <span aria-hidden=true>›</span> \
      <a href="\(Fragments.records(type))"><bdi>\(type)</bdi></a></nav>
      <h1>New <bdi>\(type)</bdi></h1>
      \(problem.map { "<p class=problem role=alert>\($0.sentence)</p>" as HTML })
      <form class=edit method=post action="/new" enctype="multipart/form-data">\(visit.token)\
      <input type=hidden name=type value="\(value: type)">
      <div class=entry><div class=about><label for=id>id</label></div><div class=input>\
      <input id=id name=id value="\(value: id)" placeholder="a new random id" autocapitalize=none></div></div>
      \(EntryView.rows(rows, view))
      \(candidates)
      <div class=actions><button class=main\(visit.isReadOnly ? " disabled" : nil)>Create</button> \
      <a class=button href="\(Fragments.records(type))">Cancel</a></div></form>
      \(Fragments.command(CommandText("set", "--new", "-t", type, "NAME=TEXT"), "Command, for example"))
      """
    }
  }

  static func save(_ visit: Visit) async throws -> Answer {
    let (type, id) = (try visit.needed("type"), visit.form.fields["id"])
    let new = Record(type: type, id: id ?? RecordID.new())
    var entries = Entry.all(in: visit.form)
    let files = Uploads(visit, entries)
    entries = try await EditPage.complete(entries, files, new, visit.database)
    let (edits, isValid) = EditPage.collect(&entries, except: visit.form)
    func again(_ problem: String) async throws -> Answer {
      for k in entries.indices where entries[k].hasFile { entries[k].kept = files.key(entries[k].part) }
      return try await page(visit, type: type, id: id ?? "", entries, status: 422, problem: problem)
    }
    guard isValid else { return try await again("nothing was created; \(EditPage.wrong(entries))") }
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
    let words = ["set", "--create", "-t", type, new.id] + edits.flatMap(\.words)
    return visit.done(
      Fragments.record(new.id),
      Note(text: "Created.", command: CommandText(words: words), link: ("Undo", Link("/undo"))))
  }
}
