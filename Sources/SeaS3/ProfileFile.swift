/// A file of profiles, as the tools of AWS have them: sections, `name = value`, and values of several lines, the lines of
/// which begin with a blank.
package struct ProfileFile {
  /// By section and name. What stands below another name has the two of them, with a dot between.
  package private(set) var sections: [String: [String: String]] = [:]

  package init(_ text: String) {
    var section: String?
    var above: String?
    for line in text.split(whereSeparator: \.isNewline) {
      let isBelow = line.first == " " || line.first == "\t"
      let line = ProfileFile.trimmed(line)
      if line.isEmpty || line.first == "#" || line.first == ";" { continue }
      if line.first == "[" {
        guard let end = line.firstIndex(of: "]") else { continue }
        section = line[line.index(after: line.startIndex)..<end].split { $0 == " " || $0 == "\t" }
          .joined(separator: " ")
        above = nil
        continue
      }
      guard let section, let equals = line.firstIndex(of: "=") else { continue }
      let name = ProfileFile.trimmed(line[..<equals]).lowercased()
      let value = String(ProfileFile.trimmed(ProfileFile.withoutRemark(line[line.index(after: equals)...])))
      if isBelow, let above {
        sections[section, default: [:]]["\(above).\(name)"] = value
      } else {
        sections[section, default: [:]][name] = value
        above = value.isEmpty ? name : nil
      }
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }

  /// A remark behind a value begins with a blank and `#` or `;`.
  private static func withoutRemark(_ value: Substring) -> Substring {
    var before: Character = "x"
    for at in value.indices {
      if value[at] == "#" || value[at] == ";", before == " " || before == "\t" { return value[..<at] }
      before = value[at]
    }
    return value
  }
}
