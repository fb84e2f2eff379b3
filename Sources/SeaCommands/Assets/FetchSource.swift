import SeaCore
import SeaEngine

/// Where assets are fetched from: attached containers, or bundles that were named.
struct FetchSource {
  var origins: [AssetOrigin] = []
  /// Whether there are containers, and none of them can be looked into.
  var isCutOff = false
  /// Keeps what came out of bundles until it was fetched.
  private var unpacked: BundleAssets?

  /// - Parameters:
  ///   - name: the name or the location of the only container, a bundle, or a folder of bundles; nil for all containers.
  ///   - wanted: what is to be fetched.
  init(_ name: String?, wanted: [AssetRow], _ database: Database, _ session: Session) throws {
    if let name, let bundles = try FetchSource.bundles(name, database, session) {
      let found = try database.bundles.bundleAssets(of: bundles, wanted: wanted)
      origins = found.origins
      unpacked = found
      return
    }
    let only = try name.map { try database.containers.setting($0, orAt: session.location($0)) }
    guard !wanted.isEmpty else { return }
    let copies = try session.copies(in: database, only: only)
    origins = copies.origins
    isCutOff = origins.isEmpty && !copies.away.isEmpty
  }

  /// Nil for what is the name of a container, and for what is no bundle.
  private static func bundles(
    _ name: String, _ database: Database, _ session: Session
  ) throws -> [(path: String, name: String)]? {
    guard try !database.containers.settings().contains(where: { $0.name == name }) else { return nil }
    switch try BundleOperand.of(session.path(name)) {
    case .file(let path): return [(path, name)]
    case .folder(_, let bundles): return bundles.map { ($0.path, $0.name) }
    case nil: return nil
    }
  }
}
