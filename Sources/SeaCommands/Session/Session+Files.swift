import SeaSystem

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
