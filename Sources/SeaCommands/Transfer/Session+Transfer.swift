import SeaCore
import SeaEngine
import SeaSystem

extension Session {
  func bundlePath(_ text: String) throws -> String {
    if Containers.isRemoteLocation(text), text.containsText("://") { throw CommandError.noPlaceForBundles(text) }
    return path(text)
  }

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

extension BundleDirectory {
  /// Returns whether the text names a directory of bundles that can only be accessed through a helper.
  static func isMeant(by text: String, _ session: Session) -> Bool {
    guard Containers.isRemoteLocation(text), !text.hasPrefix("file:") else { return false }
    return text.containsText("://") || !session.host.exists(session.path(text))
  }

  static func at(_ location: String, for database: Database, _ session: Session) throws -> BundleDirectory {
    _ = try Containers.at(location, session.helpers)
    do { return try BundleDirectory(location, for: database.folder) } catch KitError.placeInUse {
      throw CommandError.noPlaceForBundles(location)
    }
  }
}
