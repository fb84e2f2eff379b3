/// The words of a command line that no shell reads.
package enum CommandWords {
  /// Words are separated by white space. Quotes of either kind hold a word together; a backslash stands for the
  /// character behind it, except between single quotes. Nil if a quote or a backslash has no end, and for no word.
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
