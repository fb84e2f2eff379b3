import SeaKit

/// The choices of a person for the conflicting properties of one record.
struct ConflictChoices: Sendable {
  enum Choice: Sendable, Equatable {
    case base
    /// The value of the conflicting revision with this id.
    case side(String)
    case value(Kind, String)
  }

  /// The choice for each path; a path without a choice is open.
  var choices: [String: Choice] = [:]
  /// The text in the field of a path, even if another value is chosen.
  var written: [String: (kind: Kind, text: String)] = [:]
  var problems: [String: String] = [:]

  init() {}

  init(_ form: Form) {
    for field in form.fields.all {
      guard field.name.hasPrefix("p"), let number = Int(field.name.dropFirst()) else { continue }
      let path = field.value
      let kind = form.fields["k\(number)"].flatMap(Kind.init(rawValue:)) ?? .text
      let text = Entry.lines(form.fields.text("v\(number)") ?? "")
      written[path] = (kind, text)
      switch form.fields["c\(number)"] {
      case "base"?: choices[path] = .base
      case "value"?: choices[path] = .value(kind, text)
      case let side? where side.hasPrefix("side:"): choices[path] = .side(String(side.dropFirst(5)))
      default: break
      }
    }
  }

  /// The paths to choose for. If the content of a side was purged, only the whole record can be chosen.
  static func paths(_ conflict: RecordConflict<Record>) -> [String] {
    conflict.merged == nil ? [""] : conflict.clashes.map(\.path)
  }

  /// Turns the names of records into their ids where a reference is written.
  mutating func complete(_ conflict: RecordConflict<Record>, _ transaction: ReadTransaction) throws {
    let sample = try TypeSample(of: conflict.type, with: conflict.merged, transaction)
    for clash in conflict.clashes {
      guard case .value(.reference, let text)? = choices[clash.path], !text.isEmpty else { continue }
      // A record that is missing here may be on another side.
      if (clash.values + [clash.base]).contains(where: { $0?.unlabeled == .reference(RecordReference(text)) }) {
        continue
      }
      do {
        let id = try sample.id(text, for: Field.names(of: clash.path), transaction)
        (choices[clash.path], written[clash.path]) = (.value(.reference, id), (.reference, id))
      } catch let error as WrongValue { problems[clash.path] = error.text }
    }
  }

  /// Chooses one side for all properties.
  mutating func take(_ side: String, _ conflict: RecordConflict<Record>) {
    for path in ConflictChoices.paths(conflict) { choices[path] = .side(side) }
  }

  /// The result of the choices.
  enum Outcome: Sendable {
    case record(Record)
    case deletion
  }

  /// - Returns: nil if a choice is missing or wrong; `problems` then says for which paths.
  mutating func outcome(_ conflict: RecordConflict<Record>) -> Outcome? {
    guard var record = conflict.merged else {
      // The content of a side was purged, so nothing can be merged.
      guard case .side(let side)? = choices[""],
        let version = conflict.versions.first(where: { $0.revision.description == side }), let content = version.content
      else { return nil }
      return .record(content)
    }
    var isDeletion = false
    for clash in conflict.clashes {
      if problems[clash.path] != nil { continue }
      guard let choice = choices[clash.path] else {
        problems[clash.path] = "choose a value"
        continue
      }
      if clash.path.isEmpty {
        if case .side(let side) = choice, let version = conflict.versions.first(where: { "\($0.revision)" == side }) {
          isDeletion = version.isDeleted
        } else {
          problems[""] = "choose a side"
        }
        continue
      }
      do { try apply(choice, clash, conflict, to: &record) } catch { problems[clash.path] = error.text }
    }
    if !problems.isEmpty { return nil }
    return isDeletion ? .deletion : .record(record)
  }

  private func apply(
    _ choice: Choice, _ clash: ConflictClash, _ conflict: RecordConflict<Record>, to record: inout Record
  ) throws(WrongValue) {
    let value: Value?
    switch choice {
    case .base: value = clash.base
    case .side(let side):
      guard let k = conflict.versions.firstIndex(where: { $0.revision.description == side }) else {
        throw WrongValue(text: "this side is no longer in conflict; choose again")
      }
      value = clash.values[k]
    case .value(let kind, let text): value = try Value(text, as: kind)
    }
    if clash.path == "/_type" {
      if case .string(let type)? = value?.unlabeled { record.type = type } else { record.type = nil }
    } else {
      record[path: clash.path] = value
    }
  }

  /// The command that does the same.
  func command(_ conflict: RecordConflict<Record>) -> CommandText {
    var words = ["resolve"]
    for path in ConflictChoices.paths(conflict) {
      let name = Field.title(Field.names(of: path))
      switch choices[path] {
      case .base?: words.append("--pick=\(path)=base")
      case .side(let side)?:
        let short = Revision(side).map { Fragments.short($0) } ?? side
        words.append(path.isEmpty ? "--take=\(short)" : "--pick=\(path)=\(short)")
      case .value(let kind, let text)?:
        guard let value = try? Value(text, as: kind) else { continue }
        words += Edit.set(Field.names(of: path), value).words.map { "--set=\($0)" }
      case nil: words.append(path.isEmpty ? "--take=REV" : "--pick=\(name)=CHOICE")
      }
    }
    return CommandText(words: words + [conflict.id])
  }
}
