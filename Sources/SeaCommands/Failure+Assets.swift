import SeaCore
import SeaKit

extension Failure {
  /// What went wrong with an asset.
  static func asset(_ error: KitError) -> Failure {
    switch error {
    case .assetMissing(let asset):
      return Failure(
        "asset-missing", .unreachable, "the content of \(asset.place) (\(asset.size) bytes) is not on this device",
        hint: "get it with: sea fetch-assets, or with: sea get --raw --fetch",
        details: [("place", asset.place), ("size", String(asset.size)), ("sha256", asset.sha256.description)])
    case .badAsset(let asset, let state):
      return Failure(
        "bad-asset", .corrupt, "the content of \(asset.place) is not what the record says: \(words(state))",
        hint: "what was written is not to be used; to get it anew: sea drop-assets, then sea fetch-assets",
        details: [("place", asset.place), ("sha256", asset.sha256.description)])
    case .assetTooLarge(let name):
      return Failure("bad-data", .badData, "'\(name)' has more bytes than an asset can have", details: [("path", name)])
    case .fileChanged(let name):
      return Failure(
        "file-changed", .system, "'\(name)' became longer or shorter while it was read; nothing was written",
        hint: "try again when nobody writes to it", details: [("path", name)])
    case .badAssetFilter(let name, let value):
      return Failure(
        "bad-data", .badData, "container.\(name).assets: '\(value)' is not a filter for assets",
        hint: "write all, none, or KEY=VALUE,... as in sea-sync(1)", details: [("name", "container.\(name).assets")])
    default:
      return Failure(
        "locked", .locked, "this instance took another name at this moment; nothing was written", hint: "try again")
    }
  }

  /// Why content is not what it should be.
  static func words(_ state: AssetState) -> String {
    switch state {
    case .good: "it is good"
    case .missing: "a file of it is missing"
    case .wrongSize(let place): "file \(place) has the wrong size"
    case .wrongDigest: "its SHA-256 is another"
    case .sealed(let place, let fault): "file \(place) does not open: \(fault.rawValue)"
    case .noKey: "no key opens it"
    case .badReference: "content of that size does not lie in so many files"
    }
  }
}
