import SeaContainer
import SeaCore
import SeaStore

/// Where in a container the blocks and the files of assets stood that were purged, and which names are made of these places.
struct PurgedPlaces {
  let assets: Set<AssetPlace>
  /// By instance the indices of blocks, and the first blocks of the leaves that they lie in.
  private let blocks: [UUID: Set<UInt32>]
  private let leaves: [UUID: Set<UInt32>]

  init(_ rows: [BlockRow], _ assets: Set<AssetPlace>) {
    self.assets = assets
    blocks = Dictionary(grouping: rows, by: \.instance).mapValues { Set($0.map(\.index)) }
    leaves = blocks.mapValues { Set($0.map { Layout.Leaf(containing: $0).first }) }
  }

  func has(_ index: UInt32, of instance: UUID) -> Bool { blocks[instance]?.contains(index) == true }

  func has(_ leaf: Layout.Leaf, of instance: UUID) -> Bool { leaves[instance]?.contains(leaf.first) == true }

  /// Whether a file was set aside that stood in the place of a purged block, or had that place in it.
  func isAside(_ path: String) -> Bool {
    guard let file = Parts(path), file.isOfBlocks, let name = Layout.asideName(file.name) else { return false }
    return Layout.foldedDigit(name).map { hasLeaf(String($0), of: file) } ?? has(name, of: file)
  }

  /// Whether the name of a file that has no place of its own is made of one of these: as a cloud client calls a copy of it, or a part.
  func areMeant(by path: String) -> Bool {
    guard let file = Parts(path), !Layout.isTemporary(file.name) else { return false }
    return file.name.split(whereSeparator: { !$0.isASCII || !$0.isNumber }).contains { number in
      has(String(number), of: file) || file.isOfBlocks && hasLeaf(String(number), of: file)
    }
  }

  /// A path below the folder of a chain, or of somebody's assets, wherever that lies.
  private struct Parts {
    var isOfBlocks: Bool
    var owner: String
    var folders: [String]
    var name: String

    init?(_ path: String) {
      var parts = path.split(separator: "/").map(String.init)
      guard let name = parts.popLast(),
        let top = parts.lastIndex(where: { $0 == Layout.transactions || $0 == Layout.assets }), top + 1 < parts.count
      else { return nil }
      (isOfBlocks, owner, self.name) = (parts[top] == Layout.transactions, parts[top + 1], name)
      folders = Array(parts[(top + 2)...])
    }

    func index(_ names: String...) -> UInt32? { Layout.index(ofPath: (folders + names).joined(separator: "/")) }
  }

  private func has(_ name: String, of file: Parts) -> Bool {
    guard let index = file.index(name) else { return false }
    if file.isOfBlocks { return BranchID(file.owner).map { has(index, of: $0.instance) } ?? false }
    return UUID(file.owner).map { assets.contains(AssetPlace(instance: $0, index: index)) } ?? false
  }

  private func hasLeaf(_ digit: String, of file: Parts) -> Bool {
    guard let chain = BranchID(file.owner), let first = file.index(digit, "0") else { return false }
    return leaves[chain.instance]?.contains(first) == true
  }
}
