import SeaKit

// The rows of what was named on a command line and is something else.

extension NameFault {
  var failure: Failure {
    switch self {
    case .operation(let text):
      let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      return Failure(
        .usage, "'\(text)' is no operation",
        hint: isNumber ? "the operation of that number is '@{\(text)}'; see: sea ops" : "see what there is: sea ops")
    case .revision(let id, let text):
      return Failure(
        .usage, "'\(text)' is no revision of \(id)",
        hint: "write DEPTH-HEX, winner, ours, theirs, base, ~N or {WHEN}; see: sea log \(Escape.shellWord(id))",
        ["id": id])
    }
  }
}

extension PlaceFault {
  var failure: Failure {
    switch self {
    case .notEmpty(let path, let having):
      return Failure(
        .exists, "there are files at '\(path)', such as '\(having)'; nothing was written",
        hint:
          "a container is a folder of its own, such as: \(Escape.shellWord(path.hasSuffix("/") ? path : path + "/"))data.sea",
        ["path": path])
    case .database(let path, let isRead):
      return Failure(
        isRead ? .incompatible : .exists, "'\(path)' is a database, and no container",
        hint: "what instances exchange lies in a container, made with: sea -C \(Escape.shellWord(path)) add-container "
          + "--create NAME LOCATION", ["path": path])
    case .noFolder(let path): return Failure(.noDatabase, "there is no folder '\(path)'", ["path": path])
    case .noDatabase(let path, let inside):
      return Failure(
        .noDatabase, "'\(path)' is not the folder of a database",
        hint: inside.map { "the database is: --sea-dir=\(Escape.shellWord($0))" } ?? "name the folder '.sea' itself",
        ["path": path])
    }
  }
}
