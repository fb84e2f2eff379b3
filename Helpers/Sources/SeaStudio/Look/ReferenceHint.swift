import SeaKit

/// How to compare the name of the record that a property refers to. The value of a reference is an id, so a comparison
/// with a name finds nothing.
struct ReferenceHint: Sendable {
  private let property: String
  private let id: String
  /// The property with the name of that record.
  private let target: String?

  private static let mostRecords = 200

  /// The hints for a condition that mentions references of these types.
  static func all(_ condition: String, _ types: [RecordTypeInfo], _ transaction: ReadTransaction) throws
    -> [ReferenceHint]
  {
    var hints: [ReferenceHint] = []
    for type in types {
      var wanted = type.properties.filter { SQLWord.isIn(condition, $0) }
      wanted.removeAll { name in hints.contains { $0.property == name } }
      if wanted.isEmpty { continue }
      try transaction.forEach(Query<Record>.records(of: type.name).limit(mostRecords)) { record in
        for name in wanted {
          guard case .reference(let reference)? = record.properties[name]?.unlabeled else { continue }
          let target = try transaction.record(reference.id).flatMap(Title.name)
          hints.append(ReferenceHint(property: name, id: reference.id, target: target))
          wanted.removeAll { $0 == name }
        }
        return !wanted.isEmpty
      }
    }
    return hints
  }

  /// - Parameter link: the address of the list with another condition.
  func html(_ condition: String, _ link: (String) -> Link) -> HTML {
    let how: HTML? = target.map { target in
      let value = "prop(\(SQLWord.name(property)), \(SQLWord.text(Field.pointer([target]))))"
      let better = SQLWord.replacing(property, by: value, in: condition)
      return
        " To compare the \(target) of that record, use <a href=\"\(link(better))\"><code>\(better.cut(300))</code></a>."
    }
    return """
      <p class=notice><bdi>\(property)</bdi> refers to another record: its value is an id, such as \
      <code>\(SQLWord.text(id))</code>.\(how)</p>
      """
  }
}

/// Names and texts in SQL.
package enum SQLWord {
  private static let reserved: Set<Substring> = Set(
    """
    add all alter and as between case check collate commit constraint create default delete distinct drop else escape \
    except exists foreign from group having in index insert intersect into is isnull join limit not notnull null on or \
    order primary references select set table then to transaction union unique update using values when where
    """.split(separator: " "))

  /// A name, in double quotes unless it is a plain word.
  static func name(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy(isLetter) && !(name.utf8.first.map { (0x30...0x39).contains($0) } ?? true)
    return isPlain && !reserved.contains(name.lowercased()[...]) ? name : "\"\(name.replacing("\"", with: "\"\""))\""
  }

  static func text(_ text: String) -> String { "'\(text.replacing("'", with: "''"))'" }

  /// Whether a condition contains a name as a whole word, in any case.
  static func isIn(_ condition: String, _ name: String) -> Bool {
    let (text, word) = (Array(condition.lowercased().utf8), Array(name.lowercased().utf8))
    guard !word.isEmpty, text.count >= word.count else { return false }
    return (0...(text.count - word.count)).contains { at in
      text[at..<at + word.count].elementsEqual(word) && !(at > 0 && isLetter(text[at - 1]))
        && !(at + word.count < text.count && isLetter(text[at + word.count]))
    }
  }

  /// Replaces a name where it stands as a word of its own, and not in a text.
  package static func replacing(_ name: String, by new: String, in condition: String) -> String {
    let (text, word) = (Array(condition.utf8), Array(name.lowercased().utf8))
    var result: [UInt8] = []
    var at = 0
    while at < text.count {
      let start = at
      at += 1
      if text[start] == UInt8(ascii: "'") || text[start] == UInt8(ascii: "\"") {
        while at < text.count, text[at] != text[start] { at += 1 }
        at = min(at + 1, text.count)
      } else if isLetter(text[start]) {
        while at < text.count, isLetter(text[at]) { at += 1 }
      }
      let part = text[start..<at]
      let isName = String(decoding: part, as: UTF8.self).lowercased().utf8.elementsEqual(word)
      result += isName || part.elementsEqual(SQLWord.name(name).utf8) ? Array(new.utf8) : Array(part)
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x80...: true
    default: false
    }
  }
}
