import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

package struct AssetRule: Sendable, Equatable {
  package var fetches: AssetFilter
  package var pushes: AssetFilter
  /// Whether to check all files in the container that were copied earlier.
  package var looksAtAll = false

  package static let standard = AssetRule(nil)

  /// Applies a filter in both directions. Without a filter, all local assets are copied and none are fetched.
  package init(_ filter: AssetFilter?, looksAtAll: Bool = false) {
    fetches = filter ?? .none
    pushes = filter ?? .all
    self.looksAtAll = looksAtAll && filter != nil
  }

  fileprivate var key: String { pushes.isAll ? "" : pushes.description }

  /// Returns a sequence number: the container already has all files up to this number that the rule selects. Progress
  /// stored for all assets is valid for any rule.
  fileprivate func given(_ handed: ContainerState.GivenAssets?) -> Int64 {
    guard let handed, handed.rule.isEmpty || handed.rule == key else { return 0 }
    return handed.sequence
  }
}

/// Copies the local asset files to one container.
///
/// The progress is stored as the sequence number of a local file. Each sync checks the names and sizes of all earlier
/// files, and the content of some of them.
package struct AssetPush {
  let assets: Assets
  let container: Container
  private let name: String
  private let rule: AssetRule
  private let isFull: Bool

  package private(set) var pushed = 0
  /// The number of lost or damaged files that were written again.
  package private(set) var healed = 0
  package private(set) var problems: [Problem] = []
  private var work: Work
  /// The sequence number of the last file that does not need to be checked again.
  private var done: Int64 = 0
  private var given: Int64 = 0
  private var stuck: Int64 = .max
  package private(set) var isCut = false
  private var absent: [StoredAsset] = []
  private var last: AssetExtent?
  private var turn: AssetTurn
  private var waits: Waits
  var store: Store { assets.store }
  private var allowance: Allowance? { assets.folder.settings.allowance }

  package init(
    _ assets: Assets, to container: Container, named name: String, _ rule: AssetRule, isFull: Bool = false
  ) throws {
    self.isFull = isFull
    self.assets = assets
    self.container = container
    self.name = name
    self.rule = rule
    work = Work(.handing, name, done: 0)
    turn = try AssetTurn(assets.folder, name, isFar: container.isFar)
    waits = try Waits(assets.folder, for: name, .asset)
  }

  package mutating func run() throws {
    guard !rule.pushes.isNone else { return }
    let known = try rule.given(assets.folder.state(of: name).given)
    given = rule.looksAtAll ? 0 : known
    if assets.folder.settings.report != nil { work.total = try store.assets.storedBytes(after: given) }
    do {
      while true {
        let rows = try store.assets.stored(after: done)
        guard !rows.isEmpty else { break }
        for row in rows {
          try push(row)
          done = row.sequence
        }
      }
    } catch is Allowance.Reached {
      isCut = true
      return try remember(known)
    } catch {
      try? remember(known)
      throw error
    }
    try remember(known)
    try turn.finish()
    try waits.finish()
  }

  /// Counts lost files, judged by names and sizes, and returns whether other files are still arriving. Writes nothing.
  package mutating func probe() throws -> (lost: Int, isIncomplete: Bool) {
    var found = (lost: 0, isIncomplete: false)
    guard !rule.pushes.isNone else { return found }
    let given = try rule.given(assets.folder.state(of: name).given)
    while true {
      let rows = try store.assets.stored(after: done).prefix { $0.sequence <= given }
      guard let last = rows.last else { return found }
      for row in rows {
        switch try container.assetEntry(row.place) {
        case .file(row.size, _): continue
        case .promised: found.isIncomplete = true
        case .file, .other, nil:
          guard try assets.files.assetSize(row.place) == row.size, try rule.pushes.selectsFile(row.place, in: assets)
          else {
            continue
          }
          if try other(row) != .isHereElsewhere { found.lost += 1 }
        }
      }
      done = last.sequence
    }
  }

  private mutating func push(_ row: StoredAsset) throws {
    guard try assets.files.assetSize(row.place) == row.size else { return absent.append(row) }
    guard try rule.pushes.selectsFile(row.place, in: assets) else { return }
    let wasGiven = row.sequence <= given
    switch try container.assetEntry(row.place) {
    case .promised:
      guard try waits.hasPassed(row.place.description) else { return awaitArrival(row) }
      return try heal(row)
    case .other: guard try setAside(row) else { return }
    case nil: break
    case .file(let there, let changed):
      let isDue = there == row.size && turn.isDue(row, changed: changed, isFirst: !wasGiven)
      guard try there != row.size || (isFull || isDue) && !isRight(row) else { return }
      let other = try other(row)
      if other == .isHereElsewhere { return }
      if other == .none, wasGiven || row.place.instance == assets.folder.instance {
        // Write the file again, because it was complete before or no other instance writes it.
        return try setAside(row) ? heal(row) : ()
      }
      return wait(row, there == row.size ? "sha256" : "size")
    }
    if wasGiven { return try heal(row) }
    guard allowance?.reserve(row.size) ?? true else { throw Allowance.Reached() }
    try copy(row)
    let extent = try store.assets.assets(at: row.place).first?.extent
    if extent == nil || extent != last { pushed += 1 }
    last = extent
  }

  private mutating func heal(_ row: StoredAsset) throws {
    let before = problems.count
    try copy(row)
    if problems.count == before { healed += 1 }
  }

  private mutating func awaitArrival(_ row: StoredAsset) {
    var problem = Problem(placeholder: BranchID(row.place.instance), row.place.index, place: name)
    problem.isOfAsset = true
    problems.append(problem)
    retryLater(row)
  }

  private mutating func wait(_ row: StoredAsset, _ why: String) {
    addProblem(row, place: name, why)
    retryLater(row)
  }

  private mutating func setAside(_ row: StoredAsset) throws -> Bool {
    do throws(ContainerError) { try container.quarantine(row.place) } catch {
      guard let reason = error.reasonFileIsLocked else { throw error }
      var problem = Problem(
        .inTheWay, place: name, instance: row.place.instance, index: row.place.index, detail: reason)
      problem.isOfAsset = true
      problems.append(problem)
      retryLater(row)
      return false
    }
    return true
  }

  private mutating func retryLater(_ row: StoredAsset) { stuck = min(stuck, row.sequence - 1) }

  private mutating func addProblem(_ row: StoredAsset, place: String = "", _ detail: String) {
    problems.append(
      Problem(.badAsset, place: place, instance: row.place.instance, index: row.place.index, detail: detail))
  }

  private mutating func copy(_ row: StoredAsset) throws {
    guard let file = try assets.files.open(row.place) else { return }
    var hash = SHA256()
    var work = work
    defer { self.work = work }
    do {
      try container.writeAsset(row.place, size: row.size) { offset, buffer in
        let count = try file.read(into: buffer, at: offset)
        hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        allowance?.delay(count, isFar: container.isFar)
        work.done += Int64(count)
        assets.folder.settings.report?(work)
        if offset + Int64(count) == row.size, hash.digest() != row.digest { throw InvalidAssetContent() }
        return count
      }
      if case .file(_, let changed) = try container.assetEntry(row.place) { turn.isWritten(changed) }
    } catch is InvalidAssetContent {
      addProblem(row, "sha256")
    } catch ContainerError.badAsset(.ended, _) {
      addProblem(row, "size")
    }
  }

  /// Stores the progress. If a recorded file is missing, another process may be about to add it. While this process
  /// holds the lock, no other process can be doing so, and the record is obsolete.
  private mutating func remember(_ known: Int64) throws {
    guard done > known || !absent.isEmpty else { return }
    try store.write {
      for row in absent {
        if try assets.files.assetSize(row.place) == row.size {
          retryLater(row)
        } else if try store.assets.stored(row.place)?.sequence == row.sequence {
          try store.assets.forgetStored(row.place)
        }
      }
      let new = max(known, min(done, stuck))
      if new != known { try assets.folder.remember(of: name) { $0.given = .init(sequence: new, rule: rule.key) } }
    }
  }
}

extension Assets {
  /// Counts the files that the rule selects and that the container has not received yet.
  package func count(toPushTo name: String, _ rule: AssetRule = .standard) throws -> Int {
    guard !rule.pushes.isNone else { return 0 }
    let handed = try folder.state(of: name).given
    let before = handed.map { $0.rule.isEmpty ? .all : AssetFilter($0.rule) ?? .none } ?? .none
    var last = rule.given(handed)
    var count = 0
    while true {
      let rows = try store.assets.stored(after: last)
      guard let end = rows.last else { return count }
      last = end.sequence
      count += try rows.count { row in
        guard try rule.pushes.selectsFile(row.place, in: self), try files.assetSize(row.place) == row.size else {
          return false
        }
        guard let handed, row.sequence <= handed.sequence else { return true }
        return try !before.selectsFile(row.place, in: self)
      }
    }
  }
}

extension AssetFilter {
  fileprivate func selectsFile(_ place: AssetPlace, in assets: Assets) throws -> Bool {
    try isAll || assets.store.assets.assets(at: place).contains { try assets.matches($0, self) }
  }
}

extension AssetPush {
  /// Returns whether the container has the same content as the local file. Two encrypted files with the same content
  /// may differ and both be valid, if a copy of this instance encrypted the content again.
  func isRight(_ row: StoredAsset) throws -> Bool {
    var hash = SHA256()
    let isThere = try ifReadable {
      hash = SHA256()
      return try container.readAsset(row.place, from: 0) {
        hash.update($0)
        return true
      }
    }
    guard isThere == true else { return false }
    if hash.digest() == row.digest { return true }
    guard try assets.folder.isSealed() else { return false }
    let named = try store.assets.assets(at: row.place)
    guard named.count == 1 else { return false }
    return try ifReadable { try assets.verify(named[0], in: container) } == .good
  }

  /// Whether the container has different content at a place, because copies of one instance used the same file number.
  /// Such content is replaced only if the container also has it at another place.
  enum Other { case none, isHereElsewhere, hasNoOtherPlace }

  func other(_ row: StoredAsset) throws -> Other {
    let all = try store.assets.assets(at: row.place)
    guard all.count > 1 else { return .none }
    let ours = try good(all, in: assets.files)
    let there = try good(all, in: container)
    guard !ours.isEmpty, !there.isEmpty, !there.contains(where: ours.contains) else { return .none }
    if try ours.allSatisfy(isElsewhere) { return .isHereElsewhere }
    return try there.allSatisfy(isElsewhere) ? .none : .hasNoOtherPlace
  }

  private func good(_ all: [AssetRow], in source: AssetSource) throws -> [AssetRow] {
    let whole = try all.filter { try assets.isWhole($0, in: source) }
    guard whole.count > 1 else { return whole }
    return try whole.filter { one in try ifReadable { try assets.verify(one, in: source) } == .good }
  }

  private func isElsewhere(_ asset: AssetRow) throws -> Bool {
    try assets.twins(of: asset).contains { try assets.isWhole($0, in: container) && !store.assets.isContested($0) }
  }
}
