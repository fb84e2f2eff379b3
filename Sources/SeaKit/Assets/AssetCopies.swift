import SeaContainer
import SeaCore
import SeaStore

/// The attached containers that can be looked into now, each once however many names it has.
package struct AssetCopies {
  package typealias Away = (name: String, error: any Error)

  package private(set) var containers: [(name: String, container: Container)] = []
  /// Those that cannot, and why.
  package private(set) var away: [Away] = []

  /// - Parameter only: none but the container of that name.
  /// - Throws: what is wrong with the database itself, and `containerNotFound`.
  init(_ database: Database, only: String? = nil) throws {
    let settings = try only.map { [try database.containerSetting($0)] } ?? database.containerSettings()
    var known: Set<UUID> = []
    for setting in settings {
      do {
        let container = try database.open(setting)
        if known.insert(try container.info().container).inserted { containers.append((setting.name, container)) }
      } catch {
        guard Database.containerState(for: error) != nil else { throw error }
        away.append((setting.name, error))
      }
    }
  }
}

extension Database {
  package func assetCopies(only name: String? = nil) throws -> AssetCopies { try AssetCopies(self, only: name) }

  /// The containers that have the content by name and size; nothing is read.
  package func holders(of asset: AssetRow, among copies: AssetCopies) throws -> [String] {
    try copies.containers.filter { try there(asset, in: $0.container) != nil }.map(\.name)
  }

  /// How many contents that any revision names are in the container, and neither here nor in another one that can be
  /// looked into.
  package func countAssets(onlyIn setting: ContainerSetting) throws -> Int {
    let container = try open(setting)
    let id = try container.info().container
    let others = try assetCopies().containers.filter { try $0.container.info().container != id }
    var seen: Set<Digest> = []
    try forEachAsset { asset in
      guard try !seen.contains(asset.digest) && here(asset) == nil && there(asset, in: container) != nil else { return }
      if try !others.contains(where: { try there(asset, in: $0.container) != nil }) { seen.insert(asset.digest) }
    }
    return seen.count
  }
}
