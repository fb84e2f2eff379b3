import SeaEngine
import SeaTestSupport

extension Database {
  func sync(
    _ setting: ContainerSetting, _ direction: Direction, merges: Bool = true, assets: AssetFilter? = nil
  ) throws -> SyncResult {
    try exchange.sync(setting, SyncOptions(direction, merges: merges, assets: assets))
  }
}
