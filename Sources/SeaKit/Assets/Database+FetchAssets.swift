import SeaCore
import SeaStore

extension Database {
  /// The content that is meant and not here, each once, however many places it has.
  package func missingAssets(_ selection: AssetSelection) throws -> [AssetRow] {
    var missing: [AssetRow] = []
    var seen: Set<Digest> = []
    try forEachAsset(selection) { asset in
      if try here(asset) == nil, seen.insert(asset.digest).inserted { missing.append(asset) }
    }
    return missing
  }
}
