import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Gets the content of one asset into `.sea/assets`.
///
/// Every file is made under the name of its place, so that a later run goes on where this one was stopped, and none gets
/// its place before the whole content was held against size and SHA-256: what a container says is not believed.
struct AssetFetch {
  private let database: Database
  private let asset: AssetRow
  private let report: (Problem) -> Void

  /// What could not be done on this device: it does not help to ask another container.
  private struct HereFailure: Error { let error: any Error }

  private struct Draft {
    let file: AssetDraft
    let place: AssetPlace
    let size: Int64
    var digest: Digest
  }

  init(_ database: Database, _ asset: AssetRow, _ report: @escaping (Problem) -> Void) {
    self.database = database
    self.asset = asset
    self.report = report
  }

  /// - Throws: what this device could not do; and what a container could not, if no other one helps.
  func run(_ origins: [AssetOrigin]) throws -> FetchOutcome {
    var open = origins
    var isBad = false
    var failure: (any Error)?
    while let plan = try plan(open) {
      let name = plan.first { $0.origin != nil }?.origin?.name ?? ""
      do {
        let (state, wasResumed) = try attempt(plan)
        if state == .good {
          let names = plan.compactMap { $0.origin?.name }
          return .fetched(from: origins.map(\.name).filter { names.contains($0) })
        }
        if case .noKey = state { throw HereFailure(error: KitError.noKey(path: database.path, pending: false)) }
        // What an earlier run has left may have come from somewhere else.
        if wasResumed { continue }
        if state != .missing {
          isBad = true
          report(Problem(state, asset, place: name))
        }
      } catch let error as HereFailure {
        throw error.error
      } catch {
        failure = error
      }
      open.removeAll { $0.name == name }
    }
    if let failure { throw failure }
    return isBad ? .bad : .missing
  }

  /// From where each file is to come; nil if one is nowhere.
  private func plan(_ origins: [AssetOrigin]) throws -> [(place: AssetPlace, size: Int64, origin: AssetOrigin?)]? {
    guard !origins.isEmpty else { return nil }
    var plan: [(AssetPlace, Int64, AssetOrigin?)] = []
    for place in asset.run.places {
      let size = try database.fileSize(of: place, in: asset)
      if try database.assetFolder.assetSize(place) == size {
        plan.append((place, size, nil))
      } else if let origin = try origins.first(where: { try $0.source.assetSize(place) == size }) {
        plan.append((place, size, origin))
      } else {
        return nil
      }
    }
    // All files are here and yet the asset is not: they are not what they should be.
    return plan.contains { $0.2 != nil } ? plan : nil
  }

  /// - Returns: what the content is worth, and whether some of it was here before.
  private func attempt(
    _ plan: [(place: AssetPlace, size: Int64, origin: AssetOrigin?)]
  ) throws -> (AssetState, wasResumed: Bool) {
    let isSealed = try database.isSealed()
    var check = AssetCheck(
      asset, database: database.databaseID, isSealed: isSealed, keys: try isSealed ? database.keyRing() : nil)
    var drafts: [Draft] = []
    var wasResumed = false
    var work = Work(.fetching, "", done: 0, of: plan.reduce(0) { $0 + $1.size })
    func outcome(_ body: () throws -> AssetState) throws -> AssetState {
      do { return try body() } catch let state as AssetState { return state }
    }
    let state: AssetState
    do {
      state = try outcome {
        for (place, size, origin) in plan {
          check.begin(place)
          work.what = origin?.name ?? work.what
          guard let origin else {
            wasResumed = true
            try database.assetFolder.readAsset(place, from: 0) { bytes in
              try check.take(bytes) { _ in }
              return true
            }
            _ = try check.end { _ in }
            continue
          }
          let file = try here { try database.assetFolder.draft(for: place) ?? database.assetFolder.draft() }
          drafts.append(Draft(file: file, place: place, size: size, digest: .zero))
          wasResumed = try wasResumed || here { try file.size() } > 0
          var done = try here { try takeUp(file, size, &check) }
          let isThere = try origin.source.readAsset(place, from: done) { bytes in
            guard Int64(bytes.count) <= size - done else { throw AssetState.wrongSize(place) }
            try here { try file.write(bytes, at: done) }
            try check.take(bytes) { _ in }
            done += Int64(bytes.count)
            work.done += Int64(bytes.count)
            database.settings.report?(work)
            return true
          }
          guard isThere else { throw AssetState.missing }
          guard done == size else { throw AssetState.wrongSize(place) }
          drafts[drafts.count - 1].digest = try check.end { _ in }
        }
        return check.finish()
      }
    } catch let failure as HereFailure {
      // What fills the disk is not kept on it.
      if case ContainerError.system(let error) = failure.error, error.isNoSpace {
        for draft in drafts { draft.file.discard() }
      }
      throw failure
    }
    guard state == .good else {
      for draft in drafts { draft.file.discard() }
      // Files of it that were here are no better than the rest.
      if plan.contains(where: { $0.origin == nil }) { try remove(plan.filter { $0.origin == nil }.map(\.place)) }
      return (state, wasResumed)
    }
    try here { try take(drafts) }
    return (.good, wasResumed)
  }

  private func here<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let state as AssetState { throw state } catch { throw HereFailure(error: error) }
  }

  /// Takes what an earlier run has left of a file; more than the file can have is thrown away.
  private func takeUp(_ file: AssetDraft, _ size: Int64, _ check: inout AssetCheck) throws -> Int64 {
    let there = try file.size()
    guard there <= size else {
      try file.truncate(to: 0)
      return 0
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AssetFile.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    while offset < there {
      let count = try file.read(into: buffer, at: offset)
      guard count > 0 else { break }
      try check.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { _ in }
      offset += Int64(count)
    }
    return offset
  }

  /// Gives the files their places. They are noted first: what is noted and not here is looked for, what is here and not
  /// noted would never be handed on.
  private func take(_ drafts: [Draft]) throws {
    let isOurs = try database.store.takeLock()
    defer { if isOurs { database.store.unlock() } }
    try database.store.write {
      for draft in drafts { try database.store.assets.setStored(draft.place, size: draft.size, draft.digest) }
    }
    for draft in drafts {
      if let old = try database.assetFolder.assetSize(draft.place), old != draft.size {
        try database.assetFolder.remove(draft.place)
      }
      try database.assetFolder.take(draft.file, as: draft.place)
    }
  }

  private func remove(_ places: [AssetPlace]) throws {
    let isOurs = try database.store.takeLock()
    defer { if isOurs { database.store.unlock() } }
    try database.store.write { for place in places { try database.store.assets.forgetStored(place) } }
    for place in places { try database.assetFolder.remove(place) }
  }
}
