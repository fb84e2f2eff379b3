import SeaEngine
import SeaSystem

extension [Assignment] {
  /// Reads the content of every asset, which may take long: nobody waits for a lock meanwhile.
  mutating func loadAssets(into database: Database, _ session: Session, dryRun: Bool) throws -> [StagedAsset] {
    var loaded: [StagedAsset] = []
    for k in indices {
      guard let name = self[k].assetFile else { continue }
      let asset = try database.assets.stage(session.assetInput(name), named: name, dryRun: dryRun)
      self[k].asset = asset
      loaded.append(asset)
    }
    return loaded
  }
}

extension Session {
  /// What lies behind a FILE operand that becomes an asset; `-` is standard input.
  func assetInput(_ name: String) throws -> AssetInput {
    guard name == "-" else { return .file(try File.awaited(path(name))) }
    var rest: [UInt8] = []
    return .stream { [input = terminal.input] buffer in
      if rest.isEmpty { rest = try input.piece() }
      let count = Swift.min(rest.count, buffer.count)
      rest.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
      rest.removeFirst(count)
      return count
    }
  }
}
