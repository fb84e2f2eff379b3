import SeaCore
import SeaEngine
import SeaSystem

extension Option {
  package static let instanceName = Option("name", nil, .text, "LABEL", "name this instance (default: the host name)")
}

extension Arguments {
  func instanceName() throws(UsageFault) -> String {
    guard let text = text(.instanceName) else {
      let host = Machine.name()
      return host.isEmpty ? "sea" : host
    }
    let isGood = (1...ControlEntry.longestName).contains(text.utf8.count) && !text.utf8.contains(UInt8(ascii: "/"))
    guard isGood, Escape.shown(text) == text else {
      throw .badValue(
        option: "--name", value: text,
        expected: .choice(["a name of at most \(ControlEntry.longestName) bytes, without '/' or invisible characters"]))
    }
    return text
  }
}

extension Session {
  /// Returns the default folder for `init`: from `--sea-dir`, from `SEA_DIR`, or in the working directory.
  func newDatabaseFolder() throws -> String {
    guard let named = options.seaDirectory ?? host.given("SEA_DIR") else { return try Path.absolute(path(".")) }
    guard Path.name(named) == Location.folderName else {
      throw UsageFault.badValue(option: "--sea-dir", value: named, expected: .text)
    }
    return Path.parent(try Path.absolute(path(named)))
  }
}

extension Session {
  /// Warns if the key is on a file system without permissions, such as FAT, exFAT or some network shares.
  func warnOfOpenKey(_ database: Database) throws {
    guard try !database.keychain.isPrivate() else { return }
    terminal.warning(
      "key-not-private", "this medium has no permissions: anyone who can read it can write as this instance",
      hint: "keep the database elsewhere; to put a container here, run: sea add-container --create")
  }
}

extension Terminal {
  func warn(of hazard: Location.Hazard?) {
    switch hazard {
    case nil: break
    case .synchronized(let client):
      warning(
        "location", "\(client) copies files while they change, which damages a database",
        hint: "keep the database elsewhere; to put a container there, run: sea add-container --create")
    case .removable:
      warning(
        "location", "a database on a removable medium can be lost or damaged when the medium is removed",
        hint: "keep the database elsewhere; to put a container there, run: sea add-container --create")
    }
  }
}
