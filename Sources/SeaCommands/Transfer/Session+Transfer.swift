import SeaKit
import SeaSystem

extension Session {
  /// The path of a bundle, or of a folder for bundles.
  func bundlePath(_ text: String) throws -> String {
    if Containers.isElsewhere(text), text.contains("://") { throw CommandError.noPlaceForBundles(text) }
    return path(text)
  }

  /// What an export starts behind, as `--since` says it.
  func exportStart(_ text: String) throws -> ExportStart {
    if text == "-" { return .heads(try HeadsInput.read(text, self)) }
    let path = path(text)
    if let kind = BundleProbe.kind(of: path) {
      guard kind == .bundle else { return .heads(try HeadsInput.read(text, self)) }
      let temporary = try seaDirectory()
      return .heads(try BundleProbe.heads(of: path, named: text, temporary: temporary))
    }
    guard let time = TimeText.parse(text, now: host.now()) else { throw TransferError.badStart(text) }
    return .time(time)
  }
}
