import SeaWords

/// How many methods the types of a Swift file have, by their full names. Those of extensions are the type's, those that stand
/// within methods nobody's; computed properties and initialisers are none.
struct SwiftMethods {
  private(set) var counts: [String: Int] = [:]

  private static let declares: Set<String> = ["struct", "enum", "class", "actor", "protocol", "extension"]

  init(_ text: String) {
    var reader = SwiftWords(Array(text.utf8))
    reader.read()
    let words = reader.words
    var scopes: [String?] = []
    var next: String?
    for k in words.indices {
      let last = k > 0 ? words[k - 1] : ""
      switch words[k] {
      case "{":
        scopes.append(next)
        next = nil
      case "}": _ = scopes.popLast()
      case let word where SwiftMethods.declares.contains(word) && last != ".":
        // `class func` declares no type.
        if let name = SwiftMethods.name(words[(k + 1)...]) { next = name }
      case "func" where last != ".":
        if let type = scopes.last, type != nil {
          counts[scopes.compactMap(\.self).joined(separator: "."), default: 0] += 1
        }
        next = nil
      default: continue
      }
    }
  }

  /// The name that words begin with, `Outer.Inner` too.
  private static func name(_ words: ArraySlice<String>) -> String? {
    guard let first = words.first?.utf8.first, first >= 0x41, first <= 0x5A else { return nil }
    var name = ""
    for word in words {
      guard word == "." || name.isEmpty || name.hasSuffix(".") else { break }
      name += word
    }
    return name
  }
}
