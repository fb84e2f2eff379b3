internal import SeaCore
internal import SeaEngine
internal import struct SeaContainer.BundleManifest

/// What came of an export into an exchange directory.
public struct ExchangeExport: Sendable {
  /// What was written; nil if nothing was new for it.
  public let bundle: ExportedBundle?
  /// The bundles of this instance that went, because no rule wanted them, the oldest first.
  public let removed: [String]
  /// Those that no rule wants, and that stay as no other one of this instance has all of them.
  public let kept: [String]
  /// What is wrong with bundles there that cannot be read, by their names. What they hold was written again.
  public let unreadable: [String: SeaError]
}

/// What an export into an exchange directory would do.
public struct ExchangePreview: Sendable {
  /// What the bundle would be called; nil if nothing is new.
  public let name: String?
  /// How many blocks it would have.
  public let blocks: Int
  /// How many changes of records these have, as far as they can be read here.
  public let changes: Int
  /// How many files of assets it would have.
  public let assets: Int
  /// Whether whoever has nothing could begin with it.
  public let isFull: Bool
  /// The bundles of this instance that would go, the oldest first.
  public let removed: [String]
  /// Those that no rule wants, and that would stay as no other one of this instance has all of them.
  public let kept: [String]
  /// What is wrong with bundles there that cannot be read, by their names.
  public let unreadable: [String: SeaError]

  init(_ plan: ExportPlan, name: String?, _ retention: RetentionPlan, _ unreadable: [String: SeaError]) {
    self.name = name
    let isNews = name != nil
    (blocks, changes) = isNews ? (Int(plan.manifest.blocks), plan.changes) : (0, 0)
    (assets, isFull) = isNews ? (plan.assetCount, plan.isFull) : (0, false)
    (removed, kept) = (retention.removed.names, retention.needed.names)
    self.unreadable = unreadable
  }
}

extension [SurveyedBundle] {
  var names: [String] { map(\.bundle.name) }
}

/// What was taken in of an exchange directory.
public struct ExchangeImport: Sendable {
  /// What was taken in of one bundle.
  public struct Bundle: Sendable, Hashable {
    /// What it is called.
    public let name: String
    /// Which one it is: SHA-256 of its manifest, as 64 hexadecimal digits.
    public let digest: String
    /// How many blocks were new.
    public let blocks: Int
    /// How many records say something else since.
    public let records: Int
    /// How many files of assets were new.
    public let assets: Int

    init(_ name: String, _ result: BundleImport.Result) {
      (self.name, digest) = (name, result.digest.description)
      (blocks, records, assets) = (result.exchange.pulled, result.exchange.records, result.assets)
    }
  }

  /// Those that were read, in the order in which they were taken in.
  public internal(set) var bundles: [Bundle] = []
  /// How many were not read because their blocks are here already.
  public internal(set) var known = 0
  /// Why bundles of this database were not taken in, by their names: `base-missing` for one that goes on from what is nowhere yet.
  public internal(set) var failures: [String: SeaError] = [:]
  /// The records that were merged.
  public internal(set) var merged: [String] = []
  /// The records that came into conflict and are still.
  public internal(set) var conflicts: [String] = []
  /// Whether all is here that lies there.
  public var isComplete: Bool { failures.isEmpty }

  init() {}
}

/// An exchange directory that this instance has used.
public struct ExchangeDirectory: Sendable, Hashable {
  /// How things stand with it.
  public enum State: String, Sendable, CaseIterable, Codable {
    /// Nobody has looked.
    case known
    /// It is there.
    case ok
    /// It is not there, as a stick that is not plugged in.
    case away
    /// It cannot be read.
    case failed
  }

  /// Its path, or where it lies elsewhere.
  public let location: String
  /// How things stand with it.
  public let state: State
  /// When it was used last from here.
  public let lastUse: Timestamp
  /// Blocks that are not there yet: of this instance, as far as is remembered; of all, if somebody has looked.
  public let blocksToExport: Int
  /// Files of assets that were left out there, and that the next export takes along.
  public let assetsToExport: Int
  /// Bundles with something that is not here; nil if nobody has looked.
  public let bundlesToImport: Int?

  init(_ status: ExchangeStatus) {
    (location, lastUse) = (status.path, Timestamp(milliseconds: status.time))
    state = State(rawValue: status.state.rawValue) ?? .failed
    (blocksToExport, assetsToExport, bundlesToImport) = (status.toExport, status.assetsToExport, status.new)
  }
}

/// What was made of a backup.
public struct RestoredBackup: Sendable {
  /// A new instance of the database, with all that the backup holds.
  public let database: Database
  /// How many settings are in force again.
  public let settings: Int
  /// Settings that can run a program. They were left out.
  public let omittedSettings: [String]
  /// Hooks, which lie there under another name and do not run before somebody has looked at them.
  public let disabledHooks: [String]
  /// What kept bundles of a directory from being taken in, while others were.
  public let failures: [SeaError]
}
