import SeaCore

extension SettingKind {
  package var isShareable: Bool {
    // Replace the placeholder with a valid example.
    let middle = self.middle.map { $0 == .name ? "n" : "t/p" }
    let key = ConfigKey(pattern.replacing(every: self.middle?.rawValue ?? "", by: middle ?? ""))
    return key.map { ConfigSources.isShareable($0) } ?? false
  }

  /// Returns the setting that an unknown name was probably meant to be, with the user's subsection; nil if no setting
  /// is similar.
  package static func likeliest(for text: String) -> String? {
    let middle = ConfigKey(text)?.subsection
    let known = all.flatMap { kind -> [String] in
      let plain = "\(kind.section).\(kind.name)"
      guard kind.middle != nil else { return [plain] }
      let named = middle.map { ["\(kind.section).\($0).\(kind.name)"] } ?? []
      return kind.middle == .type ? named + [plain] : named.isEmpty ? [kind.pattern] : named
    }
    if let found = Similarity.nearest(to: text, among: known) { return found }
    // The user may also have meant another section, or a name without a subsection.
    let parts = text.lowercased().split(separator: ".")
    let ending = all.filter { $0.name.lowercased() == parts.last ?? "" }
    return (ending.count == 1 ? ending.first : ending.first { $0.section == parts.first ?? "" })?.pattern
  }

  /// The purpose of the setting in one line without a period.
  package var explanation: String { SettingKind.words[pattern] ?? "" }

  private static let words: [String: String] = [
    "assets.minCopies": "how many containers must have a copy of an asset before it is removed locally",
    "color.ui": "when to color text output",
    "color.heading": "the color of column and section titles",
    "color.revision": "the color of revisions and blocks",
    "color.old": "the color of removed text",
    "color.new": "the color of added text",
    "color.good": "the color of winners and automatic merges",
    "color.problem": "the color of problems that need attention",
    "container.NAME.assets": "which assets are transferred when the container is synced",
    "container.NAME.auto": "whether sync, pull and push without a name include the container",
    "container.NAME.location": "the location of the container, written by add-container",
    "container.NAME.readOnly": "whether the container is never written to",
    "core.abbrev": "the number of digits of ids and revisions in text output",
    "core.compress": "whether to compress data if that saves at least an eighth",
    "core.lockWait": "how long a writer waits for the lock",
    "core.maxDataSize": "the maximum size of $data in input",
    "core.oldKey": "whether an encrypted database may write with an older key if the new one is not available",
    "core.pager": "the program that shows long output on a terminal",
    "driver.NAME.command": "the program that merges records or values",
    "driver.NAME.scope": "whether the driver's files hold records or one value",
    "hook.timeout": "how long a hook may run, 0 for no limit",
    "import.maxSize": "the maximum unpacked size of a bundle",
    "index.NAME.on": "a value index, as created by sea reindex",
    "index.NAME.text": "a text index, as created by sea reindex",
    "init.encrypt": "whether init creates encrypted databases",
    "merge.TYPE.atomic": "groups of properties that are merged as one value, for a type or for all",
    "merge.auto": "whether sync automatically merges records whose revisions do not conflict",
    "merge.TYPE.driver": "the drivers that sync runs for conflicting properties, if merge.auto is drivers",
    "merge.TYPE.policy": "the policies that resolve conflicting properties, for a type or for all",
    "merge.tool": "the default tool of resolve --tool",
    "password.command": "the program whose first line of output is the passphrase",
    "safe.directory": "a trusted '.sea' that belongs to another user; can be given several times",
    "sync.jobs": "the number of parallel jobs",
    "sync.patience": "how long to wait for missing data before it is reported as lost",
    "tool.NAME.command": "the shell command of an interactive merge tool",
    "type.TYPE/PROPERTY.default": "the value that new records of the type get",
    "type.TYPE/PROPERTY.required": "whether each record of the type must have the property",
    "type.TYPE/PROPERTY.type": "the kind of value that the property must have",
    "type.TYPE/PROPERTY.minimum": "the least number, day or date that the property may have",
    "type.TYPE/PROPERTY.maximum": "the greatest number, day or date that the property may have",
    "type.TYPE/PROPERTY.enum": "the values that the property may have, as a JSON array",
    "type.TYPE/PROPERTY.pattern": "the regular expression that the text of the property must match",
    "type.TYPE/PROPERTY.unique": "whether no two records of the type may have the same value",
    "watch.interval": "the longest time between two checks of containers by watch --sync",
  ]
}

extension SettingRule {
  /// Returns the choice that an invalid word, or the word of an invalid item, was probably intended to be. Choices that
  /// are descriptions are skipped.
  package func choice(meantBy word: String) -> String? {
    Similarity.nearest(
      to: word.split(separator: "=").last.map(String.init) ?? word, among: choices.filter { !$0.contains(" ") })
  }
}
