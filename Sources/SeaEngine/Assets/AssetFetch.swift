import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

package enum FetchOutcome: Sendable, Equatable {
  /// The content was already stored locally, perhaps at another place.
  case here
  /// The content came from these containers, usually only one.
  case fetched(from: [String])
  case missing
  /// No copy matches the records. Each copy has been reported.
  case bad
}

extension Assets {
  /// Fetches the content of a missing asset from the first container with a complete and valid copy. Continues a fetch
  /// that was interrupted. Reports an invalid copy as `bad-asset`, and tries the next container.
  /// - Throws: local errors, `noKey`, and errors of a container if no other container has the content.
  package func fetch(
    _ asset: AssetRow, from origins: [AssetOrigin], _ report: @escaping (Problem) -> Void
  ) throws -> FetchOutcome {
    try finishInstalling()
    if try here(asset) != nil {
      if try lacksList(asset) { try AssetFetch(self, asset, report).restoreList() }
      return .here
    }
    var outcome = FetchOutcome.missing
    var failure: (any Error)?
    // Problems at a place that is also claimed for other content.
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

package enum OutsideContent {
  /// Imports content that a record references and that is missing locally.
  /// - Parameter name: the name of the file in messages.
  /// - Returns: false if the file has other content.
  package static func importAsset(
    _ asset: AssetRow, from file: File, named name: String, into assets: Assets
  ) throws -> Bool {
    guard assets.isPlausible(asset), try file.status().size == asset.size else { return false }
    try assets.finishInstalling()
    try assets.author.keychain.prepare()
    let staged = try assets.stage(file, file.status(), named: name, at: asset.extent)
    guard staged.reference.digest == asset.digest else { return false }
    let drafts = staged.pieces.compactMap { piece in
      piece.draft.map { AssetFetch.Draft(file: $0, place: piece.place, size: piece.size, digest: piece.digest) }
    }
    try AssetFetch(assets, asset) { _ in }.store(drafts, from: nil)
    return true
  }
}

extension Assets {
  /// No container can have this name.
  private static let markName = ".assets"

  fileprivate func installing(_ body: () throws -> Void) throws {
    let mark = try folder.mark(ofWritingTo: Assets.markName)
    if mark.wasInterrupted { try files.makeDurable() }
    try body()
    mark.end()
  }

  /// Makes the files of an interrupted run durable, because a file that has been moved to its place must never be lost.
  package func finishInstalling() throws {
    if try folder.isMarked(Assets.markName) { try installing {} }
  }
}

/// Fetches the content of one asset into `.sea/assets`.
///
/// Each file begins as a draft with the name of its place, so that a later run can continue it. Drafts move to their
/// places only after the whole content matches the recorded size and digest. With a right list of pieces, the fetch
/// stops at the first wrong piece, keeps everything before it, and continues with another copy.
struct AssetFetch {
  private let assets: Assets
  private let asset: AssetRow
  private let report: (Problem) -> Void
  private var files: AssetFolder { assets.files }

  /// A local error, so trying another container would not help.
  private struct HereFailure: Error { let error: any Error }

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

  /// - Throws: local errors, and errors of a container if no other container has the content.
  func run(_ origins: [AssetOrigin]) throws -> FetchOutcome {
    var open = origins
    var isBad = false
    var failure: (any Error)?
    let list = try fetchList(origins)
    // The names of origins whose copy of a piece is wrong, by the start of the piece.
    var wrong: [Int64: Set<String>] = [:]
    var next: Int64 = 0
    while let plan = try plan(open, from: next, without: wrong[next] ?? []) {
      var name = plan.first { $0.origin != nil }?.origin?.name ?? ""
      do {
        let (state, wasResumed) = try attempt(plan, list)
        if case .wrongPieces(let ranges) = state, let start = ranges.first?.lowerBound {
          next = start
          if wasResumed { continue }
          name = step(with: start, in: plan)?.origin?.name ?? name
          isBad = true
          report(Problem(state, asset, place: name))
          // Encrypted copies may differ, so that another copy starts again and this piece is needed again.
          if !wrong[start, default: []].insert(name).inserted { open.removeAll { $0.name == name } }
          continue
        }
        if state == .good {
          let names = plan.compactMap { $0.origin?.name }
          return .fetched(from: origins.map(\.name).filter { names.contains($0) })
        }
        if case .noKey = state { throw HereFailure(error: KitError.noKey(path: assets.folder.path, pending: false)) }
        // The draft may have contained wrong bytes from another container, so try this container again.
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

  /// - Parameters:
  ///   - next: a position in the content.
  ///   - names: the origins that must not be used for the file with this position.
  private func plan(_ origins: [AssetOrigin], from next: Int64, without names: Set<String>) throws -> [Step]? {
    guard !origins.isEmpty else { return nil }
    var plan: [Step] = []
    for place in asset.contentPlaces {
      let size = try assets.fileSize(of: place, in: asset)
      let without = contentRange(of: place).contains(next) ? names : []
      if try files.assetSize(place) == size {
        plan.append((place, size, nil))
      } else if let origin = try origins.first(where: {
        try !without.contains($0.name) && $0.source.assetSize(place) == size
      }) {
        plan.append((place, size, origin))
      } else {
        return nil
      }
    }
    // If all files exist locally although the asset counts as missing, the files are wrong.
    return plan.contains { $0.origin != nil } ? plan : nil
  }

  private func contentRange(of place: AssetPlace) -> Range<Int64> {
    let fileSize = assets.folder.settings.assetFileSize
    let start = asset.extent.contentStart(at: place, of: asset.size, fileSize: fileSize)
    return start..<start + asset.extent.clearSize(at: place, of: asset.size, fileSize: fileSize)
  }

  private func step(with position: Int64, in plan: [Step]) -> Step? {
    plan.first { contentRange(of: $0.place).contains(position) }
  }

  /// A right list of pieces, and its file; the file is nil if it exists locally.
  private typealias FetchedList = (list: PieceList, file: [UInt8]?)

  /// Returns the list of pieces; nil if the content has none, or no copy of the list is right.
  private func fetchList(_ origins: [AssetOrigin]) throws -> FetchedList? {
    guard let place = asset.list else { return nil }
    let size = try assets.fileSize(of: place, in: asset)
    func read(_ source: AssetSource) throws -> FetchedList? {
      var verifier = try assets.verifier(of: asset)
      verifier.begin(place)
      var file: [UInt8] = []
      try source.readAsset(place, from: 0) { bytes in
        try verifier.consume(bytes) { _ in }
        file += bytes
        return file.count <= size
      }
      guard file.count == size else { return nil }
      _ = try verifier.end { _ in }
      return verifier.list.map { (list: $0, file: file) }
    }
    if try files.assetSize(place) == size, let found = try? read(files) { return (found.list, nil) }
    for origin in origins where (try? origin.source.assetSize(place)) == size {
      do {
        if let found = try read(origin.source) { return found }
        report(Problem(.wrongList(place), asset, place: origin.name))
      } catch AssetState.noKey {
        throw KitError.noKey(path: assets.folder.path, pending: false)
      } catch let state as AssetState {
        report(Problem(state, asset, place: origin.name))
      } catch is ContainerError {
        // The content will show whether this container fails.
      }
    }
    return nil
  }

  /// Writes the list of pieces of local content again.
  fileprivate func restoreList() throws {
    guard let place = asset.list else { return }
    var verifier = try assets.verifier(of: asset)
    for place in asset.contentPlaces {
      verifier.begin(place)
      try files.readAsset(place, from: 0) { bytes in
        try verifier.consume(bytes) { _ in }
        return true
      }
      _ = try verifier.end { _ in }
    }
    guard case .wrongList = verifier.finish(), let list = verifier.foundList else { return }
    try store([draft(ofList: assets.stored(list, at: place), at: place)], from: nil)
  }

  private func draft(ofList file: [UInt8], at place: AssetPlace) throws -> Draft {
    let draft = try files.draft()
    try file.withUnsafeBytes { try draft.write($0, at: 0) }
    return Draft(file: draft, place: place, size: Int64(file.count), digest: SHA256.hash(file))
  }

  /// - Returns: the state of the content, and whether part of the content that decides it existed locally before.
  private func attempt(
    _ plan: [Step], _ list: FetchedList?
  ) throws -> (AssetState, wasResumed: Bool) {
    var verifier = try assets.verifier(of: asset, list: list?.list, stops: true)
    var drafts: [Draft] = []
    /// The content that existed locally before, at least.
    var old: [Range<Int64>] = []
    var wasResumed = false
    var work = Work(.fetching, "", done: 0, of: plan.reduce(0) { $0 + $1.size })
    func content() throws -> AssetState {
      for (place, size, origin) in plan {
        verifier.begin(place)
        work.what = origin?.name ?? work.what
        let range = contentRange(of: place)
        guard let origin else {
          wasResumed = true
          old.append(range)
          try files.readAsset(place, from: 0) { bytes in
            try verifier.consume(bytes) { _ in }
            return true
          }
          _ = try verifier.end { _ in }
          continue
        }
        let file = try here { try files.draft(for: place) ?? files.draft() }
        drafts.append(Draft(file: file, place: place, size: size, digest: .zero))
        // Without a list, content that does not match is fetched again from the beginning.
        if list != nil, try assets.folder.isSealed(), try !here({ try isOfSameCopy(file, place, origin) }) {
          try here { try file.truncate(to: 0) }
        }
        let there = try here { try file.size() }
        wasResumed = wasResumed || there > 0
        let clear = try assets.folder.isSealed() ? PieceSeal.clearSize(ofFirst: there) : there
        old.append(range.lowerBound..<min(range.lowerBound + clear, range.upperBound))
        var done = try here { try resume(file, size, &verifier) }
        let isThere = try origin.source.readAsset(place, from: done) { bytes in
          guard Int64(bytes.count) <= size - done else { throw AssetState.wrongSize(place) }
          try here { try file.write(bytes, at: done) }
          try verifier.consume(bytes) { _ in }
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
      // If the disk is full, free the space of the drafts.
      if case ContainerError.system(let error) = failure.error, error.isNoSpace { drafts.forEach { $0.file.discard() } }
      throw failure
    }
    if state.isRight {
      let origins = plan.compactMap(\.origin)
      let isOne = origins.allSatisfy { $0.isAttached && $0.name == origins[0].name }
      try here {
        if let place = asset.list {
          if list == nil, try files.assetSize(place) != nil { try assets.store.locked { try assets.remove([place]) } }
          let found =
            try list?.file ?? (list == nil ? verifier.foundList : nil).map { try assets.stored($0, at: place) }
          if let found { try drafts.append(draft(ofList: found, at: place)) }
        }
        try store(drafts, from: isOne ? origins.first : nil)
      }
    } else if case .wrongPieces(let ranges) = state, let wrong = ranges.first {
      try here { try cut(drafts, plan, at: wrong) }
      return (state, old.contains { $0.overlaps(wrong) })
    } else {
      for draft in drafts { draft.file.discard() }
      let old = plan.filter { $0.origin == nil }.map(\.place)
      if !old.isEmpty { try assets.store.locked { try assets.remove(old) } }
    }
    return (state.isRight ? .good : state, wasResumed)
  }

  /// Keeps what is verified: the content before a wrong piece.
  private func cut(_ drafts: [Draft], _ plan: [Step], at wrong: Range<Int64>) throws {
    let isSealed = try assets.folder.isSealed()
    for draft in drafts {
      let range = contentRange(of: draft.place)
      guard range.upperBound > wrong.lowerBound else { continue }
      let clear = Int(max(0, wrong.lowerBound - range.lowerBound))
      try draft.file.truncate(to: Int64(isSealed ? PieceSeal.sealedStart(of: clear) : clear))
    }
    let old = plan.filter { $0.origin == nil && contentRange(of: $0.place).overlaps(wrong) }.map(\.place)
    if !old.isEmpty { try assets.store.locked { try assets.remove(old) } }
  }

  /// Stops when the time limit is reached. The next run continues the file.
  private func pace(_ count: Int, _ origin: AssetOrigin) throws {
    guard let allowance = assets.folder.settings.allowance else { return }
    allowance.delay(count, isFar: origin.source.isFar)
    if allowance.mustInterrupt { throw Allowance.Reached() }
  }

  private func here<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let state as AssetState { throw state } catch { throw HereFailure(error: error) }
  }

  /// Whether an encrypted draft begins like the file of an origin. Another encrypted copy has another salt and cannot
  /// continue the draft.
  private func isOfSameCopy(_ draft: AssetDraft, _ place: AssetPlace, _ origin: AssetOrigin) throws -> Bool {
    guard try draft.size() >= PieceSeal.headerSize else { return false }
    var header = [UInt8](repeating: 0, count: PieceSeal.headerSize)
    let count = try header.withUnsafeMutableBytes { try draft.read(into: $0, at: 0) }
    return try Array(header[..<count]) == origin.source.sealHeader(of: place)
  }

  /// Verifies the bytes that an earlier run left in a draft, and returns their number. Empties an oversized draft.
  private func resume(_ file: AssetDraft, _ size: Int64, _ verifier: inout AssetVerifier) throws -> Int64 {
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
      try verifier.consume(UnsafeRawBufferPointer(rebasing: buffer[..<count])) { _ in }
      offset += Int64(count)
    }
    return offset
  }

  /// Records that a container has all local assets if it already had all earlier assets. For a remote container without
  /// stored progress, this is recorded only if there were no assets before.
  private func recordGiven(to container: AssetOrigin, before: Int64) throws {
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

  /// Records the files, and then moves them to their places. If a file is recorded but missing, it is fetched again. If
  /// it were stored but not recorded, it would never reach a container.
  /// - Parameter container: the source of the files, if all of them have the same source.
  fileprivate func store(_ drafts: [Draft], from container: AssetOrigin?) throws {
    try assets.store.locked {
      try assets.store.write {
        let before = try assets.store.assets.lastStored()
        for draft in drafts { try assets.store.assets.setStored(draft.place, size: draft.size, draft.digest) }
        if let container { try recordGiven(to: container, before: before) }
      }
      try assets.installing {
        for draft in drafts {
          if let old = try files.assetSize(draft.place), old != draft.size { try files.remove(draft.place) }
          try files.install(draft.file, as: draft.place)
        }
      }
    }
  }
}
