import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The hints in one container, in one sync: whether by them nothing has changed since everything was looked at, and the one that we
/// leave there ourselves.
///
/// What a hint says is never believed, only that it is still what it was: whoever writes into a container in which hints lie changes
/// one of them afterwards. Whoever does not is seen by the next look at everything, which is a day later at most.
struct HintLook {
  /// After so long everything is looked at, whatever the hints are: milliseconds.
  static let longest: Int64 = 86_400_000
  /// Places tell the time of a change in steps; of what is no older than this a second change may not show: milliseconds.
  static let step: Int64 = 3000
  /// So many hints are read in one sync.
  private static let mostRead = 16
  /// So many that have changed are followed; of more everything is looked at.
  private static let mostFollowed = 32
  /// So many new blocks of a chain are asked for by their names.
  private static let mostNamed: UInt32 = 8
  /// More are not remembered.
  private static let most = 20_000
  /// So many heads fit into a hint, whatever they are.
  private static let mostHeads = 850

  private let store: Store
  private let container: Container
  private let now: Int64
  private var memory: ContainerState.Hints
  /// Hints that were read: each is read once.
  private var texts: [UUID: [UInt8]] = [:]
  /// What is there now; nil where listing costs little.
  private var there: [UUID: ContainerState.Hint]?
  /// What was here when this sync began that the container might lack.
  let state: Digest
  /// Whether nothing has changed there.
  private(set) var isQuiet = false
  /// Where hints that have changed say that something is new; nil if everything is to be looked at.
  private(set) var news: [ChainNews]?
  /// What hints that were read say to be there. It is not believed; but if it was not found, the listing of everything may have been an
  /// old one.
  private var claimed: [BlockRef] = []

  /// - Parameters:
  ///   - entries: what hints there are, listed before anything else; nil where nobody has listed them.
  ///   - mayBelieve: whether a sync may do without looking at everything.
  init(
    _ store: Store, _ container: Container, _ memory: ContainerState.Hints, now: Int64, _ entries: [String: HintEntry]?,
    state: Digest, mayBelieve: Bool
  ) throws {
    (self.store, self.container, self.memory, self.now, self.state) = (store, container, memory, now, state)
    guard let entries, entries.count <= HintLook.most else { return }
    var there: [UUID: ContainerState.Hint] = [:]
    for (name, entry) in entries {
      guard let id = UUID(name) else { continue }
      if let known = memory.files[id], known.isSame(entry) {
        there[id] = known
      } else {
        there[id] = ContainerState.Hint(size: entry.size, changed: entry.changed, since: now)
      }
    }
    if mayBelieve, !there.isEmpty, memory.handed == state, (0..<HintLook.longest).contains(now - memory.looked) {
      isQuiet = try isUnchanged(&there)
      if !isQuiet { news = try follow(&there) }
    }
    if !isQuiet, news == nil { try prepare(&there) }
    self.there = there
  }

  /// Whether every hint is what it was when everything was looked at.
  private mutating func isUnchanged(_ there: inout [UUID: ContainerState.Hint]) throws -> Bool {
    guard there.keys == memory.files.keys, there.allSatisfy({ memory.files[$0.key] == $0.value }) else { return false }
    let open = there.filter { !$0.value.isSettled }
    guard open.count <= HintLook.mostRead, open.values.allSatisfy({ $0.digest != nil }) else { return false }
    for (id, seen) in open {
      guard try digest(of: id) == seen.digest else { return false }
      there[id]?.isSettled = isOld(seen)
    }
    return true
  }

  /// Where those who have changed their hints say that something is new. One that does not say it, as after a request or a slot, tells that
  /// everything is to be looked at.
  private mutating func follow(_ there: inout [UUID: ContainerState.Hint]) throws -> [ChainNews]? {
    guard memory.files.keys.allSatisfy({ there[$0] != nil }) else { return nil }
    let changed = there.filter { memory.files[$0.key] != $0.value || !$0.value.isSettled }
    guard changed.count <= HintLook.mostFollowed else { return nil }
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
        hint.heads.count < HintLook.mostHeads
      else { return nil }
      let new = try hint.heads.filter { try store.blocks.block($0) == nil }
      guard !new.isEmpty else { return nil }
      claimed += new
      for head in new { lasts[head.branch] = max(lasts[head.branch] ?? 0, head.index) }
    }
    for (branch, last) in lasts {
      let known = branch.isTrunk ? try store.branches.branch(branch)?.head.index : nil
      let isNear = known.map { $0 < last && last - $0 <= HintLook.mostNamed } ?? false
      found.append(ChainNews(branch, isNear ? known! + 1...last : nil))
    }
    return found.isEmpty ? nil : found
  }

  /// Whether what hints said to be there has come.
  func hasCome() throws -> Bool { try claimed.allSatisfy { try store.blocks.block($0) != nil } }

  /// Everything is looked at all the same.
  mutating func giveUp() { news = nil }

  /// Notes what the hints are before everything is looked at.
  private mutating func prepare(_ there: inout [UUID: ContainerState.Hint]) throws {
    for (id, seen) in there where isOld(seen) { there[id]?.isSettled = true }
    let open = there.filter { !$0.value.isSettled }.keys
    guard open.count <= HintLook.mostRead else { return }
    let info = try container.info()
    for id in open {
      guard let bytes = try text(id) else { continue }
      there[id]?.digest = SHA256.hash(bytes)
      guard let key = try store.branches.chain(id)?.publicKey else { continue }
      claimed += HeadsHint(bytes, of: id, key: key, in: info.container, of: info.database)?.heads ?? []
    }
  }

  private func isOld(_ seen: ContainerState.Hint) -> Bool { seen.changed > 0 && now - seen.since >= HintLook.step }

  private mutating func digest(of id: UUID) throws -> Digest? { try text(id).map { SHA256.hash($0) } }

  private mutating func text(_ id: UUID) throws -> [UInt8]? {
    if let known = texts[id] { return known }
    let text = try container.bounded(id.description, in: .heads)
    texts[id] = text
    return text
  }

  /// Whether somebody looks for hints here.
  private func areWanted() throws -> Bool {
    if there != nil { return true }
    return try container.isFar || !container.names(in: .heads).isEmpty
  }

  /// Leaves our own hint, if something was changed or ours is not there. Who may not write it leaves it be: then others look later.
  mutating func write(_ identity: Identity, hasChanged: Bool, _ heads: [BlockRef]) throws {
    guard try areWanted() else { return }
    let own = identity.instance
    let isThere = try there.map { $0[own] != nil } ?? container.names(in: .heads).contains(own.description)
    guard hasChanged || !isThere else { return }
    // The newest first: what does not fit is what was written here longest ago.
    var named: Set<BranchID> = []
    var all = (heads.reversed() + memory.heads).filter { named.insert($0.branch).inserted }
    all = all.filter { $0.instance == own } + all.filter { $0.instance != own }
    memory.heads = Array(all.prefix(HintLook.mostHeads))
    memory.written = max(now, memory.written + 1)
    let info = try container.info()
    let hint = HeadsHint(
      database: info.database, container: info.container, instance: own, time: memory.written, heads: memory.heads)
    guard let bytes = try hint.encoded(identity) else { return }
    do throws(ContainerError) { try container.write(own.description, bytes, in: .heads) } catch {
      switch error {
      case .helper(.refused, _), .badFile, .inTheWay: return
      case .system(let fault) where fault.isDenied || fault.isReadOnly || fault.isNoSpace: return
      default: throw error
      }
    }
    guard there != nil, let entry = try container.listHints(first: false)?[own.description] else { return }
    // Nobody else writes it.
    there?[own] = ContainerState.Hint(
      size: entry.size, changed: entry.changed, since: now, isSettled: entry.changed > 0, digest: SHA256.hash(bytes))
  }

  /// When our own hint was written, which is what a sync writes last, by the clock of the place; nil where that is not known.
  func timeOfWriting(_ own: UUID) throws -> Int64? {
    if let there { return there[own]?.changed }
    return try container.listHints(first: false)?[own.description]?.changed
  }

  /// - Parameters:
  ///   - looked: whether everything was looked at, and all is well.
  ///   - state: what was here before that, as far as it was handed over.
  /// - Returns: what is to be remembered.
  mutating func finish(looked: Bool, state: Digest) throws -> ContainerState.Hints {
    if looked, let there, try hasCome() {
      // Who was told where to look has not looked at everything.
      if news == nil { memory.looked = now }
      (memory.handed, memory.files) = (state, there)
    } else if isQuiet, let there {
      memory.files = there
    } else if !isQuiet {
      (memory.looked, memory.files) = (0, [:])
    }
    return memory
  }
}

extension HintLook {
  /// What the hints in a container say to one sync.
  /// - Parameter entries: those that were listed before anything else.
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
      state: HintLook.state(store, handedTo: setting), mayBelieve: mayBelieve)
  }

  /// Leaves a hint where we have left something else than blocks, for those who would not see it.
  static func leave(_ exchange: Exchange, at container: Container, _ setting: ContainerSetting) throws {
    var look = try HintLook(exchange, container, setting, nil, SyncOptions(.push))
    try look.write(exchange.keychain.identity(), hasChanged: true, [])
    let memory = try look.finish(looked: false, state: look.state)
    try exchange.folder.remember(of: setting.name) { $0.hints = memory }
  }

  /// What is here that a container might lack, as a value that changes with it: blocks, files of assets, slots, and what is to go along.
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

/// The names of slots and requests in a container where nobody counts what is changed; elsewhere how often something was.
struct SmallNames {
  private let names: [[String]]
  private let changes: Int

  /// Nil where nobody looks for hints.
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
