import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The content of an exchange folder. It determines where the next bundle begins.
package struct ExchangeSurvey {
  var runs: [BlockRun] = []
  /// The blocks that do not have to be written again.
  package var frontier = VersionVector()
  package var bundles: [SurveyedBundle] = []
  package var unreadable: [(name: String, error: BundleError)] = []
  package var others = 0
  package var heads: [HeadsFile] = []
  /// The asset files that are in the folder and do not have to be written again.
  package var assets: Set<AssetPlace> = []

  package init() {}
}

extension Bundles {
  /// Surveys a directory to find where the next bundle begins.
  ///
  /// Reads local bundles completely, so that a false manifest cannot hide a missing block and damage is found while the
  /// content still exists locally. Trusts the manifests of remote bundles, because otherwise every survey would have to
  /// download them.
  package func survey(_ place: BundleDirectory) throws -> ExchangeSurvey {
    try survey(place) { bundle, _ in try place.has(bundle) }
  }

  /// - Parameter reads: decides from a bundle's manifest whether to read the whole bundle.
  func survey(
    _ place: BundleDirectory, reading reads: (BundleDirectory.Bundle, BundleManifest) throws -> Bool
  ) throws -> ExchangeSurvey {
    var survey = ExchangeSurvey()
    for bundle in try place.bundles() {
      do {
        guard let surveyed = try place.surveyed(bundle, for: self, { try reads(bundle, $0) }) else {
          survey.others += 1
          continue
        }
        for (place, digest) in surveyed.assets where try isSame(place, digest) { survey.assets.insert(place) }
        survey.bundles.append(surveyed)
      } catch TransferError.bundle(_, let error) {
        survey.unreadable.append((bundle.name, error))
      }
    }
    survey.heads = try place.heads(of: folder.databaseID, except: folder.instance)
    survey.runs = try runs(in: survey.bundles)
    survey.frontier = try held(by: survey.bundles)
    survey.frontier.formUnion(try common(to: survey.heads))
    return survey
  }

  /// Returns whether an asset file does not have to be written again: it is equal to the local file, or there is no
  /// local file.
  private func isSame(_ place: AssetPlace, _ digest: Digest) throws -> Bool {
    if let known = try store.assets.stored(place) { return known.digest == digest }
    return try assets.files.assetSize(place) == nil
  }

  /// Returns the blocks that a new instance would have after importing the bundles.
  func held(by bundles: [SurveyedBundle]) throws -> VersionVector {
    var frontier = VersionVector()
    var open = bundles
    var moved = true
    while moved {
      moved = false
      for (at, bundle) in open.enumerated().reversed() {
        let fits = try bundle.manifest.base.allSatisfy { base in
          try store.blocks.block(base.block).map { frontier.covers($0.ref) } ?? false
        }
        guard fits else { continue }
        for head in bundle.held {
          try store.branches.extend(&frontier, to: head.block)
        }
        open.remove(at: at)
        moved = true
      }
    }
    return frontier
  }

  private func runs(in bundles: [SurveyedBundle]) throws -> [BlockRun] {
    var runs: [BlockRun] = []
    for bundle in bundles {
      for head in bundle.held {
        guard let branch = try store.branches.branch(head.branch), head.index <= branch.head.index else { continue }
        let base = bundle.manifest.base.first { $0.branch == head.branch }
        let run = BlockRun(head.branch, first: base.map { $0.index &+ 1 } ?? branch.first, last: head.index)
        let isKnown = runs.contains { $0.branch == run.branch && $0.first <= run.first && run.last <= $0.last }
        if !isKnown, run.first <= run.last { runs.append(run) }
      }
    }
    return runs
  }

  /// Returns the blocks that all instances with heads files have, provided that at least one of these instances is
  /// authorized. A forged heads file can cause a bundle to contain unnecessary blocks, but not to lack necessary ones.
  private func common(to heads: [HeadsFile]) throws -> VersionVector {
    var common: VersionVector?
    let membership = try members.membership()
    let isAnyKnown = try heads.contains { file in
      guard try store.branches.chain(file.instance) != nil else { return false }
      return membership.map { $0[file.instance]?.role != nil } ?? true
    }
    guard isAnyKnown else { return VersionVector() }
    for file in heads {
      var frontier = VersionVector()
      for head in file.heads { try store.branches.extend(&frontier, to: head) }
      common?.formIntersection(frontier)
      if common == nil { common = frontier }
    }
    return common ?? VersionVector()
  }
}

extension ExchangeSurvey {
  /// - Parameter start: where the export begins; nil to continue after the blocks that are already in the folder.
  package func plan(
    for database: Bundles, from start: ExportStart?, assets filter: AssetFilter, backup: Bool
  ) throws -> ExportPlan {
    let isWhole = if case .everything? = start { true } else { false }
    var plan = try database.store.snapshot {
      try database.plan(
        behind: start.map { try database.frontier(of: $0) } ?? frontier, assets: filter,
        except: isWhole ? [] : assets, following: start == nil ? runs : [], backup: backup)
    }
    // A pending instance writes its access request only once.
    if plan.onlyAsks, bundles.contains(where: { $0.manifest.from == database.folder.instance }) { plan.isNews = false }
    return plan
  }
}
