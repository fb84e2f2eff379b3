import SeaKit

/// One row of the form that changes a record: a property that exists, or a new one.
struct Entry: Sendable {
  /// The number of the row, which ends the names of its fields.
  let number: Int
  /// The path of the property; empty for a new property without a name.
  var names: [String]
  var isNew = false
  /// Whether a person writes the name and the kind.
  var isFree = false
  var kind: Kind
  /// The content of the field now, and when the form was made.
  var text = ""
  var original = ""
  var isRemoved = false
  /// The elements of a set, and those that are to be removed or added, as `kind:text`.
  var elements: [String] = []
  var dropped: [String] = []
  var added = ""
  var addedKind = Kind.text
  /// The number to add to a counter.
  var delta = ""
  /// The value of an existing property, to show it.
  var value: Value?
  var problem: String?
  /// The records to choose from, if the text is the name of several ones.
  var choices: [WrongValue.Choice] = []
  /// The key of a file that was sent before and is kept.
  var kept: String?
  var hasFile = false

  /// - Parameter field: a property that exists.
  init(_ number: Int, _ field: Field) {
    (self.number, names, kind, value) = (number, field.names, field.kind, field.value)
    text = isLong ? "" : Entry.fieldText(field.value)
    original = text
    if case .set(let all) = field.value.unlabeled {
      elements = all.map(Entry.element).sorted()
      addedKind = all.first.map { Kind($0) } ?? .text
    }
  }

  /// Whether the text is too long for a field, so that it cannot be changed there.
  var isLong: Bool {
    guard case .string(let text)? = value?.unlabeled else { return false }
    return text.utf8.count > ValueView.most || Visible.isHeavy(text)
  }

  /// A new property.
  init(_ number: Int, names: [String] = [], _ kind: Kind = .text) {
    (self.number, self.names, self.kind) = (number, names, kind)
    (isNew, isFree) = (true, names.isEmpty)
  }

  /// Rows for new properties: two for values, and one for a file.
  static func blank(from number: Int) -> [Entry] { [Entry(number), Entry(number + 1), Entry(number + 2, .file)] }

  /// The rows of a form that was sent.
  static func all(in form: Form) -> [Entry] {
    let numbers = Set(
      form.fields.all.compactMap { field -> Int? in
        guard let first = field.name.first, first == "p" || first == "n" else { return nil }
        return Int(field.name.dropFirst())
      })
    return numbers.sorted().compactMap { Entry($0, in: form) }
  }

  private init?(_ number: Int, in form: Form) {
    self.number = number
    func field(_ name: String) -> String { Entry.lines(form.fields.text("\(name)\(number)") ?? "") }
    kind = Kind(rawValue: field("k")) ?? .text
    if let pointer = form.fields.text("p\(number)") {
      names = Field.names(of: pointer)
      isNew = form.fields.text("new\(number)") != nil
    } else {
      let name = field("n")
      names =
        name.hasPrefix("/") ? Field.names(of: name) : name.isEmpty ? [] : name.split(separator: ".").map(String.init)
      (isNew, isFree) = (true, true)
    }
    (text, original, delta, added) = (field("v"), field("o"), field("c"), field("a"))
    addedKind = Kind(rawValue: field("e")) ?? .text
    isRemoved = form.fields.text("r\(number)") != nil
    dropped = form.fields.values("d\(number)")
    elements = form.fields.values("x\(number)")
    kept = form.fields["kept\(number)"]
    hasFile = form.files["f\(number)"] != nil || kept != nil
    if hasFile { kind = .file }
  }

  /// Line ends as records have them; forms send them as CR LF.
  static func lines(_ text: String) -> String {
    guard text.utf8.contains(0x0D) else { return text }
    // CR LF is one character in Swift.
    return String(text.map { $0 == "\r\n" || $0 == "\r" ? "\n" : $0 })
  }

  /// A date as the fields of browsers have it: without a time zone, which is UTC.
  private static func fieldText(_ value: Value) -> String {
    guard case .date(let time) = value.unlabeled else { return lines(value.fieldText) }
    return String(time.description.dropLast())
  }

  /// An element of a set, as the value of a field.
  static func element(_ value: Value) -> String { "\(Kind(value).rawValue):\(value.fieldText)" }

  static func element(_ text: String) -> Value? {
    guard let colon = text.firstIndex(of: ":"), let kind = Kind(rawValue: String(text[..<colon])) else { return nil }
    return try? Value(String(text[text.index(after: colon)...]), as: kind)
  }

  /// The part that contains the file of this row.
  var part: String { "f\(number)" }

  /// Completes a row that was sent. A file without a name gets one, a text gets the kind that the property has
  /// elsewhere, and the name of a record becomes its id.
  mutating func complete(
    _ sample: TypeSample, _ file: Upload?, taken: Set<String>, _ transaction: ReadTransaction
  ) throws {
    if hasFile && file == nil {
      (kept, problem) = (nil, "choose the file again")
    } else if let file, names.isEmpty {
      let name = Picture.type(of: file.beginning) == nil ? "file" : "photo"
      names = [(1...).lazy.map { $0 == 1 ? name : "\(name)\($0)" }.first { !taken.contains($0) }!]
    }
    if isFree, kind == .text, !text.isEmpty { kind = sample.kind(ofText: names) }
    if isRemoved { return }
    do {
      if kind == .reference, text != original, !text.isEmpty { text = try sample.id(text, for: names, transaction) }
      if kind == .set, addedKind == .reference, !added.isEmpty {
        let lines = added.split(separator: "\n")
        added = try lines.map { try sample.id(String($0), for: names, transaction) }.joined(separator: "\n")
      }
    } catch let error as WrongValue {
      if kind == .reference, !isFree { choices = error.choices }
      let ids = error.choices.prefix(3).map(\.id).joined(separator: ", ") + (error.choices.count > 3 ? ", …" : "")
      let advice = error.choices.isEmpty ? "" : choices.isEmpty ? "; write the id of one: \(ids)" : "; choose one"
      problem = error.text + advice
    }
  }

  /// Returns the changes of the row; none if the row is unchanged.
  func edits() throws(WrongValue) -> [Edit] {
    let isEmpty = text.isEmpty && added.isEmpty && delta.isEmpty && !hasFile
    if names.isEmpty {
      if isEmpty { return [] }
      throw WrongValue(text: "the name of the property is missing")
    }
    if names.contains(where: \.isEmpty) { throw WrongValue(text: "a part of the name is empty") }
    if isRemoved { return isNew ? [] : [.remove(names)] }
    if hasFile { return [.file(names, part: part)] }
    switch kind {
    case .counter:
      if isNew { return text.isEmpty ? [] : [.set(names, try Value(text, as: .counter))] }
      if delta.isEmpty { return [] }
      guard case .counter(let number) = try Value(delta, as: .counter), number != 0 else { return [] }
      return [.count(names, number)]
    case .set:
      var edits: [Edit] = []
      let gone = dropped.compactMap { Entry.element($0) }
      if !gone.isEmpty { edits.append(.drop(names, gone)) }
      var new: [Value] = []
      for line in (isNew ? text : added).split(separator: "\n") {
        new.append(try Value(String(line), as: isNew ? .text : addedKind))
      }
      if isNew { return new.isEmpty ? [] : [.set(names, .set(new))] }
      if !new.isEmpty { edits.append(.insert(names, new)) }
      return edits
    case .file where isFree: throw WrongValue(text: "choose a file")
    case .file, .data, .list, .group, .null: return []
    case .text: return text == original && !(isNew && !text.isEmpty) ? [] : [.set(names, .string(text))]
    default:
      if text == original && !isNew { return [] }
      // An empty field has no value of these kinds.
      if text.isEmpty { return isNew ? [] : [.remove(names)] }
      let new = try read(text)
      // Browsers write dates in another form.
      if !isNew, let old = try? read(original), old == new { return [] }
      return [.set(names, new)]
    }
  }

  private func read(_ text: String) throws(WrongValue) -> Value {
    try Value(kind == .date ? Entry.zoned(text) : text, as: kind)
  }

  /// A date without a time zone is in UTC.
  private static func zoned(_ text: String) -> String {
    guard let time = text.lastIndex(of: "T") else { return text }
    let clock = text[text.index(after: time)...]
    if clock.contains("Z") || clock.contains("+") || clock.contains("-") { return text }
    return clock.count == 5 ? text + ":00Z" : text + "Z"
  }
}
