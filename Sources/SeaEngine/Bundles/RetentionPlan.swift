import SeaContainer
import SeaCore
import SeaStore

/// What goes from an exchange folder, and what stays though no rule wants it.
package struct RetentionPlan {
  /// The oldest first, which is the order to remove them in: whoever is stopped has left what all of it would have left.
  package var removed: [SurveyedBundle] = []
  /// Of each of these something is in no other bundle of this instance there.
  package var needed: [SurveyedBundle] = []

  package init() {}
}

/// What a retention leaves of an exchange folder.
package struct RetentionRun {
  let bundles: Bundles
  private var store: Store { bundles.store }
  private var folder: SeaFolder { bundles.folder }

  /// What a retention leaves of the bundles that this instance has written into an exchange folder.
  ///
  /// Bundles of others are left alone and relied upon for nothing: they may be removed at this moment. Of ours one goes only
  /// if those of ours that stay bring somebody who begins with nothing as far as it does, with all its assets. What bundles say
  /// of themselves counts for that no more than those do that somebody has forged: blocks are those that are here, files the same bytes.
  /// - Parameters:
  ///   - plan: a bundle that would be written before.
  ///   - offset: the seconds that local time is ahead of UTC at a Unix time.
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
    var wanted = Frontier()
    for head in one.held {
      guard try store.blocks.block(head.block) != nil else { return false }
      try store.branches.extend(&wanted, to: head.block)
    }
    guard one.branches.isSubset(of: Set(one.held.map(\.branch))) else { return false }
    let frontier = try bundles.held(by: rest)
    return wanted.last.allSatisfy { branch, index in frontier[branch].map { $0 >= index } ?? false }
  }

  /// Whether a newer bundle has the same settings and hooks, or those that are here now: nothing else shows that it is no forged one.
  private func isSuperseded(_ backup: [BundlePath: Digest], by newer: [SurveyedBundle]) throws -> Bool {
    if newer.contains(where: { $0.backup == backup }) { return true }
    let now = try bundles.backupFiles().digests
    return !now.isEmpty && newer.contains { $0.backup == now }
  }
}

extension RetentionRun {
  /// Throws away what no rule wants any more, having read again all of this instance's bundles that stay and so are relied upon.
  /// - Parameters:
  ///   - survey: of the place, as it was before `plan` was written.
  ///   - plan: a bundle that was written since.
  ///   - offset: the seconds that local time is ahead of UTC at a Unix time.
  ///   - complains: told which bundles cannot be read, and could before.
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
      // Else something there has changed: the next export looks again.
      if isRead { try place.remove(result.removed.map(\.bundle)) } else { result.removed = [] }
      return result
    }
  }

  private func planned(
    _ retention: Retention, _ survey: ExchangeSurvey, adding plan: ExportPlan? = nil, _ offset: (Int64) -> Int
  ) throws -> RetentionPlan {
    try bundles.store.snapshot { try self.plan(retention, in: survey, adding: plan, offset: offset) }
  }

  /// Whether a rule goes by days and the place does not say which of this instance's bundles is of which.
  package func lacksTimes(_ retention: Retention, in survey: ExchangeSurvey) -> Bool {
    retention.goesByTime && survey.bundles.contains { $0.manifest.from == bundles.folder.instance && $0.time <= 0 }
  }
}

extension [ExportPlan.Small] {
  /// What they are, by their paths.
  fileprivate var digests: [BundlePath: Digest] {
    Dictionary(map { ($0.path, SHA256.hash($0.bytes)) }) { first, _ in first }
  }
}

extension Bundles {
  package var retention: RetentionRun { RetentionRun(bundles: self) }
}

extension SurveyedBundle {
  /// One that would be written.
  fileprivate init(planned plan: ExportPlan, time: Int64) {
    self.init(
      bundle: BundleDirectory.Bundle(name: "", path: "", location: ""), manifest: plan.manifest, time: time,
      branches: Set(plan.sections.map(\.branch)))
    held = plan.manifest.heads.filter { branches.contains($0.branch) }
    assets = Dictionary(plan.assets.map { ($0.place, $0.sha256) }) { first, _ in first }
    backup = plan.back.digests
  }
}
