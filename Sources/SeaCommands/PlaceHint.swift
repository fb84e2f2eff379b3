import SeaEngine
import SeaSystem
import SeaWords

import enum SeaContainer.ContainerError

/// What a folder is, or has in it, that was named as a container or as bundles and is neither.
enum PlaceHint {
  static func of(_ error: any Error, _ session: Session) -> String? {
    switch error {
    case ContainerError.notAContainer(let path): return of(path, session)
    case TransferError.noBundles(let path): return (try? Path.absolute(session.path(path))).flatMap { of($0, session) }
    case let error as SystemError where error.isMissing && error.path.hasPrefix("{"):
      return "JSON comes from a file, or from standard input"
    case CommandError.noBackup(let path):
      return Containers.isElsewhere(path) ? nil : (try? Path.absolute(session.path(path))).flatMap(below)
    default: return nil
    }
  }

  private static func of(_ path: String, _ session: Session) -> String? {
    let above = Path.name(path) == Location.folderName ? Path.parent(path) : path
    if let command = session.terminal.command, Location.isDatabase(Path.join(above, Location.folderName)) {
      return "it is a database: sea -C \(Escape.shellWord(above)) \(session.terminal.calledAs ?? command.name)"
    }
    return below(path)
  }

  /// More is not looked at.
  private static let most = 100

  /// The containers and folders of bundles that lie in it.
  private static func below(_ path: String) -> String? {
    guard let entries = try? Directory(path).list(most: 10 * most).entries else { return nil }
    let found = entries.filter { $0.kind == .directory && !$0.name.hasPrefix(".") }.map(\.name).sorted().prefix(most)
      .map { Path.join(path, $0) }
      .filter { (try? Path.exists(Path.join($0, "info.json")) || !ExchangeFolder($0).bundles().isEmpty) ?? false }
    guard let first = found.first else { return nil }
    return found.count == 1
      ? "did you mean \(Escape.shellWord(first))?"
      : "did you mean one of \(found.prefix(3).map { Escape.shellWord($0) }.joined(separator: ", "))"
        + (found.count > 3 ? " and \(found.count - 3) more?" : "?")
  }
}
