import SeaKit

/// One conflict, property by property: the values of the sides, a choice for each property, and a preview of the
/// result.
enum ConflictPage {
  static func show(_ visit: Visit) async throws -> Answer {
    let id = try visit.needed("id")
    let position = try await visit.database.position()
    guard let conflict = try await visit.database.conflicts.find(id) else { return try await ended(visit, id) }
    return try await page(visit, conflict, ConflictChoices(), position)
  }

  private static func ended(_ visit: Visit, _ id: String) async throws -> Answer {
    guard visit.request.method == "POST" else { return .redirect(Fragments.record(id)) }
    return try await visit.page("No longer in conflict", status: 409) {
      """
      <h1>No longer in conflict</h1><p>Somebody has resolved the conflict of <bdi>\(id)</bdi> in the meantime. Nothing of \
      yours was stored.</p>
      <p><a class="button main" href="\(Fragments.record(id))">Show the record</a> \
      <a class=button href="/conflicts">Other conflicts</a></p>
      """
    }
  }

  static func change(_ visit: Visit) async throws -> Answer {
    let id = try visit.needed("id")
    guard let conflict = try await visit.database.conflicts.find(id) else { return try await ended(visit, id) }
    var choices = ConflictChoices(visit.form)
    guard visit.form.fields["leaves"] == ConflictWords.leaves(conflict) else {
      return try await page(
        visit, conflict, choices, status: 409,
        problem: "The conflict has changed in the meantime. Nothing was stored. Look at the sides again")
    }
    if let side = visit.form.fields["take"] { choices.take(side, conflict) }
    if visit.form.fields["do"] == "edit" { return try await page(visit, conflict, choices) }
    let written = choices
    choices = try await visit.database.read { transaction in
      var choices = written
      try choices.complete(conflict, transaction)
      return choices
    }
    guard let outcome = choices.outcome(conflict) else {
      return try await page(
        visit, conflict, choices, status: 422, problem: "Some choices are missing or not valid. Nothing was stored")
    }
    guard visit.form.fields["do"] == "resolve" else { return try await preview(visit, conflict, choices, outcome) }
    do {
      switch outcome {
      case .deletion: try await visit.database.conflicts.resolve(conflict, with: nil)
      case .record(let record): try await visit.database.conflicts.resolve(conflict, with: record)
      }
    } catch let error as SeaError where error.code == .stale {
      guard let now = try await visit.database.conflicts.find(id) else { return try await ended(visit, id) }
      return try await page(
        visit, now, choices, status: 409,
        problem: "The conflict has changed in the meantime. Nothing was stored. Look at the sides again")
    } catch let error as SeaError where [.badData, .refused, .usage].contains(error.code) {
      return try await page(visit, conflict, choices, status: 422, problem: error.message)
    }
    let left = try await visit.database.conflicts.count()
    let rest = left == 0 ? "No conflict is left." : "\(Amount.count(left, "conflict")) left."
    let title: String? = if case .record(let record) = outcome { Title.of(record) } else { nil }
    return visit.done(
      left == 0 ? Fragments.record(id) : Link("/conflicts"),
      Note(
        text: "Resolved \(title ?? ConflictWords.title(conflict)). \(rest)", command: choices.command(conflict),
        link: ("Undo", Link("/undo"))))
  }

  // MARK: - The choices

  private static func page(
    _ visit: Visit, _ conflict: RecordConflict<Record>, _ choices: ConflictChoices, _ position: Position? = nil,
    status: Int = 200, problem: String? = nil
  ) async throws -> Answer {
    let title = ConflictWords.title(conflict)
    let records = conflict.versions.compactMap(\.content) + [conflict.base?.content].compactMap { $0 }
    let titles = try await visit.database.read { try References.titles(of: records, $0) }
    let files = try await Files(in: conflict.clashes.flatMap { $0.values + [$0.base] }, visit.database)
    let view = ConflictView(conflict: conflict, choices: choices, titles: titles, files: files)
    let isMergeable = conflict.merged != nil
    return try await visit.page("Conflict of \(title.cut(50))", status: status, at: position) {
      """
      <nav class=crumbs aria-label="Path"><a href="/conflicts">Conflicts</a> <span aria-hidden=true>›</span> \
      <a href="\(Fragments.record(conflict.id))"><bdi>\(title)</bdi></a></nav>
      <div class=head><h1>Conflict of <bdi>\(title)</bdi></h1></div>
      <p class=meta><span class=id><bdi>\(conflict.id)</bdi></span> \(ConflictWords.kind(conflict))\
      \(conflict.waiting > 0 ? ", and \(Amount.count(conflict.waiting, "more revision")) after these are resolved" : nil)</p>
      \(problem.map { "<p class=problem role=alert>\($0.sentence)</p>" as HTML })
      <form class=conflict method=post action="/conflict">\(visit.token)<input type=hidden name=id value="\(value: conflict.id)">\
      <input type=hidden name=leaves value="\(value: ConflictWords.leaves(conflict))">
      \(view.sides(visit.isReadOnly))
      \(isMergeable ? view.properties : ConflictView.purged)
      \(isMergeable && !view.isLarge ? "<div class=actions><button class=main\(visit.isReadOnly ? " disabled" : nil)>Show the result</button> <span class=quiet>Nothing is stored yet.</span></div>" as HTML? : nil)
      </form>
      \(view.merged)
      \(Fragments.command(CommandText("conflicts", conflict.id), "Compare"))
      \(Fragments.command(choices.command(conflict), "Resolve"))
      """
    }
  }

  // MARK: - The result before it is stored

  private static func preview(
    _ visit: Visit, _ conflict: RecordConflict<Record>, _ choices: ConflictChoices, _ outcome: ConflictChoices.Outcome
  ) async throws -> Answer {
    let title = ConflictWords.title(conflict)
    var hidden: [(String, String)] = [("id", conflict.id), ("leaves", ConflictWords.leaves(conflict))]
    for (k, path) in ConflictChoices.paths(conflict).enumerated() {
      hidden.append(("p\(k)", path))
      if let written = choices.written[path] {
        hidden += [("k\(k)", written.kind.rawValue), ("v\(k)", written.text)]
      }
      switch choices.choices[path] {
      case .base?: hidden.append(("c\(k)", "base"))
      case .side(let side)?: hidden.append(("c\(k)", "side:\(side)"))
      case .value?: hidden.append(("c\(k)", "value"))
      case nil: break
      }
    }
    let before = conflict.versions[0].content
    let after: Record? = if case .record(let record) = outcome { record } else { nil }
    let titles = try await visit.database.read {
      try References.titles(of: [before, after].compactMap { $0 }, $0)
    }
    let fields: [HTML] = hidden.map { "<input type=hidden name=\"\(value: $0.0)\" value=\"\(value: $0.1)\">" }
    return try await visit.page("Result for \(title.cut(50))") {
      """
      <nav class=crumbs aria-label="Path"><a href="/conflicts">Conflicts</a> <span aria-hidden=true>›</span> \
      <a href="\(ConflictWords.link(conflict.id))"><bdi>\(title)</bdi></a></nav>
      <h1>Resolve the conflict of <bdi>\(title)</bdi>?</h1>
      \(result(conflict, before, after, choices, titles))
      <form class="confirm actions" method=post action="/conflict">\(visit.token)\(fields)\
      <button class=main name=do value=resolve\(visit.isReadOnly ? " disabled" : nil)>Resolve</button> \
      <button name=do value=edit>Change the choices</button> <a class=button href="/conflicts">Cancel</a></form>
      \(Fragments.command(choices.command(conflict)))
      """
    }
  }

  private static func result(
    _ conflict: RecordConflict<Record>, _ winner: Record?, _ record: Record?, _ choices: ConflictChoices,
    _ titles: [String: String]
  ) -> HTML {
    guard let record else {
      return
        "<p>The record will be <strong>deleted</strong> on all instances. Its history is kept, so you can bring it back.</p>"
    }
    let clashing = Set(conflict.clashes.map(\.path))
    let view = ValueView(id: record.id, titles: titles)
    func shown(_ value: Value?) -> HTML { value.map { view.brief($0) } ?? "<span class=quiet>none</span>" }
    let fields = Field.all(of: record.properties)
    let old =
      winner.map { Dictionary(Field.all(of: $0.properties).map { ($0.pointer, $0.value) }) { a, _ in a } } ?? [:]
    let known = Set(fields.map(\.pointer))
    var rows: [HTML] = []
    if clashing.contains("/_type") || winner?.type != record.type {
      rows.append(
        "<tr class=changed><th scope=row>type</th><td><bdi>\(winner?.type ?? "none")</bdi></td><td><bdi>\(record.type ?? "none")</bdi>\(how("/_type", conflict, choices))</td></tr>"
      )
    }
    for field in fields {
      let isChanged = old[field.pointer] != field.value
      rows.append(
        """
        <tr\(isChanged ? " class=changed" : nil)><th scope=row><bdi>\(field.title)</bdi></th><td>\(shown(old[field.pointer]))</td>\
        <td>\(isChanged ? view.changed(from: old[field.pointer], to: field.value) : shown(field.value))\(how(field.pointer, conflict, choices))</td></tr>
        """)
    }
    for (pointer, value) in old.sorted(by: { $0.key < $1.key }) where !known.contains(pointer) {
      rows.append(
        """
        <tr class=changed><th scope=row><bdi>\(ConflictWords.name(pointer))</bdi></th><td><del>\(shown(value))</del></td>\
        <td><span class=quiet>removed</span>\(how(pointer, conflict, choices))</td></tr>
        """)
    }
    return """
      <p>A new revision replaces the \(conflict.versions.count) revisions in conflict, here and on all other instances after a \
      sync. The history keeps them, so you can undo this.</p>
      <div class=scroll role=region aria-label="The record after that" tabindex=0><table class=sides><caption>The record after that</caption>\
      <thead><tr><th scope=col>property</th><th scope=col>now (winner)</th><th scope=col>after that</th></tr></thead>\
      <tbody>\(rows)</tbody></table></div>
      """
  }

  /// Where a value of the result comes from; nil if all sides have it.
  private static func how(_ pointer: String, _ conflict: RecordConflict<Record>, _ choices: ConflictChoices) -> HTML? {
    let clash = conflict.clashes.first { pointer == $0.path || pointer.hasPrefix($0.path + "/") && !$0.path.isEmpty }
    guard let clash, let choice = choices.choices[clash.path] else {
      let values = conflict.versions.compactMap(\.content).map { $0[path: pointer] }
      return values.allSatisfy { $0 == values.first! } ? nil : "<div class=from>merged</div>"
    }
    switch choice {
    case .base: return "<div class=from>as before</div>"
    case .value: return "<div class=from>written by you</div>"
    case .side(let side):
      return conflict.versions.first { $0.revision.description == side }.map {
        "<div class=from>from \(Fragments.author($0.author))</div>"
      }
    }
  }
}

extension ValueView {
  /// A value that replaces another one; in long texts, what differs is marked.
  func changed(from old: Value?, to new: Value?) -> HTML {
    guard let new else { return "<span class=quiet>removed</span>" }
    if case .string(let new) = new.unlabeled, case .string(let old)? = old?.unlabeled, old.utf8.count > 80,
      new.utf8.count > 80
    {
      return "<bdi>\(TextDifference(from: old, to: new).html)</bdi>"
    }
    return "<ins>\(brief(new))</ins>"
  }

  /// A value in a list of changes.
  func brief(_ value: Value) -> HTML {
    switch value.unlabeled {
    case .string(let text): "<bdi>\(text.cut(300))</bdi>"
    case .asset(let asset): "\(asset.mimeType), \(Amount.size(asset.size))"
    case .bool, .date, .day, .data, .null: cell(value, [])
    case .reference(let reference): "<bdi>\((titles[reference.id] ?? reference.id).cut(300))</bdi>"
    default: "<bdi>\(value.fieldText.cut(300))</bdi>"
    }
  }
}
