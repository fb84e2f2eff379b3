import SeaEngine

/// What a Swift file declares and mentions, as far as its tokens tell: no types are inferred.
struct SwiftSource {
  struct Member: Hashable {
    /// The type that the extension is of.
    let type: String
    let name: String
  }

  let folder: String
  let path: String
  /// Types, functions and values at the top level that other files see.
  private(set) var declared: Set<String> = []
  /// What extensions add that other files see; initializers have no name to look for.
  private(set) var extended: Set<Member> = []
  /// All names that something in this file has.
  private(set) var own: Set<String> = []
  /// Names that stand alone.
  private(set) var mentioned: Set<String> = []
  /// Names behind a point, and names that are called.
  private(set) var reached: Set<String> = []

  private enum Scope {
    case type
    case extended(String)
    case other
  }

  private static let declares: Set<String> = ["struct", "enum", "class", "actor", "protocol", "typealias", "func"]

  init(folder: String, path: String, text: String) {
    self.folder = folder
    self.path = path
    var words = SwiftWords(Array(text.utf8))
    words.read()
    read(words.words)
  }

  private mutating func read(_ words: [String]) {
    var scopes: [Scope] = []
    var next = Scope.other
    var isHidden = false
    for k in words.indices {
      let word = words[k]
      let last = k > 0 ? words[k - 1] : ""
      let following = k + 1 < words.count ? words[k + 1] : ""
      switch word {
      case "{":
        scopes.append(next)
        (next, isHidden) = (.other, false)
      case "}": _ = scopes.popLast()
      case "private", "fileprivate": isHidden = following != "("
      case _ where SwiftSource.declares.contains(last) && own.contains(word): continue
      case "struct", "enum", "class", "actor", "protocol", "typealias", "func", "let", "var", "case":
        guard let first = following.utf8.first, SwiftWords.isName(first), last != "." else { continue }
        if ["func", "var", "let"].contains(following) { continue }
        own.insert(following)
        declare(following, in: scopes, isHidden)
        isHidden = false
        if !["func", "let", "var", "case", "typealias"].contains(word) { next = .type }
      case "extension" where last != ".":
        next = .extended(following)
        if isHidden { next = .type }
      default:
        guard let first = word.utf8.first, SwiftWords.isName(first) else { continue }
        if last == "." { reached.insert(word) } else { mentioned.insert(word) }
        if last != ".", following == "(" { reached.insert(word) }
        // A type before a colon is no label: `case let error as Fault:`, `[Key: Value]`.
        if last != ".", following == ":", first < 0x41 || first > 0x5A { own.insert(word) }
      }
    }
  }

  private mutating func declare(_ name: String, in scopes: [Scope], _ isHidden: Bool) {
    guard !isHidden else { return }
    if scopes.isEmpty { declared.insert(name) }
    if case .extended(let type)? = scopes.last, scopes.count == 1 { extended.insert(Member(type: type, name: name)) }
  }
}

/// The words and signs of a Swift text without its comments; of texts in it only what stands in `\( )`.
struct SwiftWords {
  private let bytes: [UInt8]
  private var at = 0
  private(set) var words: [String] = []

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  static func isName(_ byte: UInt8) -> Bool {
    byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39 || byte == 0x5F || byte >= 0x80
  }

  private func stands(_ text: String) -> Bool { bytes[at...].starts(with: text.utf8) }

  /// Reads to the end, or to the parenthesis that closes what was opened before.
  mutating func read(inside: Bool = false) {
    var depth = 0
    while at < bytes.count {
      let byte = bytes[at]
      if stands("//") {
        while at < bytes.count, bytes[at] != 0x0A { at += 1 }
      } else if stands("/*") {
        while at < bytes.count, !stands("*/") { at += 1 }
      } else if byte == 0x22 {
        text()
      } else if SwiftWords.isName(byte) {
        let start = at
        while at < bytes.count, SwiftWords.isName(bytes[at]) { at += 1 }
        words.append(String(decoding: bytes[start..<at], as: UTF8.self))
      } else {
        at += 1
        if byte == 0x28 { depth += 1 }
        if byte == 0x29 { depth -= 1 }
        if inside, depth < 0 { return }
        if byte > 0x20, byte != 0x60 { words.append(String(UnicodeScalar(byte))) }
      }
    }
  }

  private mutating func text() {
    let quote = stands("\"\"\"") ? "\"\"\"" : "\""
    at += quote.utf8.count
    while at < bytes.count, !stands(quote) {
      if stands("\\(") {
        at += 2
        read(inside: true)
      } else {
        at += bytes[at] == 0x5C ? 2 : 1
      }
    }
    at += quote.utf8.count
    words.append("\"")
  }
}
