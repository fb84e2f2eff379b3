import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// What an exchange folder says about where the next bundle has to begin.
package struct ExchangeSurvey {
  /// The blocks that its bundles have.
  var runs: [BlockRun] = []
  /// What need not be written again.
  package var frontier = Frontier()
  /// The bundles of this database, and those that cannot be read.
  package var bundles: [SurveyedBundle] = []
  package var unreadable: [(name: String, error: BundleError)] = []
  /// Bundles of other databases.
  package var others = 0
  /// What the other instances say to have.
  package var heads: [HeadsFile] = []
  /// Files of assets that its bundles have.
  package var assets: Set<AssetPlace> = []

  package init() {}
}

extension Bundles {
  /// What a directory says about where the next bundle has to begin.
  ///
  /// What is here is read: what a bundle only promises keeps nothing from being written then, and a byte that has turned over is found where
  /// there is somebody to write it again. What lies elsewhere is believed: to read all of it each time would be to have all of it come.
  package func survey(_ place: BundleDirectory) throws -> ExchangeSurvey {
    try survey(place) { bundle, _ in try place.has(bundle) }
  }

  /// - Parameter reads: whether all of a bundle is read, by what it says of itself.
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

  /// Whether a file of assets need not be written where there is such a one: it is what is here, or not here.
  private func isSame(_ place: AssetPlace, _ digest: Digest) throws -> Bool {
    if let known = try store.assets.stored(place) { return known.digest == digest }
    return try assets.files.assetSize(place) == nil
  }

  /// How far somebody gets who takes in bundles, one after the other, from nothing.
  func held(by bundles: [SurveyedBundle]) throws -> Frontier {
    var frontier = Frontier()
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

  /// The blocks that bundles have.
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

  /// What each of these has: nothing, unless one of them is of somebody who is known here. A hint of anybody else may have more
  /// written, and nothing left out.
  private func common(to heads: [HeadsFile]) throws -> Frontier {
    var common: Frontier?
    let membership = try members.membership()
    let isAnyKnown = try heads.contains { file in
      guard try store.branches.chain(file.instance) != nil else { return false }
      return membership.map { $0[file.instance]?.role != nil } ?? true
    }
    guard isAnyKnown else { return Frontier() }
    for file in heads {
      var frontier = Frontier()
      for head in file.heads { try store.branches.extend(&frontier, to: head) }
      common?.formIntersection(frontier)
      if common == nil { common = frontier }
    }
    return common ?? Frontier()
  }
}

extension ExchangeSurvey {
  /// What there is to write into the folder.
  /// - Parameter start: where it begins; nil for behind what the bundles and instances there have.
  package func plan(
    for database: Bundles, from start: ExportStart?, assets filter: AssetFilter, backup: Bool
  ) throws -> ExportPlan {
    let isWhole = if case .everything? = start { true } else { false }
    var plan = try database.store.snapshot {
      try database.plan(
        behind: start.map { try database.frontier(of: $0) } ?? frontier, assets: filter,
        except: isWhole ? [] : assets, following: start == nil ? runs : [], backup: backup)
    }
    // Whoever waits to be let in asks once.
    if plan.onlyAsks, bundles.contains(where: { $0.manifest.from == database.folder.instance }) { plan.isNews = false }
    return plan
  }
}
