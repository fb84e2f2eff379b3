import SeaContainer
import SeaCore
import SeaStore

// Where a folder of a container leaves what is known.

extension ChainPull {
  enum Start {
    /// Everything in it is known, or nothing is there.
    case nothing
    /// What comes behind a block that is known; nil: from block 0 on.
    case behind(BlockRow?)
    /// The block before the first one, which has that index, is not known.
    case orphan(UInt32)
  }

  /// Mostly the folder has what our branch of the same name has, and perhaps more: then nothing but the first new block
  /// is read, and is held against our head.
  func start() throws -> Start {
    let store = database.store
    guard try store.blocks.chain(chain.instance) != nil else { return chain.fork == nil ? .behind(nil) : try search() }
    let tip = try store.blocks.branch(chain)?.head
    guard let tip else { return try search() }
    let row = try store.blocks.block(chain, tip.index)
    let seen = try store.peers.seen(chain, in: name)
    if seen == tip { return .behind(row) }
    guard let last = try container.lastIndex(of: chain) else { return .nothing }
    if last > tip.index { return .behind(row) }
    if let seen, seen.index == last { return .nothing }
    // What is not whole or damaged and known here is none of our cares: a push tells of it.
    guard let found = try container.identity(of: chain, at: last) else { return .nothing }
    let ours = try store.blocks.block(chain, last)
    return ours?.digest == found.digest ? .nothing : try search()
  }

  /// Looks for the greatest block of the folder that is known, in whichever branch.
  func search() throws -> Start {
    let store = database.store
    guard let first = try container.firstIndex(of: chain), let last = try container.lastIndex(of: chain) else {
      return .nothing
    }
    func known(_ index: UInt32) throws -> BlockRow? {
      guard let found = try container.identity(of: chain, at: index) else { return nil }
      return try store.blocks.block(BlockRef(instance: chain.instance, index: index, digest: found.digest))
    }
    // What is remembered of the container stays as it is: what a broken push has lost below is put back by the next.
    if try known(last) != nil { return .nothing }
    guard var row = try known(first) else {
      guard first > 0 else { return .behind(nil) }
      guard let previous = try container.identity(of: chain, at: first)?.previous else { return .orphan(first - 1) }
      guard let before = try store.blocks.block(BlockRef(instance: chain.instance, index: first - 1, digest: previous))
      else { return .orphan(first - 1) }
      return .behind(before)
    }
    var low = first
    var high = last
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if let found = try known(middle) { (low, row) = (middle, found) } else { high = middle }
    }
    return .behind(row)
  }
}
