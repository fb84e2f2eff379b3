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
  /// Fetches the content of an asset from containers, and continues a fetch that was interrupted. Content that is here
  /// is verified, and wrong pieces of it are fetched again. Reports an invalid copy as `bad-asset`, and tries the next
  /// container.
  /// - Throws: local errors, `noKey`, and errors of a container if no other container has the content.
  package func fetch(
    _ asset: AssetRow, from origins: [AssetOrigin], _ report: @escaping (Problem) -> Void
  ) throws -> FetchOutcome {
    try finishInstalling()
    var outcome = FetchOutcome.missing
    var failure: (any Error)?
    // Problems at a place that is also claimed for other content.
    var superseded: [Problem] = []
    let first = try here(asset) ?? asset
    for candidate in try [first] + twins(of: first) {
      guard isPlausible(candidate) else {
        if candidate.extent == asset.extent { report(Problem(.badReference, candidate, place: "")) }
        outcome = .bad
        continue
      }
      let isShared = try store.assets.isShared(candidate)
      do {
        let fetch = try AssetFetch(self, candidate, origins, isShared ? { superseded.append($0) } : report)
        switch try fetch.run(isShared: isShared) {
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
  /// Returns whether a file has the content of an asset. The size alone does not show it.
  package static func holds(_ file: File, _ asset: AssetRow, checkStop: () throws -> Void) throws -> Bool {
    var content = ContentDigest(forSize: asset.size)
    try file.forEachPiece(0..<asset.size + 1) { bytes in
      try checkStop()
      content.update(bytes)
      return true
    }
    return content.count == asset.size && content.digest() == asset.digest
  }

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
    try assets.store(staged.pieces, from: nil)
    return true
  }
}

extension Assets {
  /// No container can have this name.
  private static let markName = ".assets"

  private func installing(_ body: () throws -> Void) throws {
    let mark = try folder.mark(ofWritingTo: Assets.markName)
    if mark.wasInterrupted { try files.makeDurable() }
    try body()
    mark.end()
  }

  /// Makes the files of an interrupted run durable, because a file that has been moved to its place must never be lost.
  package func finishInstalling() throws {
    if try folder.isMarked(Assets.markName) { try installing {} }
  }

  /// Records the files, and then moves them to their places. If a file is recorded but missing, it is fetched again. If
  /// it were stored but not recorded, it would never reach a container.
  /// - Parameter container: the source of the files, if all of them have the same source.
  fileprivate func store(_ files: [StagedAsset.Piece], from container: AssetOrigin?) throws {
    guard !files.isEmpty else { return }
    try store.locked {
      try store.write {
        let before = try store.assets.lastStored()
        for file in files { try store.assets.setStored(file.place, size: file.size, file.digest) }
        if let container { try recordGiven(to: container, before: before) }
      }
      try installing {
        for file in files {
          // A file that is here is wrong.
          try self.files.remove(file.place)
          if let draft = file.draft { try self.files.install(draft, as: file.place) }
        }
      }
    }
  }

  /// Records that a container has all local assets if it already had all earlier assets. For a remote container without
  /// stored progress, this is recorded only if there were no assets before.
  private func recordGiven(to container: AssetOrigin, before: Int64) throws {
    let isFar = container.source.isFar
    let last = try store.assets.lastStored()
    try folder.remember(of: container.name) { state in
      guard var given = state.given ?? (isFar ? ContainerState.GivenAssets(sequence: 0, rule: "") : nil),
        given.sequence >= before
      else {
        return
      }
      given.sequence = last
      state.given = given
    }
  }
}

/// Fetches the content of one asset into `.sea/assets`.
///
/// A fetch completes drafts: it reads the ranges that they lack, and then verifies the whole content. With a right list
/// of pieces, it reads wrong pieces again from other copies. Without one, it begins again with the next container.
/// Drafts have the names of their places, so that a later run can continue them.
private final class AssetFetch {
  private let assets: Assets
  private let asset: AssetRow
  private let origins: [AssetOrigin]
  private let report: (Problem) -> Void
  private var files: AssetFolder { assets.files }
  private var noKey: KitError { .noKey(path: assets.folder.path, pending: false) }

  /// A right list of pieces, and its file; the file is nil if it exists locally.
  private var list: (list: PieceList, file: [UInt8]?)?
  private var parts: [Part] = []
  /// The origins that are not asked again, by number.
  private var closed: Set<Int> = []
  private var failure: (any Error)?
  /// The wrong content that each origin gave.
  private var faults: [Int: RangeSet<Int64>] = [:]
  private var isBad = false
  private var work = Work(.fetching, "", done: 0)

  /// A content file. Ranges are in bytes of the file as it is stored, except for `content`.
  private final class Part {
    let place: AssetPlace
    let size: Int64
    let content: Range<Int64>
    let isSealed: Bool
    /// Whether the local file is used.
    var isHere: Bool
    var draft: AssetDraft?
    var lacking: RangeSet<Int64>
    /// The pieces that the draft has from each origin in this run.
    var given: [Int: RangeSet<Int64>] = [:]
    var digest = Digest.zero

    init(_ place: AssetPlace, size: Int64, content: Range<Int64>, isSealed: Bool, isHere: Bool) {
      (self.place, self.size, self.content, self.isSealed, self.isHere) = (place, size, content, isSealed, isHere)
      lacking = isHere ? RangeSet() : RangeSet(0..<size)
    }

    func begin(_ draft: AssetDraft?, at offset: Int64 = 0) throws {
      try draft?.truncate(to: offset)
      (self.draft, isHere, lacking, given) = (draft, false, RangeSet(offset..<size), [:])
    }

    /// The bytes with a range of content. The header of an encrypted file belongs to no range.
    func stored(_ range: Range<Int64>) -> Range<Int64> {
      func position(_ at: Int64) -> Int64 {
        let at = at - content.lowerBound
        return isSealed ? Int64(PieceSeal.sealedStart(of: Int(at))) : at
      }
      return position(range.lowerBound)..<(range.upperBound == content.upperBound ? size : position(range.upperBound))
    }

    func giver(ofAll range: Range<Int64>) -> Int? {
      given.first { $0.value.isSuperset(of: RangeSet(range)) }?.key
    }
  }

  init(
    _ assets: Assets, _ asset: AssetRow, _ origins: [AssetOrigin], _ report: @escaping (Problem) -> Void
  ) throws {
    (self.assets, self.asset, self.origins, self.report) = (assets, asset, origins, report)
    let (fileSize, isSealed) = (assets.folder.settings.assetFileSize, try assets.folder.isSealed())
    for place in asset.contentPlaces {
      let start = asset.extent.contentStart(at: place, of: asset.size, fileSize: fileSize)
      let end = start + asset.extent.clearSize(at: place, of: asset.size, fileSize: fileSize)
      let size = try assets.fileSize(of: place, in: asset)
      let isHere = try files.assetSize(place) == size
      parts.append(Part(place, size: size, content: start..<end, isSealed: isSealed, isHere: isHere))
    }
  }

  /// - Parameter isShared: whether other content claims the same files, so that they may be right although they are wrong
  ///   for this asset.
  /// - Throws: local errors, and errors of a container if no other container has the content.
  func run(isShared: Bool) throws -> FetchOutcome {
    defer {
      for (origin, ranges) in faults.sorted(by: { $0.key < $1.key }) {
        report(Problem(.wrongPieces(Array(ranges.ranges)), asset, place: origins[origin].name))
      }
    }
    let wasHere = parts.allSatisfy(\.isHere)
    list = try fetchList()
    while try fill() {
      let (state, found) = try verify()
      if state.isRight {
        let givers = origins.indices.filter { origin in parts.contains { $0.given[origin] != nil } }
        try store(found, from: givers)
        return wasHere && parts.allSatisfy(\.isHere) ? .here : .fetched(from: givers.map { origins[$0].name })
      }
      if wasHere, isShared { return .here }
      if case .wrongPieces(let ranges) = state { try reject(ranges) } else { try reject(state) }
    }
    if let failure { throw failure }
    return isBad || !faults.isEmpty ? .bad : .missing
  }

  /// Returns the list of pieces; nil if the content has none, or no copy of the list is right.
  private func fetchList() throws -> (PieceList, [UInt8]?)? {
    guard let place = asset.list else { return nil }
    let size = try assets.fileSize(of: place, in: asset)
    func read(_ source: AssetSource) throws -> (PieceList, [UInt8]?)? {
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
      return verifier.list.map { ($0, file) }
    }
    if try files.assetSize(place) == size, let found = try? read(files) { return (found.0, nil) }
    for origin in origins where (try? origin.source.assetSize(place)) == size {
      do {
        if let found = try read(origin.source) { return found }
        report(Problem(.wrongList(place), asset, place: origin.name))
      } catch let state as AssetState {
        guard state != .noKey else { throw noKey }
        report(Problem(state, asset, place: origin.name))
      } catch is ContainerError {
        // The content will show whether this container fails.
      }
    }
    return nil
  }

  // MARK: - Reading

  /// Reads the pieces that the drafts lack.
  /// - Returns: false if the origins do not have all of it.
  private func fill() throws -> Bool {
    let open = parts.filter { !$0.lacking.isEmpty || !$0.isHere && $0.draft == nil }
    let firsts = open.compactMap { holders(of: $0).first }
    guard firsts.count == open.count else { return false }
    (work.done, work.total) = (0, open.reduce(0) { $0 + $1.lacking.length })
    for (part, holder) in zip(open, firsts) {
      if part.draft == nil { try begin(part, holder) }
      while !part.lacking.isEmpty {
        guard let (origin, range) = try next(part) else { return false }
        try read(range, of: part, from: origin)
      }
    }
    return true
  }

  private func begin(_ part: Part, _ holder: Int) throws {
    if part.isHere, let draft = try reopen(part.place) {
      (part.draft, part.isHere) = (draft, false)
      return
    }
    let draft = try files.draft(for: part.place) ?? files.draft()
    let there = try draft.size()
    work.total! -= part.lacking.length
    try part.begin(draft, at: there > part.size || part.isSealed && there < PieceSeal.headerSize ? 0 : there)
    work.total! += part.lacking.length
    if part.size == 0 { part.given[holder] = RangeSet() }
  }

  private func holders(of part: Part) -> [Int] {
    origins.indices.filter { origin in ask(origin) { try $0.assetSize(part.place) } == part.size }
  }

  /// An origin that fails is not asked again.
  private func ask<R>(_ origin: Int, _ body: (AssetSource) throws -> R?) -> R? {
    guard !closed.contains(origin) else { return nil }
    do { return try body(origins[origin].source) } catch {
      failure = error
      closed.insert(origin)
      return nil
    }
  }

  /// Returns the range to read next, and its origin; nil if no origin may have it.
  ///
  /// Only a copy with the same header can complete an encrypted file. If there is none, the file begins again with a copy
  /// in which nothing is known to be wrong.
  private func next(_ part: Part) throws -> (Int, Range<Int64>)? {
    let holders = holders(of: part)
    var header: [UInt8]?
    if part.isSealed, list != nil, !part.lacking.contains(0) { header = try part.draft?.sealHeader() }
    for origin in holders {
      guard let range = part.lacking.subtracting(wrong(in: part, of: origin)).ranges.first,
        header == nil || header == ask(origin, { try $0.sealHeader(of: part.place) })
      else { continue }
      return (origin, range)
    }
    guard header != nil, let other = holders.first(where: { wrong(in: part, of: $0).isEmpty }) else { return nil }
    work.total! += part.size - part.lacking.length
    try part.begin(part.draft)
    return (other, 0..<part.size)
  }

  private func wrong(in part: Part, of origin: Int) -> RangeSet<Int64> {
    RangeSet((faults[origin] ?? RangeSet()).intersection(RangeSet(part.content)).ranges.map(part.stored))
  }

  private func read(_ range: Range<Int64>, of part: Part, from number: Int) throws {
    let origin = origins[number]
    work.what = origin.name
    var next = range.lowerBound
    // A local error, so that another container would not help.
    var fault: (any Error)?
    do {
      try origin.source.readAsset(part.place, from: next) { bytes in
        let some = bytes.prefix(Int(min(range.upperBound - next, Int64(bytes.count))))
        let written = next..<next + Int64(some.count)
        do {
          try part.draft?.write(UnsafeRawBufferPointer(rebasing: some), at: next)
          part.lacking.remove(contentsOf: written)
          part.given[number, default: RangeSet()].insert(contentsOf: written)
          next = written.upperBound
          try pace(some.count, origin)
        } catch { fault = error }
        work.done += Int64(some.count)
        assets.folder.settings.report?(work)
        return fault == nil && !some.isEmpty && (next < range.upperBound || next == part.size)
      }
    } catch { failure = error }
    // If the disk is full, free the space of the drafts.
    if case ContainerError.system(let error)? = fault, error.isNoSpace { parts.forEach { $0.draft?.discard() } }
    if let fault { throw fault }
    // The origin failed, or the file has become shorter.
    if next < range.upperBound { closed.insert(number) }
  }

  /// Stops when the time limit is reached. The next run continues the file.
  private func pace(_ count: Int, _ origin: AssetOrigin?) throws {
    guard let allowance = assets.folder.settings.allowance else { return }
    if let origin { allowance.delay(count, isFar: origin.source.isFar) }
    if allowance.mustInterrupt { throw Allowance.Reached() }
  }

  // MARK: - Verification

  /// - Returns: the state of the content, and the list of its pieces.
  private func verify() throws -> (AssetState, PieceList?) {
    var verifier = try assets.verifier(of: asset, list: list?.list)
    for part in parts {
      do {
        verifier.begin(part.place)
        func consume(_ bytes: UnsafeRawBufferPointer) throws -> Bool {
          try verifier.consume(bytes) { _ in }
          try pace(bytes.count, nil)
          return true
        }
        if let draft = part.draft { try draft.read(consume) } else { try files.readAsset(part.place, from: 0, consume) }
        part.digest = try verifier.end { _ in }
      } catch let state as AssetState {
        // The header in a draft of an earlier run may be wrong.
        if state == .noKey, part.isHere || part.giver(ofAll: 0..<1) != nil { throw noKey }
        return (list == nil ? state : .wrongPieces([part.content]), nil)
      }
    }
    return (verifier.finish(), verifier.foundList)
  }

  /// Lets wrong pieces be read again. An origin that gave all of a piece is not asked for it again.
  private func reject(_ ranges: [Range<Int64>]) throws {
    for part in parts {
      let wrong = ranges.map { $0.clamped(to: part.content) }.filter { !$0.isEmpty }
      for range in wrong {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Int(PieceList.pieceSize)) {
          let piece = start..<min(start + PieceList.pieceSize, range.upperBound)
          let stored = part.stored(piece)
          if let origin = part.giver(ofAll: stored) {
            faults[origin, default: RangeSet()].insert(contentsOf: piece)
          }
          for origin in part.given.keys { part.given[origin]?.remove(contentsOf: stored) }
          part.lacking.insert(contentsOf: stored)
        }
      }
      part.given = part.given.filter { !$0.value.isEmpty }
    }
  }

  /// Begins again without the content, because nothing shows which part of it is wrong.
  private func reject(_ state: AssetState) throws {
    let givers = parts.compactMap { $0.giver(ofAll: 0..<$0.size) }
    if givers.count == parts.count {
      report(Problem(state, asset, place: origins[givers[0]].name))
      isBad = true
      closed.insert(givers[0])
    }
    for part in parts {
      part.draft?.discard()
      try part.begin(nil)
    }
  }

  /// Makes a wrong local file the draft for its place again; nil if that draft is in use.
  private func reopen(_ place: AssetPlace) throws -> AssetDraft? {
    try assets.store.locked {
      try assets.store.write { try assets.store.assets.forgetStored(place) }
      return try files.reopen(place)
    }
  }

  private func store(_ found: PieceList?, from givers: [Int]) throws {
    var taken = parts.filter { !$0.isHere }.map { part in
      StagedAsset.Piece(draft: part.draft, place: part.place, size: part.size, digest: part.digest)
    }
    let origin = givers.count == 1 && origins[givers[0]].isAttached ? origins[givers[0]] : nil
    if let place = asset.list, let file = try list.map(\.file) ?? found.map({ try assets.stored($0, at: place) }) {
      let draft = try files.draft()
      try file.withUnsafeBytes { try draft.write($0, at: 0) }
      taken.append(StagedAsset.Piece(draft: draft, place: place, size: Int64(file.count), digest: SHA256.hash(file)))
    }
    try assets.store(taken, from: origin)
  }
}

extension RangeSet<Int64> {
  fileprivate var length: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }
}
