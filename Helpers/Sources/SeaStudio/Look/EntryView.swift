import SeaKit

/// The row of a form for one property.
struct EntryView {
  let entry: Entry
  let view: ValueView

  private var number: Int { entry.number }
  private var field: String { "v\(number)" }

  var html: HTML { entry.isFree ? entry.kind == .file ? newFile : new : existing }

  /// The view of a form, with the titles of all records to which its fields refer.
  static func view(_ record: Record, _ entries: [Entry], _ database: Database) async throws -> ValueView {
    let written = entries.filter { $0.kind == .reference }.map { Value.reference(RecordReference($0.text)) }
    let titles = try await database.read { try References.titles(in: record.properties.values + written, $0) }
    return ValueView(id: record.id, titles: titles)
  }

  /// All rows of a form: the properties that exist, then new ones.
  static func rows(_ entries: [Entry], _ view: ValueView) -> HTML {
    func rows(_ isShown: (Entry) -> Bool) -> [HTML] {
      entries.filter(isShown).map { EntryView(entry: $0, view: view).html }
    }
    return """
      \(rows { !$0.isFree })
      <fieldset class=more id=attach data-another="Another file"><legend>Attach a photo or file</legend>\
      \(rows { $0.isFree && $0.kind == .file })</fieldset>
      <fieldset class=more data-another="Another property"><legend>New properties</legend>\
      \(rows { $0.isFree && $0.kind != .file })</fieldset>
      """
  }

  private var problem: HTML? {
    entry.problem.map { "<p class=problem id=\"problem\(number)\" role=alert>\($0.sentence)</p>" }
  }

  private var invalid: HTML? {
    entry.problem == nil ? nil : " aria-invalid=true aria-describedby=\"problem\(number)\""
  }

  private var existing: HTML {
    let title = Field.title(entry.names)
    let isText = ![.set, .counter, .file, .data, .list, .group, .null].contains(entry.kind) || entry.isNew
    let label: HTML =
      isText
      ? "<label for=\"\(value: field)\"><bdi>\(title)</bdi></label>"
      : "<span class=label id=\"label\(number)\"><bdi>\(title)</bdi></span>"
    let kind = entry.value?.label.map { "\(entry.kind.rawValue), \($0)" } ?? entry.kind.rawValue
    let remove: HTML? =
      entry.isNew
      ? nil
      : """
      <label class=remove><input type=checkbox name="r\(number)" value=1\(entry.isRemoved ? " checked" : nil)> \
      Remove<span class=hidden> \(title)</span></label>
      """
    let marks: HTML? =
      Visible.hasHidden(entry.text)
      ? "<p class=warn>Contains invisible characters: <bdi>\(entry.text.cut(200))</bdi></p>" : nil
    return """
      <div class=entry>\
      <input type=hidden name="p\(number)" value="\(value: Field.pointer(entry.names))">\
      \(entry.isNew ? "<input type=hidden name=\"new\(number)\" value=1>" : nil)\
      <input type=hidden name="k\(number)" value="\(value: entry.kind.rawValue)">\
      <input type=hidden name="o\(number)" value="\(value: entry.original)">\
      <div class=about>\(label)<span class=kind><bdi>\(kind)</bdi></span></div>\
      <div class=input>\(control)\(marks)\(problem)</div>\(remove)</div>
      """
  }

  private var control: HTML {
    switch entry.kind {
    case _ where entry.isLong: return "<div class=long>\(entry.value.map { view.full($0, entry.names) })</div>"
    case .boolean:
      let (yes, no): (HTML?, HTML?) = (entry.text == "yes" ? " selected" : nil, entry.text == "no" ? " selected" : nil)
      let empty: HTML? = entry.isNew ? "<option value=\"\"></option>" : nil
      return
        """
        <select id="\(value: field)" name="\(value: field)"\(invalid)>\(empty)<option\(yes)>yes</option>\
        <option\(no)>no</option></select>
        """
    case .day: return input("type=date")
    case .date: return "<span class=with>\(input("type=datetime-local step=0.001")) <span class=quiet>UTC</span></span>"
    case .number, .decimal: return input("inputmode=decimal autocomplete=off class=short")
    case .reference where !entry.choices.isEmpty:
      let options: [HTML] = entry.choices.map { "<option value=\"\(value: $0.id)\">\(label: $0.title)</option>" }
      return
        "<select id=\"\(value: field)\" name=\"\(value: field)\" required\(invalid)><option value=\"\"></option>\(options)</select>"
    case .reference:
      // The field contains the id. Show the title of the record, too.
      let isKnown = !entry.text.isEmpty && entry.problem == nil
      let now: HTML? =
        isKnown ? "<div class=now>\(view.cell(.reference(RecordReference(entry.text)), entry.names))</div>" : nil
      return "\(input("list=records autocomplete=off placeholder=\"name or id of a record\""))\(now)"
    case .counter where entry.isNew: return input("inputmode=numeric autocomplete=off class=short")
    case .counter:
      return """
        <span class=with><output>\(entry.text)</output> <label>change by \
        <input type=number step=1 name="c\(number)" value="\(value: entry.delta)" class=short data-counter\(invalid)>\
        </label></span>
        """
    case .set where entry.isNew: return area(rows: 3, hint: "one element per line")
    case .set: return set
    case .file:
      let now: HTML? = entry.value.map { "<div class=now>\(view.cell($0, entry.names))</div>" }
      let id: HTML? = entry.isNew ? " id=\"\(value: field)\"" : nil
      return
        """
        \(now)\(kept)<label class=drop>\(entry.isNew ? "File" : "Replace by") \
        <input type=file name="f\(number)"\(id)></label>
        """
    case .data, .list, .group, .null:
      return "<span class=quiet>\(entry.value.map { view.full($0, entry.names) } ?? "")</span>"
    default:
      return entry.text.utf8.count > 60 || entry.text.contains("\n")
        ? area(rows: min(12, 3 + entry.text.utf8.count / 90)) : input("")
    }
  }

  private func input(_ attributes: HTML) -> HTML {
    "<input \(attributes) id=\"\(value: field)\" name=\"\(value: field)\" value=\"\(value: entry.text)\"\(invalid)>"
  }

  private func area(rows: Int, hint: String? = nil) -> HTML {
    // A line feed after the tag is not part of the text.
    """
    <textarea id="\(value: field)" name="\(value: field)" rows=\(rows)\
    \(hint.map { " placeholder=\"\(label: $0)\"" as HTML })\(invalid)>
    \(value: entry.text)</textarea>
    """
  }

  private var kept: HTML? {
    entry.kept.map {
      """
      <p class="quiet kept"><input type=hidden name="kept\(number)" value="\(value: $0)">The chosen file is kept.</p>
      """
    }
  }

  private var set: HTML {
    let boxes: [HTML] = entry.elements.map { element in
      let text =
        element.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).last.map(String.init) ?? ""
      return """
        <input type=hidden name="x\(number)" value="\(value: element)"><label class=tag>\
        <input type=checkbox name="d\(number)" \
        value="\(value: element)"\(entry.dropped.contains(element) ? " checked" : nil)> remove <bdi>\(text.cut(80))\
        </bdi></label>
        """
    }
    return """
      <fieldset class=elements aria-labelledby="label\(number)"><div class=tags>\(boxes)</div>\
      <span class=with><label>add <textarea name="a\(number)" rows=1 placeholder="one element per line"\(invalid)>
      \(value: entry.added)</textarea></label> \
      <label>as \(EntryView.kinds("e\(number)", Kind.elements, entry.addedKind))</label></span></fieldset>
      """
  }

  private func name(_ hint: String) -> HTML {
    """
    <label>Name <input name="n\(number)" value="\(value: Field.title(entry.names))" placeholder="\(label: hint)" \
    autocomplete=off autocapitalize=none></label>
    """
  }

  private var new: HTML {
    """
    <div class="entry new"><div class=about>\(name(""))\
    <label>Kind \(EntryView.kinds("k\(number)", Kind.new, entry.kind))</label></div>\
    <div class=input><label>Value <textarea name="v\(number)" rows=1\(invalid)>
    \(value: entry.text)</textarea></label>\(problem)</div></div>
    """
  }

  private var newFile: HTML {
    """
    <div class="entry new"><div class=about>\(name("photo"))\
    <input type=hidden name="k\(number)" value="\(value: Kind.file.rawValue)"></div>\
    <div class=input>\(kept)<label class=drop>File <input type=file name="f\(number)"\(invalid)></label>\(problem)</div></div>
    """
  }

  static func kinds(_ name: String, _ all: [Kind], _ chosen: Kind) -> HTML {
    let options: [HTML] = all.map {
      """
      <option value="\(value: $0.rawValue)"\($0 == chosen ? " selected" : nil) title="\(label: $0.explanation)">\
      \($0.rawValue)</option>
      """
    }
    return "<select name=\"\(value: name)\">\(options)</select>"
  }
}
