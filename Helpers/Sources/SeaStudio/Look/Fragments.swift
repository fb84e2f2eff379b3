import SeaKit

/// Parts that several pages have.
enum Fragments {
  /// A command that does the same, to copy.
  static func command(_ command: CommandText, _ title: String = "Command") -> HTML {
    "<p class=command><span>\(title)</span> <code>\(command.text)</code></p>"
  }

  /// When the last sync with a container ended, and how long it took; nil if there was none.
  static func lastSync(of container: AttachedContainer) -> HTML? {
    container.lastSync.map { time in
      let length: HTML? = container.lastSyncDuration.map { ", in \(Times.length($0))" }
      return "\(Times.ago(time))\(length)"
    }
  }

  static func record(_ id: String) -> Link { Link("/record", [("id", id)]) }
  static func records(_ type: String?) -> Link { Link("/", [("type", type ?? "")]) }

  /// A link to a record, with its title.
  static func link(to id: String, title: String?) -> HTML {
    guard let title else { return "<a href=\"\(record(id))\"><bdi>\(id)</bdi></a>" }
    return "<a href=\"\(record(id))\"><bdi>\(title.cut(80))</bdi></a> <span class=id><bdi>\(id.cut(40))</bdi></span>"
  }

  static func revision(_ revision: Revision) -> HTML {
    "<code title=\"\(label: revision.description)\">\(short(revision))</code>"
  }

  static func short(_ revision: Revision) -> String {
    let parts = revision.description.split(separator: "-", maxSplits: 1)
    return parts.count == 2 ? "\(parts[0])-\(parts[1].prefix(8))" : revision.description
  }

  static func author(_ instance: Instance?) -> HTML {
    guard let instance else { return "<span class=quiet>unknown</span>" }
    let name = instance.name ?? String(instance.id.prefix(8))
    return
      """
      <span title="\(label: instance.id)"><bdi>\(name)</bdi>\
      </span>\(instance.isOwn ? " <span class=quiet>(here)</span>" : nil)
      """
  }

  /// The exact time of a change, and its message.
  static func when(_ time: Timestamp?, _ label: String?) -> HTML? {
    if time == nil, label == nil { return nil }
    let parts: [HTML?] = [time.map(Times.html), label.map { "<bdi>\($0.cut(200))</bdi>" }]
    return "<p class=quiet>\(parts.compactMap { $0 }.joined(by: ", "))</p>"
  }

  /// A confirmation: what will happen, and the button that does it.
  static func confirm(
    _ visit: Visit, action: String, fields: [(String, String)], button: String, isDangerous: Bool = false, back: Link
  ) -> HTML {
    let hidden: [HTML] = fields.map { "<input type=hidden name=\"\(value: $0.0)\" value=\"\(value: $0.1)\">" }
    let disabled: HTML = visit.isReadOnly ? " disabled" : ""
    return """
      <form class=confirm method=post action="\(value: action)">\(visit.token)\(hidden)\
      <button class="\(isDangerous ? "danger" : "main")"\(disabled)>\(button)</button> \
      <a class=button href="\(back)">Cancel</a></form>
      """
  }
}

extension String {
  /// The beginning of a long text.
  func cut(_ most: Int) -> String {
    // A character can have any number of accents.
    guard let end = unicodeScalars.index(startIndex, offsetBy: most, limitedBy: endIndex), end < endIndex else {
      return self
    }
    return self[..<end] + "…"
  }
}
