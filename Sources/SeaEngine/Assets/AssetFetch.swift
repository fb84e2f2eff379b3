import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// What came of fetching one asset.
package enum FetchOutcome: Sendable, Equatable {
  /// It was here already, perhaps in another place.
  case here
  /// It came from these containers, mostly one.
  case fetched(from: [String])
  /// No container that was asked has all of it.
  case missing
  /// Where it was found it is not what the records say; each copy was reported.
  case bad
}

extension Assets {
  /// Gets the content of an asset that is not here, from the first container that has it whole and right.
  ///
  /// What an earlier run has left unfinished is gone on with. A copy that is not what the records say is told to
  /// `report` as `bad-asset`, and the next container is asked.
  /// - Throws: what this device could not do, `noKey`; and what a container could not, if no other one has the content.
  package func fetch(
    _ asset: AssetRow, from origins: [AssetOrigin], _ report: @escaping (Problem) -> Void
  ) throws -> FetchOutcome {
    try finishTaking()
    if try here(asset) != nil { return .here }
    var outcome = FetchOutcome.missing
    var failure: (any Error)?
    // Of a place that was left to other content, and so holds that.
    var superseded: [Problem] = []
    for candidate in try [asset] + twins(of: asset) {
      guard isPlausible(candidate) else {
        if candidate.extent == asset.extent { report(Problem(.badReference, candidate, place: "")) }
        outcome = .bad
        continue
      }
      let isShared = try store.assets.isShared(candidate)
      do {
        switch try AssetFetch(self, candidate, isShared ? { superseded.append($0) } : report).run(origins) {
        case .missing: continue
        case .bad: outcome = .bad
        case let done: return done
        }
      } catch let error as ContainerError {
        failure = error
      }
    }
    superseded.forEach(report)
    if let failure { throw failure }
    return outcome
  }
}

/// Content that comes from a file outside of the database.
package enum OutsideContent {
  /// Takes content that a record names, and that is not here.
  /// - Parameter name: what people call the file.
  /// - Returns: false if the file has other content; then nothing was kept.
  package static func take(
    _ asset: AssetRow, from file: File, named name: String, into assets: Assets
  ) throws -> Bool {
    guard assets.isPlausible(asset), try file.status().size == asset.size else { return false }
    try assets.finishTaking()
    try assets.author.keychain.prepare()
    let staged = try assets.stage(file, file.status(), named: name, at: asset.extent)
    guard staged.reference.sha256 == asset.digest else { return false }
    let drafts = staged.pieces.compactMap { piece in
      piece.draft.map { AssetFetch.Draft(file: $0, place: piece.place, size: piece.size, digest: piece.digest) }
    }
    try AssetFetch(assets, asset) { _ in }.take(drafts, from: nil)
    return true
  }
}

extension Assets {
  /// No container has that name.
  private static let markName = ".assets"

  /// Files get their places within `body`. What one that was stopped has left undone is done first.
  fileprivate func taking(_ body: () throws -> Void) throws {
    let mark = try folder.mark(ofWritingTo: Assets.markName)
    if mark.wasThere { try files.makeDurable() }
    try body()
    mark.end()
  }

  /// Makes good what one that was stopped has left undone: what is here by its name is here for ever.
  package func finishTaking() throws {
    if try folder.isMarked(Assets.markName) { try taking {} }
  }
}

/// Gets the content of one asset into `.sea/assets`.
///
/// Every file is made under the name of its place, so that a later run goes on where this one was stopped, and none gets
/// its place before the whole content was held against size and SHA-256: what a container says is not believed.
struct AssetFetch {
  private let assets: Assets
  private let asset: AssetRow
  private let report: (Problem) -> Void
  private var files: AssetFolder { assets.files }

  /// What could not be done on this device: it does not help to ask another container.
  private struct HereFailure: Error { let error: any Error }

  /// From where a file is to come; nil if it is here.
  private typealias Step = (place: AssetPlace, size: Int64, origin: AssetOrigin?)

  fileprivate struct Draft {
    let file: AssetDraft
    let place: AssetPlace
    let size: Int64
    var digest: Digest
  }

  init(_ assets: Assets, _ asset: AssetRow, _ report: @escaping (Problem) -> Void) {
    self.assets = assets
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
        if case .noKey = state { throw HereFailure(error: KitError.noKey(path: assets.folder.path, pending: false)) }
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

  /// - Returns: nil if a file is nowhere.
  private func plan(_ origins: [AssetOrigin]) throws -> [Step]? {
    guard !origins.isEmpty else { return nil }
    var plan: [Step] = []
    for place in asset.extent.places {
      let size = try assets.fileSize(of: place, in: asset)
      if try files.assetSize(place) == size {
        plan.append((place, size, nil))
      } else if let origin = try origins.first(where: { try $0.source.assetSize(place) == size }) {
        plan.append((place, size, origin))
      } else {
        return nil
      }
    }
    // All files are here and yet the asset is not: they are not what they should be.
    return plan.contains { $0.origin != nil } ? plan : nil
  }

  /// - Returns: what the content is worth, and whether some of it was here before.
  private func attempt(_ plan: [Step]) throws -> (AssetState, wasResumed: Bool) {
    var verifier = try assets.verifier(of: asset)
    var drafts: [Draft] = []
    var wasResumed = false
    var work = Work(.fetching, "", done: 0, of: plan.reduce(0) { $0 + $1.size })
    func content() throws -> AssetState {
      for (place, size, origin) in plan {
        verifier.begin(place)
        work.what = origin?.name ?? work.what
        guard let origin else {
          wasResumed = true
          try files.readAsset(place, from: 0) { bytes in
            try verifier.take(bytes) { _ in }
            return true
          }
          _ = try verifier.end { _ in }
          continue
        }
        let file = try here { try files.draft(for: place) ?? files.draft() }
        drafts.append(Draft(file: file, place: place, size: size, digest: .zero))
        wasResumed = try wasResumed || here { try file.size() } > 0
        var done = try here { try takeUp(file, size, &verifier) }
        let isThere = try origin.source.readAsset(place, from: done) { bytes in
          guard Int64(bytes.count) <= size - done else { throw AssetState.wrongSize(place) }
          try here { try file.write(bytes, at: done) }
          try verifier.take(bytes) { _ in }
          done += Int64(bytes.count)
          try here { try pace(bytes.count, origin) }
          work.done += Int64(bytes.count)
          assets.folder.settings.report?(work)
          return true
        }
        guard isThere else { throw AssetState.missing }
        guard done == size else { throw AssetState.wrongSize(place) }
        drafts[drafts.count - 1].digest = try verifier.end { _ in }
      }
      return verifier.finish()
    }
    let state: AssetState
    do {
      state = try content()
    } catch let found as AssetState {
      state = found
    } catch let failure as HereFailure {
      // What fills the disk is not kept on it.
      if case ContainerError.system(let error) = failure.error, error.isNoSpace { drafts.forEach { $0.file.discard() } }
      throw failure
    }
    if state == .good {
      let origins = plan.compactMap(\.origin)
      let isOne = origins.allSatisfy { $0.isAttached && $0.name == origins[0].name }
      try here { try take(drafts, from: isOne ? origins.first : nil) }
    } else {
      for draft in drafts { draft.file.discard() }
      // Files of it that were here are no better than the rest.
      let old = plan.filter { $0.origin == nil }.map(\.place)
      if !old.isEmpty { try assets.store.locked { try assets.remove(old) } }
    }
    return (state, wasResumed)
  }

  /// What is here of a file stays, and the next run goes on behind it.
  private func pace(_ count: Int, _ origin: AssetOrigin) throws {
    guard let allowance = assets.folder.settings.allowance else { return }
    allowance.pass(count, isFar: origin.source.isFar)
    if allowance.isLate { throw Allowance.Reached() }
  }

  private func here<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let state as AssetState { throw state } catch { throw HereFailure(error: error) }
  }

  /// Takes what an earlier run has left of a file; more than the file can have is thrown away.
  private func takeUp(_ file: AssetDraft, _ size: Int64, _ verifier: inout AssetVerifier) throws -> Int64 {
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
      try verifier.take(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { _ in }
      offset += Int64(count)
    }
    return offset
  }

  /// A container that was given all that was here before has all that is here now. So has one where reading is dear if nothing was here
  /// before and nothing given.
  private func noteGiven(to container: AssetOrigin, before: Int64) throws {
    let isFar = container.source.isFar
    let last = try assets.store.assets.lastStored()
    try assets.folder.remember(of: container.name) { state in
      guard var given = state.given ?? (isFar ? ContainerState.GivenAssets(sequence: 0, rule: "") : nil),
        given.sequence >= before
      else {
        return
      }
      given.sequence = last
      state.given = given
    }
  }

  /// Gives the files their places. They are noted first: what is noted and not here is looked for, what is here and not
  /// noted would never be handed on.
  /// - Parameter container: the one that all of them came from.
  fileprivate func take(_ drafts: [Draft], from container: AssetOrigin?) throws {
    try assets.store.locked {
      try assets.store.write {
        let before = try assets.store.assets.lastStored()
        for draft in drafts { try assets.store.assets.setStored(draft.place, size: draft.size, draft.digest) }
        if let container { try noteGiven(to: container, before: before) }
      }
      try assets.taking {
        for draft in drafts {
          if let old = try files.assetSize(draft.place), old != draft.size { try files.remove(draft.place) }
          try files.take(draft.file, as: draft.place)
        }
      }
    }
  }
}
