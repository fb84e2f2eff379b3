import SeaKit
import SeaSystem

/// What an operand names, where it may be a bundle, a folder of bundles, or something else.
enum BundleOperand {
  case file(path: String)
  case folder(ExchangeFolder, [ExchangeFolder.Bundle])

  /// Nil if it is neither. A container is none, whatever else lies in it.
  static func of(_ path: String) throws -> BundleOperand? {
    guard let status = try Path.statusFollowing(path) else {
      // It may be in several volumes.
      return BundleProbe.kind(of: path) == nil ? nil : .file(path: path)
    }
    switch status.kind {
    case .file: return .file(path: path)
    case .directory:
      if try Path.exists(Path.join(path, "info.json")) { return nil }
      let folder = try ExchangeFolder(path)
      let bundles = try folder.bundles()
      return bundles.isEmpty ? nil : .folder(folder, bundles)
    default: return nil
    }
  }
}

extension Session {
  /// A folder for what is only needed while a command runs.
  var temporaryFolder: String { host.given("TMPDIR") ?? "/tmp" }

  /// Standard input in a file without a name, for what has to be looked at twice.
  func spooledInput() throws -> File {
    let folder = try Directory(temporaryFolder)
    let name = try AtomicFile.temporaryName()
    let file = try folder.file(name, [.read, .write, .create, .exclusive], mode: 0o600)
    try folder.remove(name)
    while case let piece = try terminal.input.piece(), !piece.isEmpty { try file.write(piece) }
    try file.seek(to: 0)
    return file
  }
}
