import SeaContainer
import SeaCore
import SeaStore

/// Knows a file that has a purged block, or was a file of a purged asset, by what it holds.
struct PurgedCopies {
  private let store: Store
  private let container: Container
  /// By instance the indices of purged blocks, and the first blocks of the leaves that they lie in.
  private let places: [UUID: Set<UInt32>]
  private let leaves: [UUID: Set<UInt32>]
  private let shadowed: [BranchID: Set<UInt32>]
  private let chains: [UUID]
  /// The headers that the blocks had, as orders repeat them, and how large whole ones were.
  private let headers: Set<[UInt8]>
  private let sizes: Set<Int64>
  private let files: Set<PurgedFile>
  private let fileSizes: Set<Int64>

  /// - Parameters:
  ///   - places: by instance the indices of purged blocks. What stands there is looked at by others, unless it is `shadowed`.
  init(
    _ store: Store, _ container: Container, _ places: [UUID: Set<UInt32>], _ shadowed: [BranchID: Set<UInt32>]
  ) throws {
    self.store = store
    self.container = container
    self.places = places
    self.shadowed = shadowed
    leaves = places.mapValues { Set($0.map { Layout.Leaf(containing: $0).first }) }
    chains = try store.branches.chains().map(\.instance)
    files = try store.purged.files()
    fileSizes = Set(files.map(\.size))
    var (headers, sizes): (Set<[UInt8]>, Set<Int64>) = ([], [])
    try store.control.forEachOrder { row in
      headers.insert(row.order.header.encoded())
      sizes.insert(Int64(row.order.header.blockSize))
    }
    (self.headers, self.sizes) = (headers, sizes)
  }

  /// - Returns: nil if the file has nothing that was purged; else whether it has blocks, too, that are not known here.
  func look(at file: Stray) throws -> Bool? {
    guard file.size > 0, try isSuspect(file) else { return nil }
    var (isCopy, unknown) = (isAside(file.path), false)
    try container.readStray(file.path) { bytes in
      guard let header = try? BlockHeader(bytes), !header.mode.contains(.removed) else { return true }
      if headers.contains(Array(bytes.prefix(BlockHeader.size))) {
        isCopy = true
      } else if !unknown {
        let digest = header.digest(of: bytes)
        unknown = try !chains.contains {
          try store.blocks.block(BlockRef(instance: $0, index: header.index, digest: digest)) != nil
        }
      }
      return true
    }
    if try isCopy || headers.contains(container.strayRest(file.path)) { return unknown }
    guard case .other = FilePlace(file.path), fileSizes.contains(file.size),
      let digest = try container.strayDigest(file.path)
    else { return nil }
    return files.contains(PurgedFile(size: file.size, digest: digest)) ? false : nil
  }

  /// Whether name and size do not say that it is something else.
  private func isSuspect(_ file: Stray) throws -> Bool {
    switch FilePlace(file.path) {
    case .info, .folded: return false
    case .asset: return sizes.contains(file.size)
    case .small, .other: return true
    case .block(let branch, let index):
      if places[branch.instance]?.contains(index) == true { return shadowed[branch]?.contains(index) ?? false }
      guard sizes.contains(file.size) else { return false }
      return try store.blocks.block(branch, index).map { Int64($0.size) } != file.size
    }
  }

  /// Whether a file was set aside that stood in the place of a purged block, or had that place in it.
  private func isAside(_ path: String) -> Bool {
    var parts = path.split(separator: "/").map(String.init)
    guard parts.count > 2, parts.removeFirst() == Layout.transactions, let chain = BranchID(parts.removeFirst()),
      let name = parts.popLast().flatMap(Layout.asideName), let all = places[chain.instance]
    else { return false }
    if let index = Layout.index(ofPath: (parts + [name]).joined(separator: "/")) { return all.contains(index) }
    guard let digit = Layout.foldedDigit(name),
      let first = Layout.index(ofPath: (parts + [String(digit), "0"]).joined(separator: "/"))
    else { return false }
    return leaves[chain.instance]?.contains(first) == true
  }
}
