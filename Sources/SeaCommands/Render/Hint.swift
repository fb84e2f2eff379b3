import SeaCore

package enum Hint {
  /// Returns the hint without parts that name options the command does not have. Several commands share hints.
  package static func fitting(_ hint: String?, _ command: (any CommandSyntax.Type)?) -> String? {
    guard let hint, let command else { return hint }
    let known = Set((command.options + GlobalOptions.all).map(\.dashed))
    let parts = hint.parts(between: "; ").filter { options(in: $0).allSatisfy(known.contains) }
    return parts.isEmpty ? nil : parts.joined(separator: "; ")
  }

  /// Returns the options that a part of a hint mentions; empty if the part mentions a command.
  package static func options(in part: Substring) -> [String] {
    commands(in: part).isEmpty ? part.split(separator: " ").compactMap(option) : []
  }

  package static func commands(in part: Substring) -> [(name: String, options: [String])] {
    var found: [(name: String, options: [String])] = []
    let words = part.split(separator: " ")
    var isNext = false
    for word in words {
      let word = word.drop { "'(".contains($0) }
      if isNext, let first = word.first, first.isLetter {
        found.append((String(word.prefix { $0.isLetter || $0 == "-" }), []))
        isNext = false
      } else if !found.isEmpty, let option = option(word) {
        found[found.count - 1].options.append(option)
      }
      if word == "sea" { isNext = true }
    }
    return found
  }

  private static func option(_ word: Substring) -> String? {
    let name = word.drop { "'(".contains($0) }
    guard name.hasPrefix("--"), let first = name.dropFirst(2).first, first.isLetter else { return nil }
    return String(name.prefix { $0 == "-" || ($0.isASCII && ($0.isLetter || $0.isNumber)) })
  }
}
