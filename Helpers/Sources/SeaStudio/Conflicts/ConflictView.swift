import SeaKit

/// How the sides of a conflict look.
struct ConflictView {
  let conflict: RecordConflict<Record>
  let choices: ConflictChoices
  let titles: [String: String]
  var files = Files()

  private var versions: [ConflictVersion<Record>] { ordered.map(\.version) }
  private var ordered: [(number: Int, version: ConflictVersion<Record>)] { ConflictWords.sides(conflict) }

  /// The most values to choose from, the most whose differences are marked, and the most other properties.
  private static let (mostValues, mostMarked, mostMerged, mostChanges) = (2000, 100, 200, 30)
  private var values: Int { conflict.clashes.count * versions.count }
  var isLarge: Bool { values > ConflictView.mostValues }

  // MARK: - Who wrote what

  func sides(_ isReadOnly: Bool) -> HTML {
    let cards: [HTML] = ordered.enumerated().map { k, side in
      let version = side.version
      let state: HTML =
        version.isDeleted
        ? "<strong class=warn>deleted the record</strong>"
        : version.content == nil ? "<strong class=warn>content purged</strong>" : "changed it"
      let canTake = version.content != nil || (version.isDeleted && conflict.merged != nil)
      let take: HTML? =
        canTake
        ? """
        <button name=take value="\(value: version.revision.description)" formnovalidate\(isReadOnly ? " disabled" : nil)>Take this side\
        <span class=hidden> of \(ConflictWords.author(version))</span></button>
        """ : nil
      return """
        <li class="side side\(k % 6)"><p><span class=letter aria-hidden=true>\(letter(k))</span> <strong>\(Fragments.author(version.author))</strong> \(state) \
        \(version.time.map { Times.ago($0) })</p>\
        <p class=links>\(Fragments.revision(version.revision))\(side.number == 0 ? " <span class=tag title=\"The revision that all instances show until the conflict is resolved\">current winner</span>" : nil) \
        <a href="\(Link("/record", [("id", conflict.id), ("rev", version.revision.description)]))">Show</a></p>\(take)</li>
        """
    }
    let base: HTML =
      conflict.base.map {
        "Before, it was \(Fragments.revision($0.revision)), by \(Fragments.author($0.author)) \($0.time.map { Times.ago($0) })."
      } ?? "The sides have no common ancestor: each instance added the record."
    return
      "<section aria-labelledby=sides><h2 id=sides>Sides</h2><p class=quiet>\(base)</p><ul class=\"plain cards\">\(cards)</ul></section>"
  }

  private func letter(_ k: Int) -> String { String(UnicodeScalar(UInt8(65 + k % 26))) }

  // MARK: - What has to be chosen

  static let purged: HTML = """
    <p class=notice>The content of a side was purged, so the sides cannot be merged. Take one of the others as a whole.</p>
    """

  private static let large: HTML = """
    <p class=notice>Too many properties differ to choose each one here. Take one of the sides as a whole, or use the command \
    below.</p>
    """

  var properties: HTML {
    if isLarge { return ConflictView.large }
    let list: [HTML] = conflict.clashes.enumerated().map {
      $0.element.path.isEmpty ? whole($0.offset, $0.element) : property($0.offset, $0.element)
    }
    let count = conflict.clashes.count
    let title = count == 0 ? "Nothing has to be chosen" : "\(Amount.count(count, "choice"))"
    let note: HTML? =
      count == 0 ? "<p class=quiet>All changes can be merged.</p>" : nil
    return "<section aria-labelledby=choices><h2 id=choices>\(title)</h2>\(note)\(list)</section>"
  }

  private func problem(_ number: Int, _ path: String) -> HTML? {
    choices.problems[path].map { "<p class=problem id=\"problem\(number)\" role=alert>\($0.sentence)</p>" }
  }

  private func property(_ number: Int, _ clash: ConflictClash) -> HTML {
    let name = ConflictWords.name(clash.path)
    let base: HTML? =
      conflict.base == nil
      ? nil : option(number, clash, "base", "<strong>Before</strong>", value(clash.base, clash, nil, conflict.base))
    let first = ordered[0].number
    let sides: [HTML] = ordered.enumerated().filter { !$0.element.version.isDeleted }.map { k, side in
      let version = side.version
      let old = clash.base ?? (k > 0 && conflict.base == nil ? clash.values[first] : nil)
      let other = ordered.first { $0.number != side.number && !$0.version.isDeleted }?.number
      return option(
        number, clash, "side:\(version.revision)",
        "<span class=letter aria-hidden=true>\(letter(k))</span> <strong>\(Fragments.author(version.author))</strong> <span class=quiet>\(version.time.map { Times.ago($0) })</span>",
        value(clash.values[side.number], clash, old, version, other: other.flatMap { clash.values[$0] }), k)
    }
    return """
      <fieldset class=clash\(choices.problems[clash.path] == nil ? nil : " aria-describedby=\"problem\(number)\"")><legend><bdi>\(name)</bdi></legend>\
      <input type=hidden name="p\(number)" value="\(value: clash.path)">\(problem(number, clash.path))\
      <div class=options>\(sides)\(base)\(own(number, clash))</div></fieldset>
      """
  }

  private func option(
    _ number: Int, _ clash: ConflictClash, _ choice: String, _ title: HTML, _ content: HTML, _ k: Int? = nil
  ) -> HTML {
    let isChosen: Bool =
      switch choices.choices[clash.path] {
      case .base?: choice == "base"
      case .side(let side)?: choice == "side:\(side)"
      case .value?: choice == "value"
      case nil: false
      }
    let tone: HTML? = k.map { " side\($0 % 6)" }
    return """
      <div class="option\(tone)"><label><input type=radio name="c\(number)" value="\(value: choice)" required\(isChosen ? " checked" : nil)> \
      <span>\(title)</span></label><div class=what>\(content)</div></div>
      """
  }

  /// Another value than any of the sides.
  private func own(_ number: Int, _ clash: ConflictClash) -> HTML? {
    let first = ordered.compactMap { clash.values[$0.number] }.first ?? clash.base
    // Files, arrays and groups cannot be written as one text.
    guard first.map({ Kind.elements.contains(Kind($0)) }) ?? true else { return nil }
    let known = first.map { Kind($0) } ?? .text
    let kind = choices.written[clash.path]?.kind ?? (Kind.elements.contains(known) ? known : .text)
    let text = choices.written[clash.path]?.text ?? (Kind.elements.contains(known) ? first?.fieldText ?? "" : "")
    let rows = min(10, 1 + text.utf8.count / 60 + text.utf8.count { $0 == 0x0A })
    return option(
      number, clash, "value", "<strong>Another value</strong>",
      """
      <label><span class=hidden>Value of \(ConflictWords.name(clash.path))</span><textarea name="v\(number)" rows=\(rows) data-chooses="\(number)">
      \(value: text)</textarea></label> <label class=quiet>as \(EntryView.kinds("k\(number)", Kind.elements, kind))</label>
      """)
  }

  /// One side deleted the record.
  private func whole(_ number: Int, _ clash: ConflictClash) -> HTML {
    let options: [HTML] = versions.enumerated().map { k, version in
      let content: HTML =
        version.isDeleted
        ? "<p>Delete the record. Its history is kept.</p>"
        : "<p>Keep the record with these changes:</p>\(changes(of: version))"
      return option(
        number, clash, "side:\(version.revision)",
        "<span class=letter aria-hidden=true>\(letter(k))</span> <strong>\(version.isDeleted ? "Delete it" : "Keep it")</strong>, like \(Fragments.author(version.author))",
        content, k)
    }
    let live = versions.count { !$0.isDeleted }
    let note: HTML? =
      live > 1
      ? "<p class=quiet>If the record is kept, all changes are merged, and properties in conflict get the values of the winner.</p>"
      : nil
    return """
      <fieldset class=clash><legend>Keep or delete</legend><input type=hidden name="p\(number)" value="">\(problem(number, ""))\
      <div class=options>\(options)</div>\(note)</fieldset>
      """
  }

  private func changes(of version: ConflictVersion<Record>) -> HTML {
    guard let content = version.content else { return HTML() }
    let before = conflict.base?.content
    let view = ValueView(id: conflict.id, revision: version.revision, titles: titles)
    let names = Set(content.properties.keys).union(before.map { Set($0.properties.keys) } ?? [])
    let differing = names.filter { before?.properties[$0] != content.properties[$0] }
    let rows: [HTML] = differing.sorted(by: Field.order).prefix(ConflictView.mostChanges).map { name in
      let (old, new) = (before?.properties[name], content.properties[name])
      let was: HTML? = old.map { "<del>\(view.brief($0))</del> <span aria-hidden=true>→</span> " }
      return
        "<li><span class=name><bdi>\(name)</bdi></span> \(was)\(new.map { "<ins>\(view.brief($0))</ins>" as HTML } ?? "<span class=quiet>removed</span>")</li>"
    }
    let left = differing.count - rows.count
    let more: HTML? =
      left > 0 ? "<li class=quiet>and \(Amount.count(left, "more property", "more properties"))</li>" : nil
    return rows.isEmpty ? "<p class=quiet>No property differs.</p>" : "<ul class=changes>\(rows)\(more)</ul>"
  }

  /// A value of a side. Long texts are compared with the value before, short ones with another side.
  private func value(
    _ value: Value?, _ clash: ConflictClash, _ old: Value?, _ version: ConflictVersion<Record>?, other: Value? = nil
  ) -> HTML {
    guard let value else { return "<span class=quiet>\(old == nil ? "none" : "removed")</span>" }
    let view = ValueView(id: conflict.id, revision: version?.revision, titles: titles, files: files)
    guard case .string(let text) = value.unlabeled else { return view.full(value, Field.names(of: clash.path)) }
    if values <= ConflictView.mostMarked {
      if case .string(let before)? = old?.unlabeled, before != text,
        ConflictView.isLong(before) || ConflictView.isLong(text)
      {
        return "<div class=long><bdi>\(TextDifference(from: before, to: text).html)</bdi></div>"
      }
      if case .string(let other)? = other?.unlabeled, !ConflictView.isLong(text) {
        return "<bdi>\(TextDifference(from: other, to: text).newHTML)</bdi>"
      }
    }
    return view.full(value, [])
  }

  private static func isLong(_ text: String) -> Bool { text.utf8.count > 80 || text.contains("\n") }

  // MARK: - What merges by itself

  var merged: HTML? {
    guard let merged = conflict.merged, !conflict.clashes.contains(where: { $0.path.isEmpty }) else { return nil }
    let live = versions.compactMap(\.content)
    let clashing = Set(conflict.clashes.map(\.path))
    /// Whether a property, or one that contains it, has to be chosen.
    func isChosen(_ names: [String]) -> Bool {
      var path = ""
      return names.contains { name in
        path += Field.pointer([name])
        return clashing.contains(path)
      }
    }
    var pointers: [String: [String]] = [:]
    for record in live + [merged] {
      for field in Field.all(of: record.properties) { pointers[field.pointer] = field.names }
    }
    var rows: [HTML] = []
    for (pointer, names) in pointers.sorted(by: { $0.value.lexicographicallyPrecedes($1.value) }) {
      if rows.count == ConflictView.mostMerged { break }
      if isChosen(names) { continue }
      let values = live.map { $0[path: pointer] }
      let before = conflict.base?.content?[path: pointer]
      if values.allSatisfy({ $0 == values[0] }) && before == values[0] { continue }
      let view = ValueView(id: conflict.id, titles: titles)
      func shown(_ value: Value?) -> HTML { value.map { view.brief($0) } ?? "<span class=quiet>none</span>" }
      let cells: [HTML] = values.map { $0 == before ? "<td class=quiet>unchanged</td>" : "<td>\(shown($0))</td>" }
      let result = merged[path: pointer]
      rows.append(
        "<tr><th scope=row><bdi>\(Field.title(names))</bdi></th><td>\(shown(before))</td>\(cells)<td>\(result == nil ? "<span class=quiet>removed</span>" : "<strong>\(shown(result))</strong>" as HTML)</td></tr>"
      )
    }
    let cut: HTML? =
      rows.count == ConflictView.mostMerged ? "<p class=quiet>Only the first \(rows.count) are shown.</p>" : nil
    if rows.isEmpty { return nil }
    let heads: [HTML] = versions.filter { $0.content != nil }.map {
      "<th scope=col>\(Fragments.author($0.author))</th>"
    }
    return """
      <section aria-labelledby=merges><h2 id=merges>Merged without a choice</h2>\
      <div class=scroll role=region aria-label="What merges" tabindex=0><table class=sides>\
      <thead><tr><th scope=col>property</th><th scope=col>before</th>\(heads)<th scope=col>result</th></tr></thead><tbody>\(rows)</tbody></table></div>\(cut)</section>
      """
  }
}
