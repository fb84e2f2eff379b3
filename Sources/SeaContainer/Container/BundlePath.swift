import SeaCore

/// The path of a member in a bundle, not including `MANIFEST.json`, which comes first, and `END`.
///
/// The values sort in the order of the members in a bundle.
package enum BundlePath: Hashable, Sendable, Comparable {
  case info
  case key(String)
  case request(String)
  case folded(BranchID, Layout.Leaf)
  case block(BranchID, UInt32)
  case asset(AssetPlace)
  /// A backup file: either `config`, or `hooks/` followed by the name of a hook.
  case backup(String)

  package static let manifest = "MANIFEST.json"
  package static let end = "END"
  package static let backupFolder = "backup"
  static let longest = 100

  /// The path relative to the top of the container.
  package var text: String {
    switch self {
    case .info: Layout.info
    case .key(let name): SmallFolder.keys.path(of: name)
    case .request(let name): SmallFolder.requests.path(of: name)
    case .folded(let chain, let leaf): "\(Layout.transactions)/\(chain)/\(leaf.foldedPath)"
    case .block(let chain, let index): "\(Layout.transactions)/\(chain)/\(Layout.path(of: index))"
    case .asset(let place): place.path
    case .backup(let name): "\(BundlePath.backupFolder)/\(name)"
    }
  }

  /// Whether the path fits into a tar header. In a fork branch, the paths of pack files are too long after block
  /// 1,000,000,000.
  package var fits: Bool { text.utf8.count <= BundlePath.longest }

  package init?(_ text: String) {
    if text == Layout.info {
      self = .info
      return
    }
    guard text.utf8.count <= BundlePath.longest, let (top, rest) = BundlePath.split(text) else { return nil }
    switch top {
    case SmallFolder.keys.rawValue where SmallFolder.keys.allows(rest): self = .key(rest)
    case SmallFolder.requests.rawValue where SmallFolder.requests.allows(rest): self = .request(rest)
    case BundlePath.backupFolder where BundlePath.isBackup(rest): self = .backup(rest)
    case Layout.transactions:
      guard let (name, path) = BundlePath.split(rest), let chain = BranchID(name) else { return nil }
      if let index = Layout.index(ofPath: path) {
        self = .block(chain, index)
      } else if path.hasSuffix(Layout.foldedSuffix) {
        // The path of the leaf folder is that of its first block without the last digit.
        let first = path.dropLast(Layout.foldedSuffix.count) + "/0"
        guard let index = Layout.index(ofPath: String(first)), index % Layout.leafSize == 0 else { return nil }
        let leaf = Layout.Leaf(containing: index)
        guard leaf.isWhole else { return nil }
        self = .folded(chain, leaf)
      } else {
        return nil
      }
    case Layout.assets:
      guard let (name, path) = BundlePath.split(rest), let instance = UUID(name),
        let index = Layout.index(ofPath: path)
      else { return nil }
      self = .asset(AssetPlace(instance: instance, index: index))
    default: return nil
    }
  }

  private static func split(_ text: String) -> (String, String)? {
    let utf8 = text.utf8
    guard let slash = utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    guard let head = String(utf8[..<slash]), let tail = String(utf8[utf8.index(after: slash)...]) else { return nil }
    return (head, tail)
  }

  private static func isBackup(_ name: String) -> Bool {
    if name == "config" { return true }
    guard name.hasPrefix("hooks/") else { return false }
    let hook = name.utf8.dropFirst("hooks/".utf8.count)
    return (1...64).contains(hook.count) && hook.first != UInt8(ascii: ".") && hook.first != UInt8(ascii: "-")
      && hook.allSatisfy {
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x2E
      }
  }

  private var rank: Int {
    switch self {
    case .info: 0
    case .key: 1
    case .request: 2
    case .folded, .block: 3
    case .asset: 4
    case .backup: 5
    }
  }

  package var blocks: (chain: BranchID, first: UInt32, last: UInt32)? {
    switch self {
    case .block(let chain, let index): (chain, index, index)
    case .folded(let chain, let leaf): (chain, leaf.first, leaf.last)
    default: nil
    }
  }

  package static func < (x: BundlePath, y: BundlePath) -> Bool {
    if x.rank != y.rank { return x.rank < y.rank }
    switch (x, y) {
    case (.key(let x), .key(let y)), (.request(let x), .request(let y)), (.backup(let x), .backup(let y)):
      return x.utf8.lexicographicallyPrecedes(y.utf8)
    case (.asset(let x), .asset(let y)): return x < y
    default:
      guard let a = x.blocks, let b = y.blocks else { return false }
      if a.chain != b.chain { return a.chain < b.chain }
      // A pack file comes before the single blocks in its range.
      return a.first != b.first ? a.first < b.first : a.last > b.last
    }
  }

  /// Whether this member is allowed to follow `previous`: it must come later in the order and must not repeat a block.
  func mayFollow(_ previous: BundlePath) -> Bool {
    guard previous < self else { return false }
    guard let before = previous.blocks, let own = blocks, before.chain == own.chain else { return true }
    return before.last < own.first
  }
}

extension Layout.Leaf {
  /// Whether the leaf has 1000 indices. Only the last leaf has fewer.
  var isWhole: Bool { last - first == Layout.leafSize - 1 }
}
