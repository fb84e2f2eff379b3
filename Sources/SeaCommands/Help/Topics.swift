/// Finds pages and recipes for `sea help WORD` if there is no page with that name, as in `sea help photos`.
package enum Topics {
  /// The recipes of sea-workflows(7), each with search words.
  package static let recipes: [(title: String, words: String)] = [
    ("An address book from a spreadsheet, and back", "excel table import export load dump contacts csv"),
    ("Stock counted by two people", "counter increment inventory merge"),
    ("A season in the field, with USB drives", "stick offline bundle network"),
    ("Two laptops and a USB drive", "stick offline container"),
    ("The nightly cron job", "script timer automatic schedule"),
    ("See who changed a value, and restore it", "history blame undo revert audit"),
    ("A team with encryption", "member password passphrase share invite authorize"),
    ("A new computer, or a failed disk", "clone device migrate restore lost disaster"),
    ("Rename a property everywhere", "migrate schema column field"),
    ("Move a container", "relocate rename"),
    ("Two containers that never meet", "relay forward bridge"),
    ("Photos only where there is room", "image picture video file asset space"),
    ("A backup that can be verified", "restore archive tape check"),
    ("A folder that a cloud service copies", "dropbox nextcloud drive icloud syncthing"),
    ("Automatic sync", "watch live systemd service"),
    ("Something seems to be wrong", "damage error corrupt repair broken doctor"),
    ("Look into a container without a database", "inspect preview bundle"),
  ]

  /// Terms used by other programs, and the guide that explains them.
  private static let foreign = (
    guide: "from-git",
    words: "checkout reset rollback branch commit stash annotate blame rebase remote fetch replicate snapshot prune"
  )

  static func find(_ word: String) -> [(name: String, about: String)] {
    let wanted = stem(word)
    func has(_ text: String) -> Bool { words(text).contains { stem($0) == wanted } }
    let guides = Commands.guides.filter { Commands.find($0.name) == nil }
    let commands = Group.allCases.flatMap { Commands.listed(in: $0) } + guides
    return commands.filter { has($0.name) || has($0.about) || $0.name == foreign.guide && has(foreign.words) }
      + recipes.filter { has($0.title) || has($0.words) }.map { ("workflows", $0.title) }
  }

  private static func words(_ text: String) -> [String] {
    text.split { !$0.isLetter }.map(String.init)
  }

  private static func stem(_ word: String) -> String {
    let lower = word.lowercased()
    return lower.count > 3 && lower.hasSuffix("s") ? String(lower.dropLast()) : lower
  }
}
