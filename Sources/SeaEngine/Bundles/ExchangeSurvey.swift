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
  package func survey(_ place: ExchangeFolder) throws -> ExchangeSurvey {
    try ExchangeSurvey(place, for: self) { bundle in
      let reader = try BundleReader(.file(path: bundle.path), temporary: folder.path)
      guard try reader.manifest().database == folder.databaseID else { return nil }
      // What it only promises keeps nothing from being written: a byte that has turned over is found here, where there
      // is somebody to write it again.
      return try SurveyedBundle(bundle, reader, BundleContent.read(reader, store))
    }
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
  fileprivate func runs(in bundles: [SurveyedBundle]) throws -> [BlockRun] {
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
  fileprivate func common(to heads: [HeadsFile]) throws -> Frontier {
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

  /// Writes down what this instance has, if the folder lets it.
  /// - Returns: whether it stands there now.
  @discardableResult
  package func leaveHeads(in place: ExchangeFolder) throws -> Bool {
    let file = HeadsFile(
      database: folder.databaseID, instance: folder.instance, heads: try store.branches.heads())
    do throws(SystemError) {
      try place.write(file)
      return true
    } catch {
      // Others need not let us; a disk that fails does not pass for one that lets us.
      if error.isUnreadable, !error.isDenied { throw error }
      return false
    }
  }
}

extension ExchangeSurvey {
  /// Whether a file of assets need not be written where there is such a one: it is what is here, or not here.
  private static func isSame(_ place: AssetPlace, _ digest: Digest, _ here: Assets) throws -> Bool {
    if let known = try here.store.assets.stored(place) { return known.digest == digest }
    return try here.files.assetSize(place) == nil
  }

  /// - Parameter look: what a bundle has; nil for one of another database.
  init(
    _ place: ExchangeFolder, for database: Bundles, _ look: (ExchangeFolder.Bundle) throws -> SurveyedBundle?
  ) throws {
    for bundle in try place.bundles() {
      do {
        guard let surveyed = try look(bundle) else {
          others += 1
          continue
        }
        for (place, digest) in surveyed.assets where try ExchangeSurvey.isSame(place, digest, database.assets) {
          assets.insert(place)
        }
        bundles.append(surveyed)
      } catch let error as BundleError {
        unreadable.append((bundle.name, error))
      }
    }
    heads = place.heads(of: database.folder.databaseID, except: database.folder.instance)
    runs = try database.runs(in: bundles)
    frontier = try database.held(by: bundles)
    frontier.formUnion(try database.common(to: heads))
  }
}
