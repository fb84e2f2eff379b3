import SeaKit

/// Knows which files of a record are pictures, and which ones are not on this device.
struct Files: Sendable {
  private(set) var pictures: Set<Asset> = []
  private(set) var missing: Set<Asset> = []

  /// Only so many files are read. All others can be downloaded.
  private static let most = 64

  init() {}

  init(in values: [Value?], _ database: Database) async throws {
    var seen: Set<Asset> = []
    for value in values {
      guard case .asset(let asset)? = value?.unlabeled, seen.count < Files.most, seen.insert(asset).inserted else {
        continue
      }
      if try await !database.assets.isHere(asset) {
        missing.insert(asset)
      } else if try await Picture.head(of: asset, database) != nil {
        pictures.insert(asset)
      }
    }
  }
}
