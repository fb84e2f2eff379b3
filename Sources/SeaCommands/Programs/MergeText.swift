import SeaCore
import SeaEngine

/// The merge of a record as a person edits it: JSON, in which `{"$clash":{…}}` stands wherever a choice is missing.
package enum MergeText {
  private static let clash = "$clash"

  /// - Parameter open: the places to choose at.
  static func write(_ conflict: Conflict, _ content: Content, _ open: [Conflict.Path]) throws -> [UInt8] {
    let names = names(conflict)
    var extra: [(name: String, value: Value)] = []
    var content = content
    var texts: [(mark: String, path: Conflict.Path)] = []
    if conflict.hasDeletion, !open.isEmpty {
      // Whether there is to be a record at all.
      var sides = Members()
      for (name, side) in zip(names, conflict.sides) {
        sides[name] = .string(side.leaf.kind == .put ? "changed" : "deleted")
      }
      extra = [(clash, .dictionary(sides))]
    } else {
      for path in open {
        // Nobody can have written this before.
        let mark = try UUID.random().description
        content = try content.replacing(path.path, with: .string(mark))
        texts.append((mark, path))
      }
    }
    var text = String(
      decoding: try RecordFile.pretty(conflict.id, content, rev: conflict.sides[0].leaf.revision, extra: extra),
      as: UTF8.self)
    for (mark, path) in texts {
      guard let place = text.firstPlace(of: "\"\(mark)\"") else { continue }
      let line = text[..<place.lowerBound].lastIndex(of: "\n").map { text[text.index(after: $0)...] } ?? text[...]
      let indent = String(line.prefix { $0 == " " })
      text.replaceSubrange(place, with: try object(path, names, hasBase: conflict.base != nil, indent))
    }
    return Array(text.utf8)
  }

  /// The sides, by short revisions as long as these are different.
  private static func names(_ conflict: Conflict) -> [String] {
    let short = conflict.leaves.map { $0.short() }
    return Set(short).count == short.count ? short : conflict.leaves.map(\.description)
  }

  /// Null stands for nothing.
  private static func object(
    _ path: Conflict.Path, _ names: [String], hasBase: Bool, _ indent: String
  ) throws -> String {
    var sides = Members()
    if hasBase { sides["base"] = path.base ?? .null }
    for (name, value) in zip(names, path.values) { sides[name] = value ?? .null }
    let inner = try Value.dictionary(sides).json(style: .pretty).split(separator: "\n")
    return "{\n\(indent)  \"\(clash)\": " + inner.joined(separator: "\n\(indent)  ") + "\n\(indent)}"
  }

  /// The pointers of the places where a choice is still missing; nil if the text is no JSON.
  package static func clashes(in bytes: [UInt8]) -> [String]? {
    var tape = JSONTape()
    let isJSON = bytes.withUnsafeBufferPointer { bytes in
      (try? tape.parse(bytes, at: 0)).map { JSONTape.skipSpace(bytes, from: $0) == bytes.count } ?? false
    }
    guard isJSON, tape.isObject else { return nil }
    var finder = ClashFinder(bytes)
    finder.value([])
    return finder.found.map(\.pointer)
  }

  /// Reads JSON that is known to be good.
  private struct ClashFinder {
    private let bytes: [UInt8]
    private var at = 0
    private(set) var found: [PropertyPath] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func value(_ path: [String]) {
      skipSpace()
      switch bytes[at] {
      case 0x7B: object(path)
      case 0x5B: list(path)
      case 0x22: _ = string()
      default: while at < bytes.count, !Self.ends.contains(bytes[at]) { at += 1 }
      }
    }

    private static let ends: [UInt8] = [0x2C, 0x5D, 0x7D, 0x20, 0x09, 0x0A, 0x0D]

    private mutating func skipSpace() {
      while at < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[at]) { at += 1 }
    }

    /// After the opening bracket and behind each comma: whether another item comes.
    private mutating func another(_ closing: UInt8) -> Bool {
      at += 1
      skipSpace()
      guard bytes[at] == closing else { return true }
      at += 1
      return false
    }

    private mutating func isAtComma() -> Bool {
      skipSpace()
      if bytes[at] == 0x2C { return true }
      at += 1
      return false
    }

    private mutating func object(_ path: [String]) {
      guard another(0x7D) else { return }
      while true {
        skipSpace()
        let name = string()
        // A dictionary may have any key, if it says that it is one.
        if name == MergeText.clash, path.last != "$dict" { found.append(PropertyPath(names: path)) }
        skipSpace()
        at += 1
        value(path + [name])
        guard isAtComma() else { return }
        at += 1
      }
    }

    private mutating func list(_ path: [String]) {
      guard another(0x5D) else { return }
      var index = 0
      while true {
        value(path + [String(index)])
        index += 1
        guard isAtComma() else { return }
        at += 1
      }
    }

    private mutating func string() -> String {
      let start = at
      at += 1
      while bytes[at] != 0x22 { at += bytes[at] == 0x5C ? 2 : 1 }
      at += 1
      guard case .string(let text)? = try? Value.json(String(decoding: bytes[start..<at], as: UTF8.self)) else {
        return ""
      }
      return text
    }
  }
}
