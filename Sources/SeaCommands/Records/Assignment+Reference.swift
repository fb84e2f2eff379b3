import SeaEngine

extension Assignment {
  /// With the id of the record that the text of a `:ref` names in its place. An id of no record stays as it is: it may come later.
  /// - Parameter find: the id of the record that a text names.
  /// - Throws: `recordNotFound` of a text `TYPE:PROP=VALUE`, `ambiguousRecord`.
  func naming(_ find: (String) throws -> String) throws -> Assignment {
    guard type == "ref", sign == .set, let text = String(validating: value, as: UTF8.self),
      (try? RecordText.Match(text)) != nil
    else { return self }
    var named = self
    named.value = Array(try find(text).utf8)
    return named
  }
}
