import SeaContainer
import SeaCore
import SeaStore

/// Checks the asset files in a bundle while the bundle is being read. Blocks come before asset files.
///
/// Anyone can claim anything, so a file is damaged only if it does not match any claim.
final class BundleAssetCheck {
  private static let most = 64

  private let database: UUID
  private let isSealed: Bool
  private let keys: KeyRing?
  private let files: [AssetPlace: Int64]
  private var claims: AssetClaims
  /// The claims whose files are all in the bundle, by their first file. Use this only after all blocks have been read.
  private lazy var starts = Dictionary(grouping: claims.there) {
    AssetPlace(instance: $0.extent.instance, index: $0.extent.first)
  }
  private var open: [Reading] = []
  private var good: Set<AssetPlace> = []
  private var bad: [(asset: AssetRow, state: AssetState)] = []
  private var report: AssetReport

  private final class Reading {
    let asset: AssetRow
    let contents: Set<AssetClaims.Content>
    var verifier: AssetVerifier
    var fault: AssetState?

    init(_ asset: AssetRow, _ contents: Set<AssetClaims.Content>, _ verifier: consuming AssetVerifier) {
      self.asset = asset
      self.contents = contents
      self.verifier = verifier
    }

    func run(_ body: (inout AssetVerifier) throws -> Void) rethrows {
      guard fault == nil else { return }
      do { try body(&verifier) } catch let state as AssetState { fault = state }
    }

    var state: AssetState {
      if let fault { return fault }
      return verifier.finish { contents.contains(AssetClaims.Content(size: $0, digest: $1)) }
    }
  }

  init(_ reader: BundleReader, named place: String, keys: KeyRing?) throws {
    let manifest = try reader.manifest()
    (database, isSealed) = (manifest.database, manifest.isSealed)
    self.keys = keys?.database == manifest.database ? keys : nil
    var files: [AssetPlace: Int64] = [:]
    try reader.forEachPromised { member in
      if case .asset(let place) = member.path { files[place] = member.size }
    }
    self.files = files
    claims = AssetClaims(files)
    report = AssetReport(place: place)
  }

  func add(_ block: UnsafeRawBufferPointer, of instance: UUID) {
    if !files.isEmpty { claims.add(block, of: instance, keys) }
  }

  func begin(_ place: AssetPlace) {
    for (extent, contents) in (starts[place] ?? []).prefix(max(0, BundleAssetCheck.most - open.count)) {
      let first = contents.min { ($0.size, $0.digest.description) < ($1.size, $1.digest.description) }!
      let asset = AssetRow(key: 0, extent: extent, size: first.size, digest: first.digest, mime: "")
      open.append(
        Reading(asset, contents, AssetVerifier(asset, database: database, isSealed: isSealed, keys: keys)))
    }
    for one in open where one.fault == nil { one.verifier.begin(place) }
  }

  func consume(_ bytes: UnsafeRawBufferPointer) throws {
    report.bytes += Int64(bytes.count)
    for one in open { try one.run { try $0.consume(bytes) { _ in } } }
  }

  func end(_ place: AssetPlace) throws {
    for one in open { try one.run { _ = try $0.end { _ in } } }
    for one in open where one.asset.extent.last == place.index {
      switch one.state {
      case .good:
        report.good += 1
        good.formUnion(one.asset.extent.places)
      case .noKey: report.unopened += one.asset.extent.count
      case let fault: bad.append((one.asset, fault))
      }
    }
    open.removeAll { $0.asset.extent.last == place.index }
  }

  /// Returns the result once the bundle has been read. In the report, `unopened` and `unnamed` count files.
  func finish() -> (report: AssetReport, problems: [Problem]) {
    let problems = bad.filter { !$0.asset.extent.places.contains(where: good.contains) }.map {
      Problem($0.state, $0.asset, place: report.place)
    }
    let others = files.count - claims.named.count
    if claims.isLocked { report.unopened += others } else { report.unnamed += others }
    report.problems = problems.count
    return (report, problems)
  }
}
