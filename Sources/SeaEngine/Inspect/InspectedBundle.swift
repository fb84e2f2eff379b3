import SeaContainer
import SeaCore
import SeaSystem

/// An inspected bundle. The manifest describes the content, but blocks can be read only by reading the whole bundle.
package final class InspectedBundle: InspectedPlace {
  private let manifest: BundleManifest
  package var facts: PlaceFacts { PlaceFacts(manifest.info) }
  package let keys: KeyRing?
  private let source: BundleSource
  private let place: String
  private let temporary: String
  private let names: [UUID: String]
  private var known: PlaceLayout?

  package init(_ source: BundleSource, named place: String, temporary: String, _ database: Database?) throws {
    (self.source, self.place, self.temporary) = (source, place, temporary)
    let manifest = try BundleFault.named(place) { try BundleReader(source, temporary: temporary).manifest() }
    self.manifest = manifest
    let own = database.flatMap { $0.databaseID == manifest.database ? $0 : nil }
    keys = try own?.keychain.availableKeyRing()
    var names = try own?.members.names() ?? [:]
    if let name = manifest.name, names[manifest.from] == nil { names[manifest.from] = name }
    self.names = names
  }

  package func layout(keepsFiles: Bool) throws -> PlaceLayout {
    if let known, !keepsFiles { return known }
    var layout = PlaceLayout(keepsFiles: keepsFiles)
    try BundleFault.named(place) {
      try BundleReader(source, temporary: temporary).forEachPromised {
        layout.add($0.path.text, $0.size, FileMeaning($0.path.text))
      }
    }
    layout.sort()
    known = layout
    return layout
  }

  package func chains() throws -> [InspectedChain] {
    let sums = try layout(keepsFiles: false).branches
    let base = Dictionary(manifest.base.map { ($0.branch, $0.index) }) { first, _ in first }
    var chains: [InspectedChain] = []
    for head in manifest.heads where sums[head.branch] != nil {
      chains.append(
        InspectedChain(
          branch: head.branch, name: names[head.branch.instance] ?? "", first: base[head.branch].map { $0 &+ 1 } ?? 0,
          last: head.index, bytes: sums[head.branch]?.bytes ?? 0))
    }
    let places = Dictionary(chains.enumerated().map { ($1.branch, $0) }) { first, _ in first }
    var seen: [BranchID: Int] = [:]
    let visitor = BlockVisitor(keys) { block, _ in
      guard let at = places[block.ref.branch] else { return }
      if seen[block.ref.branch] == nil {
        (chains[at].began, chains[at].first) = (block.time, min(block.ref.index, chains[at].last))
      }
      seen[block.ref.branch, default: 0] += 1
      chains[at].ended = block.time ?? chains[at].ended
      if chains[at].name.isEmpty, let name = block.name { chains[at].name = name }
    }
    try read(visitor)
    for at in chains.indices { chains[at].present = min(chains[at].count, seen[chains[at].branch] ?? 0) }
    return chains
  }

  package func forEachBlock(
    of only: BranchID?, newest: Int?, _ body: @escaping (InspectedBlock, UnsafeRawBufferPointer) throws -> Void
  ) throws -> [Problem] {
    let last = Dictionary(manifest.heads.map { ($0.branch, $0.index) }) { first, _ in first }
    // Blocks may be in any order, so read the whole bundle, but only once.
    try read(
      BlockVisitor(keys) { block, bytes in
        guard only == nil || block.ref.branch == only else { return }
        if let newest, let last = last[block.ref.branch], Int(last) - Int(block.ref.index) >= newest { return }
        try body(block, bytes)
      })
    return []
  }

  package func readBlock(
    _ branch: BranchID, _ index: UInt32, _ body: @escaping (InspectedBlock, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try read(
      BlockVisitor(keys) { block, bytes in
        if block.ref.branch == branch, block.ref.index == index { try body(block, bytes) }
      })
  }

  private func read(_ visitor: BlockVisitor) throws {
    _ = try BundleFault.named(place) { try BundleReader(source, temporary: temporary).read(visitor) }
  }
}

private final class BlockVisitor: BundleVisitor {
  private let keys: KeyRing?
  private let body: (InspectedBlock, UnsafeRawBufferPointer) throws -> Void
  private var branch: BranchID?
  private var splitter = BlockSplitter()

  init(
    _ keys: KeyRing?, _ body: @escaping (InspectedBlock, UnsafeRawBufferPointer) throws -> Void
  ) {
    (self.keys, self.body) = (keys, body)
  }

  func begin(_ member: BundleMember) {
    branch = member.path.blocks?.chain
    splitter = BlockSplitter()
  }

  func bytes(_ bytes: UnsafeRawBufferPointer) throws {
    guard let branch else { return }
    _ = try splitter.add(bytes) { block in
      guard let seen = try? InspectedBlock(block, in: branch, keys: keys) else { return false }
      try body(seen, block)
      return true
    }
  }

  func end(_ member: BundleMember) {}
}
