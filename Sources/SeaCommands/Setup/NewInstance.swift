import SeaCore
import SeaEngine
import SeaSystem

// What `init` and `clone` share.

extension Option {
  package static let instanceName = Option("name", nil, .text, "LABEL", "name this instance (default: the host name)")
}

extension Arguments {
  /// The name that a new instance is to have.
  func instanceName() throws(UsageFault) -> String {
    guard let text = text(.instanceName) else {
      let host = Machine.name()
      return host.isEmpty ? "sea" : host
    }
    let isGood = (1...ControlEntry.longestName).contains(text.utf8.count) && !text.utf8.contains(UInt8(ascii: "/"))
    guard isGood, Escape.shown(text) == text else {
      throw .badValue(
        option: "--name", value: text,
        expected: .choice(["a name: up to \(ControlEntry.longestName) bytes, all of them to be seen, and no '/'"]))
    }
    return text
  }
}

extension Session {
  /// Where `init` makes a database if nobody says where: as `--sea-dir` or `SEA_DIR` say, else here.
  func newDatabaseFolder() throws -> String {
    guard let named = options.seaDirectory ?? host.given("SEA_DIR") else { return try Path.absolute(path(".")) }
    guard Path.name(named) == Location.folderName else {
      throw UsageFault.badValue(option: "--sea-dir", value: named, expected: .text)
    }
    return Path.parent(try Path.absolute(path(named)))
  }
}

extension Session {
  /// FAT, exFAT and some network shares know no permissions.
  func warnOfOpenKey(_ database: Database) throws {
    guard try !database.keychain.isPrivate() else { return }
    terminal.warning(
      "key-not-private", "this medium has no permissions: whoever can read it can write in this instance's name",
      hint: "keep the database elsewhere, and put a container here: sea add-container --create")
  }
}

extension Terminal {
  func warn(of hazard: Location.Hazard?) {
    switch hazard {
    case nil: break
    case .synchronised(let client):
      warning(
        "location", "\(client) would copy the files of a database while they change and so damage it",
        hint: "keep the database elsewhere, and put a container there: sea add-container --create")
    case .removable:
      warning(
        "location", "a database on a removable medium is lost with it, and damaged if it is pulled out",
        hint: "keep the database elsewhere, and put a container there: sea add-container --create")
    }
  }
}
