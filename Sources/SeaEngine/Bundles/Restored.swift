import SeaContainer
import SeaStore
import SeaSystem

package struct Restored: Sendable, Equatable {
  package var settings = 0
  /// Settings that were left out because they can run a program.
  package var programs: [String] = []
  /// Hooks that were restored as `NAME.disabled`.
  package var hooks: [String] = []

  mutating func add(_ other: Restored) {
    settings += other.settings
    programs += other.programs
    hooks += other.hooks
  }
}

extension Bundles {
  static let disabledSuffix = ".disabled"

  /// Restores settings and hooks from a backup, but leaves out or disables anything that runs a program, because the
  /// owner must check it first.
  func restore(from place: String) throws -> Restored {
    try store.locked { try restored(from: Path.join(place, BundlePath.backupFolder)) }
  }

  private func restored(from backup: String) throws -> Restored {
    var restored = Restored()
    if let bytes = try read(Path.join(backup, SeaFolder.configName), limit: ConfigFile.limit),
      let file = try? ConfigFile(bytes, path: SeaFolder.configName)
    {
      try restore(file, &restored)
    }
    let hooks = Path.join(backup, Bundles.hooksFolder)
    guard let listing = try? Directory(hooks).list() else { return restored }
    let target = Path.join(folder.path, Bundles.hooksFolder)
    try Path.createDirectories(target)
    for entry in listing.entries.sorted(by: { $0.name < $1.name }) where entry.kind == .file {
      guard let bytes = try read(Path.join(hooks, entry.name), limit: Bundles.largestHook) else { continue }
      let name = entry.name + Bundles.disabledSuffix
      try AtomicFile.write(Path.join(target, name), mode: 0o644, bytes, replace: true)
      restored.hooks.append(entry.name)
    }
    return restored
  }

  private func read(_ path: String, limit: Int) throws -> [UInt8]? {
    guard let file = try? File(path, [.read, .noFollow, .nonBlocking]), try file.status().kind == .file else {
      return nil
    }
    return try file.readAll(limit: limit)
  }

  private func restore(_ old: ConfigFile, _ restored: inout Restored) throws {
    var file = try ConfigSources.read(folder.configPath)
    for entry in old.entries {
      guard !entry.key.runsProgram else {
        restored.programs.append(entry.key.description)
        continue
      }
      try file.set(entry.key, entry.value ?? "true", adding: true)
      restored.settings += 1
    }
    try file.save()
  }
}
