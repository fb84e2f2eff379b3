import SeaCore
import SeaStore

/// An instance as others see it.
package struct InstanceView: Sendable {
  package enum State: String, Sendable {
    /// This one.
    case own = "self"
    case authorised
    /// Waits to be let in.
    case pending
    case revoked
    /// Was let in and has written nothing yet.
    case silent
  }
  package var instance: UUID
  package var name: String
  package var state: State
  /// Nil where there are no members, and for who is none.
  package var role: Role?
  /// The last block that is known here.
  package var head: UInt32?
  /// The newest epoch that it is known to be able to read, it and all before; nil if none, or nothing is sealed.
  package var epoch: UInt32?
  /// The author's clock in its newest block, milliseconds since 1970.
  package var seen: Int64?
  /// Blocks that are kept and do not count.
  package var held: Int
  package var words: FingerprintWords?
  /// Who authorised it, and who revoked it.
  package var authorisedBy: UUID?
  package var revokedBy: UUID?
  /// In whose place it goes on, and the first of that line of keys; nil where it is not known as a member.
  package var follows: UUID?
  package var line: UUID?
  /// Whether another one goes on in its place.
  package var isFollowed = false
}

extension Access {
  /// All instances that are known: those with chains, those that were let in, and those that ask to be. By their names; behind
  /// who goes on in the place of others stand these, the last one first.
  package func instances() throws -> [InstanceView] {
    let membership = try members.membership()
    var views: [UUID: InstanceView] = [:]
    let held = try members.uncounted.heldBlocks()
    let epochs = try readableEpochs()
    func add(_ instance: UUID, _ name: String, _ key: [UInt8]?, _ exchange: [UInt8]?, _ chain: ChainRow?) {
      let standing = membership?[instance]
      var state: InstanceView.State
      if membership != nil {
        state = standing == nil ? .pending : standing?.role == nil ? .revoked : chain == nil ? .silent : .authorised
      } else {
        state = chain == nil ? .silent : .authorised
      }
      if instance == folder.instance, state == .authorised { state = .own }
      var view = InstanceView(
        instance: instance, name: name, state: state, role: standing?.role, head: chain?.head.index,
        epoch: epochs[instance], seen: chain?.time, held: held.first { $0.instance == instance }?.blocks ?? 0)
      if let key, let exchange { view.words = FingerprintWords(key: key, exchange: exchange) }
      view.authorisedBy = standing?.authorised?.author
      view.revokedBy = standing?.revoked?.author
      view.follows = standing?.follows
      view.line = standing?.line
      views[instance] = view
    }
    for chain in try store.branches.chains() {
      add(chain.instance, chain.name, chain.publicKey, try store.branches.exchangeKey(of: chain.instance), chain)
    }
    let asked = try requests.all()
    let names = try requests.names(asked)
    for standing in membership?.known ?? [] where views[standing.instance] == nil {
      add(standing.instance, names[standing.instance] ?? "", standing.key, standing.exchange, nil)
    }
    for reader in try members.readers() where views[reader.instance] == nil {
      add(reader.instance, names[reader.instance] ?? "", nil, reader.exchange, nil)
    }
    for one in try requests.open(among: asked) where views[one.instance] == nil {
      add(one.instance, one.name, one.key, one.exchange, nil)
      views[one.instance]?.state = .pending
    }
    if views[folder.instance] == nil, try folder.isPending() {
      let identity = try keychain.identity()
      add(folder.instance, try folder.name(), identity.key, try identity.exchangeKey(), nil)
      views[folder.instance]?.state = .pending
    }
    return InstanceView.byLines(views)
  }

  /// The newest epoch that each instance is known to have the key of: it was wrapped for it, or it has sealed with it.
  private func readableEpochs() throws -> [UUID: UInt32] {
    guard try folder.isSealed() else { return [:] }
    var epochs: [UUID: UInt32] = [:]
    for slot in try store.control.slots() {
      guard case .instance(let instance) = slot.kind else { continue }
      epochs[instance] = max(epochs[instance] ?? 0, slot.epoch)
    }
    let named = try Dictionary(keychain.namedKeys().map { ($0.digest, $0.number) }) { first, _ in first }
    for chain in try store.branches.chains() {
      guard let row = try store.blocks.block(BranchID(chain.instance), chain.head.index),
        let epoch = (try? store.content.key(of: row)).flatMap({ named[$0] })
      else { continue }
      epochs[chain.instance] = max(epochs[chain.instance] ?? 0, epoch)
    }
    if let own = try keychain.ringAtHand()?.newest { epochs[folder.instance] = own.number }
    return epochs
  }
}

extension InstanceView {
  fileprivate static func byLines(_ all: [UUID: InstanceView]) -> [InstanceView] {
    var left = all
    for before in all.values.compactMap(\.follows) { left[before]?.isFollowed = true }
    var sorted: [InstanceView] = []
    for view in left.values.sorted(by: { ($0.name, $0.instance) < ($1.name, $1.instance) }) where !view.isFollowed {
      var next: InstanceView? = view
      while let one = next {
        sorted.append(one)
        left[one.instance] = nil
        next = one.follows.flatMap { left[$0] }
      }
    }
    return sorted
  }
}
