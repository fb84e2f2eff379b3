internal import SeaCore
internal import SeaEngine
internal import SeaSystem
internal import enum SeaContainer.BundleCompression
internal import struct SeaContainer.BundleManifest

/// An export into an exchange directory.
struct ExchangeWriting {
  private static let mostAttempts = 100

  private let engine: Engine
  private let directory: String
  private let options: Database.Bundles.ExportOptions
  private let retention: SeaEngine.Retention?
  private let start: ExportStart?
  /// Nothing is noted in a database that is only read.
  private let remembers: Bool
  private var unreadable: [String: SeaError] = [:]

  init(
    _ engine: Engine, _ directory: String, _ options: Database.Bundles.ExportOptions,
    _ retention: SeaEngine.Retention?, remembers: Bool
  ) throws {
    guard options.volumeSize ?? 1 > 0 else { throw SeaError(.usage, "a volume has one byte at least") }
    (self.engine, self.directory, self.options, self.retention) = (engine, directory, options, retention)
    self.remembers = remembers
    start = try options.start?.core(engine) ?? (options.isBackup ? .everything : nil)
  }

  /// Where another export was faster with the name, what it wrote is looked at too.
  mutating func run() throws -> ExchangeExport {
    for _ in 1..<ExchangeWriting.mostAttempts {
      do { return try once() } catch TransferError.bundle(_, .system(let error)) where error.isExisting {}
    }
    return try once()
  }

  private mutating func once() throws -> ExchangeExport {
    let place = try place(making: true)!
    let (survey, plan) = try look(at: place)
    var written: ExportedBundle?
    if plan.isNews { written = try write(plan, to: place) }
    try place.leaveWord(of: engine.bundles, writing: plan, remembers: remembers)
    var left = RetentionPlan()
    if let retention {
      left = try engine.bundles.retention.run(
        retention, at: place, survey, adding: plan.isNews ? plan : nil, offset: ThisProcess.localOffset,
        complains: { unreadable[$0] = SeaError(known: TransferError.bundle(name: $0, $1)) })
    }
    return ExchangeExport(
      bundle: written, removed: left.removed.names, kept: left.needed.names, unreadable: unreadable)
  }

  /// - Parameter making: whether the folder is made if only that is missing.
  /// - Returns: nil if the folder is missing and is not to be made.
  private func place(making: Bool) throws -> ExchangePlace? {
    if let path = ExchangePlace.path(of: directory) {
      // A folder of a database is no place for bundles.
      try Location.checkWritable(Path.join(path, "bundle"), of: engine.folder)
    } else {
      _ = try Containers.at(directory, engine.folder.settings.helpers)
    }
    return try ExchangePlace.toWrite(
      directory, for: engine.bundles, isNew: options.beginsDirectory, isDry: !making)
  }

  private mutating func look(at place: ExchangePlace) throws -> (ExchangeSurvey, ExportPlan) {
    let survey = try place.survey(for: engine.bundles)
    for (name, error) in survey.unreadable {
      unreadable[name] = SeaError(known: TransferError.bundle(name: name, error))
    }
    if let retention, engine.bundles.retention.lacksTimes(retention, in: survey) {
      throw SeaError(
        .refused, "'\(directory)' does not tell when its files were written: only the rule of the last ones goes there",
        ["path": directory])
    }
    return (survey, try plan(in: survey))
  }

  private func plan(in survey: ExchangeSurvey) throws -> ExportPlan {
    try survey.plan(
      for: engine.bundles, from: start, assets: options.withAssets ? .all : .none, backup: options.isBackup)
  }

  private var compression: BundleCompression { BundleCompression(rawValue: options.compression.rawValue) ?? .zstd }

  private func name(_ plan: ExportPlan, taken: [String]) throws -> String {
    BundleName.next(
      contentType: plan.manifest.contentType, label: try engine.name(), isFull: plan.isFull, compression, taken: taken)
  }

  private func write(_ plan: ExportPlan, to place: ExchangePlace) throws -> ExportedBundle {
    let name = try name(plan, taken: place.folder.taken())
    let exported = try place.write(
      plan, named: name, compression, volumeSize: options.volumeSize, verifies: options.verifies, of: engine.bundles)
    return ExportedBundle(exported, plan)
  }

  mutating func preview() throws -> ExchangePreview {
    let place = try place(making: false)
    let none = ExchangeSurvey()
    let (survey, plan) = if let place { try look(at: place) } else { (none, try plan(in: none)) }
    let name = plan.isNews ? try name(plan, taken: place?.folder.taken() ?? []) : nil
    var left = RetentionPlan()
    if let retention {
      left = try engine.atOneState {
        try engine.bundles.retention.plan(
          retention, in: survey, adding: plan.isNews ? plan : nil, offset: ThisProcess.localOffset)
      }
    }
    return ExchangePreview(plan, name: name, left, unreadable)
  }
}
