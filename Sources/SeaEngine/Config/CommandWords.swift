package enum CommandWords {
  /// Splits a command line at white space. Single or double quotes keep white space within a word. A backslash escapes
  /// the next character, except between single quotes. Returns nil for an unclosed quote, a final backslash, or no
  /// words.
  package static func split(_ text: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Unicode.Scalar?
    var rest = text.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\\" where quote != "'":
        guard let next = rest.popFirst() else { return nil }
        word = (word ?? "") + String(next)
      case quote:
        quote = nil
      case "'" where quote == nil, "\"" where quote == nil:
        quote = scalar
        word = word ?? ""
      case " " where quote == nil, "\t" where quote == nil, "\n" where quote == nil:
        if let word { words.append(word) }
        word = nil
      default:
        word = (word ?? "") + String(scalar)
      }
    }
    if let word { words.append(word) }
    return quote == nil && !words.isEmpty ? words : nil
  }
}
