import SeaContainer
import SeaSystem

// A backup adds settings and hooks to the data, but never a key.

extension Bundles {
  static let hooksFolder = "hooks"
  /// Larger files are unlikely to be scripts, so they are left out.
  static let largestHook = 1 << 20

  func backupFiles() throws -> [ExportPlan.Small] {
    var files: [ExportPlan.Small] = []
    let config = try ConfigSources.read(folder.configPath)
    if !config.bytes.isEmpty, let path = BundlePath("\(BundlePath.backupFolder)/config") {
      files.append(ExportPlan.Small(path: path, bytes: config.bytes))
    }
    for (name, bytes) in try hookFiles() {
      guard let path = BundlePath("\(BundlePath.backupFolder)/\(Bundles.hooksFolder)/\(name)") else { continue }
      files.append(ExportPlan.Small(path: path, bytes: bytes))
    }
    return files.sorted { $0.path < $1.path }
  }

  private func hookFiles() throws -> [(name: String, bytes: [UInt8])] {
    guard let folder = try? Directory(Path.join(folder.path, Bundles.hooksFolder)) else { return [] }
    var found: [(name: String, bytes: [UInt8])] = []
    for entry in try folder.list().entries where entry.kind == .file {
      let file = try folder.file(entry.name, [.read, .nonBlocking])
      guard let bytes = try file.readAll(limit: Bundles.largestHook) else { continue }
      found.append((entry.name, bytes))
    }
    return found
  }
}
