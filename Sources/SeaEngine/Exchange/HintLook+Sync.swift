import SeaContainer
import SeaCore
import SeaStore

extension HintLook {
  /// What the hints in a container say to one sync.
  /// - Parameter entries: those that were listed before anything else.
  init(
    _ exchange: Exchange, _ container: Container, _ setting: ContainerSetting, _ entries: [String: HintEntry]?,
    _ options: SyncOptions
  ) throws {
    let (store, folder) = (exchange.store, exchange.folder)
    let row = try store.peers.container(setting.name)
    var mayBelieve = options.direction != .push && !options.isFull && options.assets == nil
    mayBelieve = try mayBelieve && row?.state == ContainerState.ok.rawValue && !folder.isMarked(setting.name)
    mayBelieve = try mayBelieve && !(folder.isSealed() && folder.isPending())
    try self.init(
      store, container, named: setting.name, now: exchange.settings.clock(), entries,
      state: HintLook.state(store, handedTo: setting), mayBelieve: mayBelieve)
  }

  /// Leaves a hint where we have left something else than blocks, for those who would not see it.
  static func leave(_ exchange: Exchange, at container: Container, _ setting: ContainerSetting) throws {
    var look = try HintLook(exchange, container, setting, nil, SyncOptions(.push))
    try look.write(exchange.keychain.identity(), hasChanged: true, [])
    try look.finish(looked: false, state: look.state)
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
    if let far = container as? HintedContainer {
      (names, changes) = ([], far.changes)
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
