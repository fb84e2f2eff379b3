import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Reads a container's summary files to see whether anything has changed since the last full check.
///
/// The content of summary files is not trusted. Only the fact that a file has changed matters: every writer changes its
/// file last. If a writer does not updateSummary a file, the next full check finds its changes, at most a day later.
struct SummaryCheck {
  /// The time after which a sync checks everything regardless of summary files, in milliseconds.
  static let longest: Int64 = 86_400_000
  /// The assumed resolution of file times in milliseconds. A file newer than this may change again without getting a
  /// new time.
  static let step: Int64 = 3000
  private static let mostRead = 16
  /// The maximum number of changed summary files to follow. If there are more, the sync checks everything.
  private static let mostFollowed = 32
  /// The maximum number of new blocks of a chain to request by name.
  private static let mostNamed: UInt32 = 8
  private static let most = 20_000
  /// The number of heads that is sure to fit into a summary file.
  private static let mostHeads = 850

  private let store: Store
  private let container: Container
  private let now: Int64
  private var memory: ContainerState.Hints
  private var texts: [UUID: [UInt8]] = [:]
  /// The summary files that are in the container now; nil if they were not listed or are too many.
  private var there: [UUID: ContainerState.Hint]?
  /// A digest of the local data that the container might lack, computed at the start of this sync.
  let state: Digest
  private(set) var isQuiet = false
  /// The branches for which changed summary files announce new blocks; nil if the sync must check everything.
  private(set) var news: [ChainNews]?
  /// The heads that the summary files announce, which are not trusted. If a head is missing, the listing may have been
  /// outdated.
  private var claimed: [BlockRef] = []

  /// - Parameters:
  ///   - entries: the summary files, which were listed before any other file; nil if they were not listed.
  ///   - mayBelieve: whether the sync may skip the full check.
  init(
    _ store: Store, _ container: Container, _ memory: ContainerState.Hints, now: Int64, _ entries: [String: HintEntry]?,
    state: Digest, mayBelieve: Bool
  ) throws {
    (self.store, self.container, self.memory, self.now, self.state) = (store, container, memory, now, state)
    guard let entries, entries.count <= SummaryCheck.most else { return }
    var there: [UUID: ContainerState.Hint] = [:]
    for (name, entry) in entries {
      guard let id = UUID(name) else { continue }
      if let known = memory.files[id], known.isSame(entry) {
        there[id] = known
      } else {
        there[id] = ContainerState.Hint(size: entry.size, changed: entry.changed, since: now)
      }
    }
    if mayBelieve, !there.isEmpty, memory.sentDigest == state,
      (0..<SummaryCheck.longest).contains(now - memory.lastCheck)
    {
      isQuiet = try isUnchanged(&there)
      if !isQuiet { news = try follow(&there) }
    }
    if !isQuiet, news == nil { try prepare(&there) }
    self.there = there
  }

  private mutating func isUnchanged(_ there: inout [UUID: ContainerState.Hint]) throws -> Bool {
    guard there.keys == memory.files.keys, there.allSatisfy({ memory.files[$0.key] == $0.value }) else { return false }
    let open = there.filter { !$0.value.isSettled }
    guard open.count <= SummaryCheck.mostRead, open.values.allSatisfy({ $0.digest != nil }) else { return false }
    for (id, seen) in open {
      guard try digest(of: id) == seen.digest else { return false }
      there[id]?.isSettled = isOld(seen)
    }
    return true
  }

  /// Returns the branches for which changed summary files announce blocks. Returns nil if a full check is needed, for
  /// example after a new access request or key slot.
  private mutating func follow(_ there: inout [UUID: ContainerState.Hint]) throws -> [ChainNews]? {
    guard memory.files.keys.allSatisfy({ there[$0] != nil }) else { return nil }
    let changed = there.filter { memory.files[$0.key] != $0.value || !$0.value.isSettled }
    guard changed.count <= SummaryCheck.mostFollowed else { return nil }
    let info = try container.info()
    var lasts: [BranchID: UInt32] = [:]
    var found: [ChainNews] = []
    for (id, seen) in changed.sorted(by: { $0.key < $1.key }) {
      guard let bytes = try text(id) else { return nil }
      let digest = SHA256.hash(bytes)
      there[id]?.isSettled = isOld(seen)
      there[id]?.digest = digest
      if memory.files[id]?.digest == digest { continue }
      guard let chain = try store.branches.chain(id) else {
        found.append(ChainNews(BranchID(id), nil))
        continue
      }
      guard let hint = HeadsHint(bytes, of: id, key: chain.publicKey, in: info.container, of: info.database),
        hint.heads.count < SummaryCheck.mostHeads
      else { return nil }
      let new = try hint.heads.filter { try store.blocks.block($0) == nil }
      guard !new.isEmpty else { return nil }
      claimed += new
      for head in new { lasts[head.branch] = max(lasts[head.branch] ?? 0, head.index) }
    }
    for (branch, last) in lasts {
      let known = branch.isMainBranch ? try store.branches.branch(branch)?.head.index : nil
      let isNear = known.map { $0 < last && last - $0 <= SummaryCheck.mostNamed } ?? false
      found.append(ChainNews(branch, isNear ? known! + 1...last : nil))
    }
    return found.isEmpty ? nil : found
  }

  func haveHeadsArrived() throws -> Bool { try claimed.allSatisfy { try store.blocks.block($0) != nil } }

  mutating func giveUp() { news = nil }

  private mutating func prepare(_ there: inout [UUID: ContainerState.Hint]) throws {
    for (id, seen) in there where isOld(seen) { there[id]?.isSettled = true }
    let open = there.filter { !$0.value.isSettled }.keys
    guard open.count <= SummaryCheck.mostRead else { return }
    let info = try container.info()
    for id in open {
      guard let bytes = try text(id) else { continue }
      there[id]?.digest = SHA256.hash(bytes)
      guard let key = try store.branches.chain(id)?.publicKey else { continue }
      claimed += HeadsHint(bytes, of: id, key: key, in: info.container, of: info.database)?.heads ?? []
    }
  }

  private func isOld(_ seen: ContainerState.Hint) -> Bool { seen.changed > 0 && now - seen.since >= SummaryCheck.step }

  private mutating func digest(of id: UUID) throws -> Digest? { try text(id).map { SHA256.hash($0) } }

  private mutating func text(_ id: UUID) throws -> [UInt8]? {
    if let known = texts[id] { return known }
    let text = try container.bounded(id.description, in: .heads)
    texts[id] = text
    return text
  }

  private func usesSummaryFiles() throws -> Bool {
    if there != nil { return true }
    return try container.isFar || !container.names(in: .heads).isEmpty
  }

  /// Writes this instance's summary file if necessary. If it cannot be written, other instances notice the change
  /// later.
  mutating func write(_ identity: Identity, hasChanged: Bool, _ heads: [BlockRef]) throws {
    guard try usesSummaryFiles() else { return }
    let own = identity.instance
    let isThere = try there.map { $0[own] != nil } ?? container.names(in: .heads).contains(own.description)
    guard hasChanged || !isThere else { return }
    // List the newest heads first, so that the oldest ones are left out if there is not enough space.
    var named: Set<BranchID> = []
    var all = (heads.reversed() + memory.heads).filter { named.insert($0.branch).inserted }
    all = all.filter { $0.instance == own } + all.filter { $0.instance != own }
    memory.heads = Array(all.prefix(SummaryCheck.mostHeads))
    memory.written = max(now, memory.written + 1)
    let info = try container.info()
    let hint = HeadsHint(
      database: info.database, container: info.container, instance: own, time: memory.written, heads: memory.heads)
    guard let bytes = try hint.encoded(identity) else { return }
    do throws(ContainerError) { try container.write(own.description, bytes, in: .heads) } catch {
      switch error {
      case .helper(.refused, _), .badFile, .nameTaken: return
      case .system(let fault) where fault.isDenied || fault.isReadOnly || fault.isNoSpace: return
      default: throw error
      }
    }
    guard there != nil, let entry = try container.listHints(first: false)?[own.description] else { return }
    there?[own] = ContainerState.Hint(
      size: entry.size, changed: entry.changed, since: now, isSettled: entry.changed > 0, digest: SHA256.hash(bytes))
  }

  /// Returns the modification time of this instance's summary file by the container's clock. A sync writes this file
  /// last.
  func timeOfWriting(_ own: UUID) throws -> Int64? {
    if let there { return there[own]?.changed }
    return try container.listHints(first: false)?[own.description]?.changed
  }

  /// - Parameters:
  ///   - looked: whether everything was checked without finding a problem.
  ///   - state: a digest of the local data that has already been transferred.
  /// - Returns: the state to store for the next sync.
  mutating func finish(looked: Bool, state: Digest) throws -> ContainerState.Hints {
    if looked, let there, try haveHeadsArrived() {
      // A sync that only follows announcements does not check everything.
      if news == nil { memory.lastCheck = now }
      (memory.sentDigest, memory.files) = (state, there)
    } else if isQuiet, let there {
      memory.files = there
    } else if !isQuiet {
      (memory.lastCheck, memory.files) = (0, [:])
    }
    return memory
  }
}

extension SummaryCheck {
  /// - Parameter entries: the summary files, which were listed before any other file.
  init(
    _ exchange: Exchange, _ container: Container, _ setting: ContainerSetting, _ entries: [String: HintEntry]?,
    _ options: SyncOptions
  ) throws {
    let (store, folder) = (exchange.store, exchange.folder)
    let known = try folder.state(of: setting.name)
    var mayBelieve = options.direction != .push && !options.isFull && options.assets == nil
    mayBelieve = try mayBelieve && known.condition == ContainerCondition.ok.rawValue && !folder.isMarked(setting.name)
    mayBelieve = try mayBelieve && !(folder.isSealed() && folder.isPending())
    try self.init(
      store, container, known.hints, now: exchange.settings.clock(), entries,
      state: SummaryCheck.state(store, handedTo: setting), mayBelieve: mayBelieve)
  }

  /// Writes a summary file after changing something other than blocks, because otherwise other instances would not
  /// notice the change.
  static func updateSummary(_ exchange: Exchange, at container: Container, _ setting: ContainerSetting) throws {
    var look = try SummaryCheck(exchange, container, setting, nil, SyncOptions(.push))
    try look.write(exchange.keychain.identity(), hasChanged: true, [])
    let memory = try look.finish(looked: false, state: look.state)
    try exchange.folder.remember(of: setting.name) { $0.hints = memory }
  }

  /// Returns a digest of the blocks, asset files, key slots and container settings that affect a transfer.
  static func state(_ store: Store, handedTo setting: ContainerSetting) throws -> Digest {
    var hash = SHA256()
    func add(_ text: String) { hash.update(Array("\(text.utf8.count) \(text)".utf8)) }
    add("\(try store.blocks.lastSequence()) \(try store.assets.lastStored())")
    for slot in try store.control.slots().map(\.digest).sorted() { hash.update(slot.bytes) }
    add(setting.location)
    add(setting.assets ?? "")
    add("\(setting.assets == nil) \(setting.isReadOnly)")
    return hash.digest()
  }
}

/// The names of key slots and requests in a local container, or the number of changes to them in a remote container.
struct SmallNames {
  private let names: [[String]]
  private let changes: Int

  /// Returns nil for a local container without summary files.
  init?(_ container: Container) throws {
    if container.isFar {
      (names, changes) = ([], container.changes)
      return
    }
    guard try !container.names(in: .heads).isEmpty else { return nil }
    (names, changes) = (try [container.names(in: .keys), container.names(in: .requests)], 0)
  }

  func haveChanged(in container: Container) throws -> Bool {
    guard let now = try SmallNames(container) else { return false }
    return now.names != names || now.changes != changes
  }
}

extension ContainerState.Hint {
  func isSame(_ entry: HintEntry) -> Bool { size == entry.size && changed == entry.changed }
}
