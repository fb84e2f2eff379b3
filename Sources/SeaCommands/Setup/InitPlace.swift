import SeaEngine
import SeaSystem

enum InitPlace {
  /// The root folder or the home folder. Commands in all folders below would find the database.
  case everything(String)
  /// The new database is inside the folder of another database.
  case database(String)
  /// The new database is inside a Git repository, and Git would include it in commits.
  case repository(String)

  static func of(_ folder: String, _ session: Session) -> InitPlace? {
    let home = session.host.given("HOME").map { try? Path.absolute($0) }
    if folder == "/" || folder == home { return .everything(folder) }
    var above = folder
    while above != "/" {
      if session.host.exists(Path.join(above, ".git")) { return .repository(above) }
      above = Path.parent(above)
      if Location.isDatabase(Path.join(above, Location.folderName)) { return .database(above) }
    }
    return nil
  }

  var isEverything: Bool { if case .everything = self { true } else { false } }

  var words: String {
    switch self {
    case .everything(let path):
      "all folders below \(path) use this database; to use a separate folder, run: "
        + "sea init \(Escape.shellWord(Path.join(path, "records")))"
    case .database(let path):
      "\(path) already contains a database; commands in this folder will use the new one"
    case .repository(let path):
      "git would also commit the keys in .sea; to ignore them, run: echo .sea >>\(Escape.shellWord(Path.join(path, ".gitignore")))"
    }
  }

  static func adviseNext(_ directory: String?, _ session: Session) {
    let next =
      directory.map { "to continue, run: cd \(Escape.shellWord($0))" }
      ?? "to write a first record, run: sea put '{\"_id\":\"bird/1\",\"count\":2}'"
    Advice.give("\(next); for a tour, run: sea help tutorial", session)
  }
}
