import SeaContainer
import SeaCore
import SeaStore

/// The bundles that retention removes from an exchange folder, and those that it has to keep.
package struct RetentionPlan {
  /// The bundles to remove, oldest first, so that an interruption does no harm.
  package var removed: [SurveyedBundle] = []
  /// Bundles that no rule keeps, but whose content is in no other bundle of this instance.
  package var needed: [SurveyedBundle] = []

  package init() {}
}

package struct RetentionRun {
  let bundles: Bundles
  private var store: Store { bundles.store }
  private var folder: SeaFolder { bundles.folder }

  /// Plans the retention of this instance's bundles in an exchange folder.
  ///
  /// Other instances' bundles are neither removed nor relied upon, because they may disappear at any time. A bundle is
  /// removed only if this instance's remaining bundles contain all of its blocks and assets. Manifests may be forged,
  /// so blocks must match the local store, and files must have the same digests.
  /// - Parameters:
  ///   - plan: a bundle that will be written before any are removed.
  ///   - offset: returns how many seconds local time is ahead of UTC at a Unix time.
  package func plan(
    _ retention: Retention, in survey: ExchangeSurvey, adding plan: ExportPlan? = nil, offset: (Int64) -> Int
  ) throws -> RetentionPlan {
    var own = survey.bundles.filter { $0.manifest.from == folder.instance }
    own.sort { ($0.time, $0.bundle.name) > ($1.time, $1.bundle.name) }
    if let plan { own.insert(SurveyedBundle(planned: plan, time: folder.settings.clock() / 1000), at: 0) }
    let wanted = retention.wanted(own.map(\.time), offset: offset)
    var stays = own.indices.map { _ in true }
    var result = RetentionPlan()
    for at in own.indices.reversed() where !wanted.contains(at) {
      let rest = own.indices.filter { $0 != at && stays[$0] }
      if try isHeld(own[at], by: rest.map { own[$0] }, newer: rest.filter { $0 < at }.map { own[$0] }) {
        stays[at] = false
        result.removed.append(own[at])
      } else {
        result.needed.append(own[at])
      }
    }
    return result
  }

  private func isHeld(_ one: SurveyedBundle, by rest: [SurveyedBundle], newer: [SurveyedBundle]) throws -> Bool {
    if !one.backup.isEmpty, try !isSuperseded(one.backup, by: newer) { return false }
    guard one.assets.allSatisfy({ file in rest.contains { $0.assets[file.key] == file.value } }) else { return false }
    var wanted = VersionVector()
    for head in one.held {
      guard try store.blocks.block(head.block) != nil else { return false }
      try store.branches.extend(&wanted, to: head.block)
    }
    guard one.branches.isSubset(of: Set(one.held.map(\.branch))) else { return false }
    let frontier = try bundles.held(by: rest)
    return wanted.last.allSatisfy { branch, index in frontier[branch].map { $0 >= index } ?? false }
  }

  /// Returns whether a newer bundle has the same settings and hooks, or the current ones. Any others may be forged.
  private func isSuperseded(_ backup: [BundlePath: Digest], by newer: [SurveyedBundle]) throws -> Bool {
    if newer.contains(where: { $0.backup == backup }) { return true }
    let now = try bundles.backupFiles().digests
    return !now.isEmpty && newer.contains { $0.backup == now }
  }
}

extension RetentionRun {
  /// Removes the bundles that no rule keeps, after reading this instance's remaining bundles again.
  /// - Parameters:
  ///   - survey: the survey of the folder before `plan` was written.
  ///   - plan: a bundle that has been written since.
  ///   - offset: returns how many seconds local time is ahead of UTC at a Unix time.
  ///   - complains: called for bundles that have become unreadable.
  package func run(
    _ retention: Retention, at place: BundleDirectory, _ survey: ExchangeSurvey, adding plan: ExportPlan?,
    offset: (Int64) -> Int, complains: (String, BundleError) throws -> Void
  ) throws -> RetentionPlan {
    let before = try planned(retention, survey, adding: plan, offset)
    if before.removed.isEmpty { return before }
    let (own, going) = (bundles.folder.instance, Set(before.removed.map(\.bundle.name)))
    return try place.whileLocked {
      let place = try BundleDirectory(place.location, for: bundles.folder)
      let now = try bundles.survey(place) { $1.from == own && !going.contains($0.name) }
      for (name, error) in now.unreadable where !survey.unreadable.contains(where: { $0.name == name }) {
        try complains(name, error)
      }
      var result = try planned(retention, now, offset)
      let removed = Set(result.removed.map(\.bundle.name))
      let isRead = now.bundles.allSatisfy { $0.isRead || $0.manifest.from != own || removed.contains($0.bundle.name) }
      // If the folder has changed, the next export tries again.
      if isRead { try place.remove(result.removed.map(\.bundle)) } else { result.removed = [] }
      return result
    }
  }

  private func planned(
    _ retention: Retention, _ survey: ExchangeSurvey, adding plan: ExportPlan? = nil, _ offset: (Int64) -> Int
  ) throws -> RetentionPlan {
    try bundles.store.snapshot { try self.plan(retention, in: survey, adding: plan, offset: offset) }
  }

  /// Returns whether a rule depends on times, but some of this instance's bundles in the folder have no time.
  package func lacksTimes(_ retention: Retention, in survey: ExchangeSurvey) -> Bool {
    retention.goesByTime && survey.bundles.contains { $0.manifest.from == bundles.folder.instance && $0.time <= 0 }
  }
}

extension [ExportPlan.Small] {
  fileprivate var digests: [BundlePath: Digest] {
    Dictionary(map { ($0.path, SHA256.hash($0.bytes)) }) { first, _ in first }
  }
}

extension Bundles {
  package var retention: RetentionRun { RetentionRun(bundles: self) }
}

extension SurveyedBundle {
  fileprivate init(planned plan: ExportPlan, time: Int64) {
    self.init(
      bundle: BundleDirectory.Bundle(name: "", path: "", location: ""), manifest: plan.manifest, time: time,
      branches: Set(plan.sections.map(\.branch)))
    held = plan.manifest.heads.filter { branches.contains($0.branch) }
    assets = Dictionary(plan.assets.map { ($0.place, $0.sha256) }) { first, _ in first }
    backup = plan.back.digests
  }
}
