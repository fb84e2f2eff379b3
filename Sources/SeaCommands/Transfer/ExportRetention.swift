import SeaEngine

import struct SeaContainer.BundleManifest

/// Deletes the bundles that no retention rule of `sea export` keeps.
struct ExportRetention {
  static let last = Option("keep-last", nil, .integer, "N", "keep the last N bundles of this instance in DIR")
  static let daily = Option(
    "keep-daily", nil, .integer, "N", "keep the newest bundle of each of the last N days with bundles")
  static let weekly = Option("keep-weekly", nil, .integer, "N", "like --keep-daily, for weeks (from Monday)")
  static let monthly = Option("keep-monthly", nil, .integer, "N", "like --keep-daily, for months")
  static let yearly = Option("keep-yearly", nil, .integer, "N", "like --keep-daily, for years")
  static let options = [last, daily, weekly, monthly, yearly]

  private let session: Session
  private let database: Database
  private let retention: Retention
  private let isDry: Bool

  /// Returns nil if there is no retention rule. In this case, no bundle is ever deleted.
  init?(_ session: Session, _ database: Database, _ arguments: Arguments) {
    guard Self.options.contains(where: arguments.has) else { return nil }
    (self.session, self.database) = (session, database)
    isDry = arguments.has(.dryRun)
    var retention = Retention()
    retention.last = arguments.integer(Self.last) ?? 0
    retention.daily = arguments.integer(Self.daily) ?? 0
    retention.weekly = arguments.integer(Self.weekly) ?? 0
    retention.monthly = arguments.integer(Self.monthly) ?? 0
    retention.yearly = arguments.integer(Self.yearly) ?? 0
    self.retention = retention
  }

  /// - Throws: `UsageFault` if there is a retention rule but no folder.
  static func check(_ arguments: Arguments) throws(UsageFault) {
    guard !arguments.has(ExportCommand.to), let rule = options.first(where: arguments.has) else { return }
    throw .needs(option: rule.dashed, with: ExportCommand.to.dashed)
  }

  func preview(_ survey: ExchangeSurvey, adding plan: ExportPlan?) throws {
    try report(self.plan(survey, adding: plan))
  }

  /// - Throws: `RemoteLocationError.timeless` if the times of the bundles are unknown.
  func check(_ survey: ExchangeSurvey, of location: String) throws {
    if database.bundles.retention.lacksTimes(retention, in: survey) { throw RemoteLocationError.timeless(location) }
  }

  func run(_ place: BundleDirectory, _ survey: ExchangeSurvey, adding plan: ExportPlan?) throws {
    try report(
      database.bundles.retention.run(
        retention, at: place, survey, adding: plan, offset: session.host.offset,
        complains: { name, error in
          let failure = Failure.row(error, name)
          session.terminal.warning(
            failure.slug, failure.message, hint: "this bundle is ignored, and no bundle is removed because of it")
        }))
  }

  private func plan(_ survey: ExchangeSurvey, adding plan: ExportPlan?) throws -> RetentionPlan {
    try database.atOneState {
      try database.bundles.retention.plan(retention, in: survey, adding: plan, offset: session.host.offset)
    }
  }

  private func report(_ plan: RetentionPlan) throws {
    for one in plan.removed { try report(isDry ? "would-remove" : "removed", one, isDry ? "would remove" : "removed") }
    for one in plan.needed { try report("kept", one, "kept (no other bundle has all of its blocks):") }
    session.terminal.summarize(["removed": .integer(plan.removed.count)])
  }

  private func report(_ event: String, _ one: SurveyedBundle, _ words: String) throws {
    try session.terminal.report(
      event,
      [
        "file": .text(one.bundle.location), "blocks": .integer(one.manifest.blocks),
        "bytes": .integer(one.size), "time": .time(one.time * 1000),
      ]
    ) { "\(words) \(one.bundle.name)   \(session.terminal.text(one.time * 1000)), \(SizeText.of(one.size))" }
  }
}
