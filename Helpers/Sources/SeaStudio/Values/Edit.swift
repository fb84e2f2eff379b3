import SeaKit

/// One change to a record that a person has entered.
enum Edit: Sendable {
  case set([String], Value)
  case remove([String])
  case count([String], Int128)
  case insert([String], [Value])
  case drop([String], [Value])
  /// A file that was sent as the part with this name.
  case file([String], part: String)

  var names: [String] {
    switch self {
    case .set(let names, _), .remove(let names), .count(let names, _), .insert(let names, _), .drop(let names, _),
      .file(let names, _):
      names
    }
  }

  /// - Parameter assets: the files, by the names of their parts.
  func apply(to record: inout Record, _ assets: [String: Asset]) {
    switch self {
    case .set(let names, let value): record[path: Field.pointer(names)] = value
    case .remove(let names): record[path: Field.pointer(names)] = nil
    case .file(let names, let part): if let asset = assets[part] { record[path: Field.pointer(names)] = .asset(asset) }
    case .count(let names, let delta):
      if names.count == 1 { return record.add(delta, to: names[0]) }
      var sum = delta
      if case .counter(let known)? = record[path: Field.pointer(names)]?.unlabeled { sum += known }
      record[path: Field.pointer(names)] = .counter(sum)
    case .insert(let names, let elements):
      if names.count == 1 { return elements.forEach { record.insert($0, into: names[0]) } }
      var all = self.elements(of: record)
      for one in elements where !all.contains(one) { all.append(one) }
      record[path: Field.pointer(names)] = .set(all)
    case .drop(let names, let elements):
      if names.count == 1 { return elements.forEach { record.remove($0, from: names[0]) } }
      record[path: Field.pointer(names)] = .set(self.elements(of: record).filter { !elements.contains($0) })
    }
  }

  private func elements(of record: Record) -> [Value] {
    if case .set(let all)? = record[path: Field.pointer(names)]?.unlabeled { all } else { [] }
  }

  /// The words of `sea set` that do the same.
  var words: [String] {
    let key = Field.title(names)
    switch self {
    case .remove: return ["--unset=\(key)"]
    case .set(_, let value):
      let kind = Kind(value)
      if let type = kind.typeWord { return ["\(key):\(type)=\(value.fieldText)"] }
      switch value.unlabeled {
      case .bool(let value): return ["\(key):=\(value)"]
      case .integer, .bigInteger, .double: return ["\(key):=\(value.fieldText)"]
      default: return ["\(key)=\(value.fieldText)"]
      }
    case .count(_, let delta): return ["\(key):counter\(delta < 0 ? "-=" : "+=")\(delta.magnitude)"]
    case .insert(_, let elements): return elements.map { "\(key):set+=\(Edit.json($0))" }
    case .drop(_, let elements): return elements.map { "\(key):set-=\(Edit.json($0))" }
    case .file: return ["\(key):asset@FILE"]
    }
  }

  private static func json(_ value: Value) -> String { value.fieldText }
}

extension [Edit] {
  /// Applies the edits. Elements of arrays are removed from the end, so that the numbers of the others stay valid.
  func apply(to record: inout Record, _ assets: [String: Asset] = [:]) {
    var removals: [[String]] = []
    for edit in self {
      if case .remove(let names) = edit { removals.append(names) } else { edit.apply(to: &record, assets) }
    }
    // A property that is removed and added again has its new value.
    removals.removeAll { names in contains { edit in if case .remove = edit { false } else { edit.names == names } } }
    for names in removals.sorted(by: { Self.later($0, $1) }) { record[path: Field.pointer(names)] = nil }
  }

  private static func later(_ a: [String], _ b: [String]) -> Bool {
    for (a, b) in zip(a, b) where a != b {
      if let a = Int(a), let b = Int(b) { return a > b }
      return a > b
    }
    return a.count > b.count
  }
}
