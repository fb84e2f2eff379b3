import SeaCore

extension SettingKind {
  /// Whether the setting may be shared.
  package var isShareable: Bool {
    // A valid example replaces the placeholder.
    let middle = self.middle.map { $0 == .name ? "n" : "t/p" }
    let key = ConfigKey(pattern.replacing(every: self.middle?.rawValue ?? "", by: middle ?? ""))
    return key.map { ConfigSources.isShareable($0) } ?? false
  }

  /// Returns the setting that an unknown name was probably intended to be, with the user's subsection; nil if none is
  /// similar.
  package static func likeliest(for text: String) -> String? {
    let middle = ConfigKey(text)?.subsection
    let known = all.flatMap { kind -> [String] in
      let plain = "\(kind.section).\(kind.name)"
      guard kind.middle != nil else { return [plain] }
      let named = middle.map { ["\(kind.section).\($0).\(kind.name)"] } ?? []
      return kind.middle == .place ? named + [plain] : named.isEmpty ? [kind.pattern] : named
    }
    if let found = Similarity.nearest(to: text, among: known) { return found }
    // The search also tries the last part alone, after another section, or without a subsection.
    let parts = text.lowercased().split(separator: ".")
    let ending = all.filter { $0.name.lowercased() == parts.last ?? "" }
    return (ending.count == 1 ? ending.first : ending.first { $0.section == parts.first ?? "" })?.pattern
  }

  /// The purpose of the setting: one line without a period.
  package var explanation: String { SettingKind.words[pattern] ?? "" }

  private static let words: [String: String] = [
    "assets.minCopies": "how many containers must have a good copy of an asset before it is taken away here",
    "color.ui": "when text for people is coloured",
    "color.heading": "the colour of titles of columns and sections",
    "color.revision": "the colour of revisions and blocks",
    "color.old": "the colour of what was taken away",
    "color.new": "the colour of what has come",
    "color.good": "the colour of what has won, or ends by itself",
    "color.problem": "the colour of what somebody has to look at",
    "container.NAME.assets": "which assets go along when the container is synced",
    "container.NAME.auto": "whether sync, pull and push without a name include the container",
    "container.NAME.location": "where the container is, as add-container has written it",
    "container.NAME.readOnly": "whether nothing is ever written to the container",
    "core.abbrev": "digits of ids and revisions in text for people",
    "core.compress": "whether what is written is compressed where that saves an eighth or more",
    "core.lockWait": "how long a writer waits for the lock",
    "core.maxDataSize": "the most bytes that $data may have in input",
    "core.oldKey": "whether a sealed database writes under an older key where the new one is not here",
    "core.pager": "the program through which long output is read at a terminal",
    "driver.NAME.command": "a program that merges records or values",
    "driver.NAME.scope": "whether the driver's files hold records or one value",
    "hook.timeout": "how long a hook may take, 0 without limit",
    "import.maxSize": "the most that a bundle may say to hold, unpacked",
    "index.NAME.on": "an index of values, as sea reindex makes it",
    "index.NAME.text": "an index of words, as sea reindex makes it",
    "init.encrypt": "whether init makes sealed databases",
    "merge.TYPE/PATH.atomic": "properties that are merged as one, for a type or for all",
    "merge.auto": "whether a sync merges unasked records whose leaves do not clash",
    "merge.TYPE/PATH.driver": "which driver a sync runs for what clashes, if merge.auto is drivers",
    "merge.TYPE/PATH.policy": "what settles clashes in a property, a type or all records",
    "merge.tool": "the tool of resolve --tool where none is named",
    "password.command": "a program whose first line of output is the password",
    "safe.directory": "a '.sea' of somebody else that is used all the same; may be given several times",
    "sync.jobs": "how much is done at once, where several things can be",
    "sync.patience": "how long what has not arrived is waited for before it counts as lost",
    "tool.NAME.command": "a text for the shell that lets a person merge",
    "type.TYPE/PROPERTY.default": "what a record of the type gets there when it is made",
    "watch.interval": "after how long watch --sync looks at containers again at the latest",
  ]
}

extension SettingRule {
  /// Returns the choice that an invalid word was probably intended to be. Choices that are descriptions are skipped.
  package func choice(meantBy word: String) -> String? {
    Similarity.nearest(to: word, among: choices.filter { !$0.contains(" ") })
  }
}
