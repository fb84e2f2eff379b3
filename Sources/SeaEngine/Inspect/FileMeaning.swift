import SeaContainer
import SeaCore
import SeaSystem

/// The kind of a file in a container, a bundle or a `.sea` folder, as determined from its path alone.
package struct FileMeaning: Sendable, Equatable {
  package enum Kind: String, Sendable, CaseIterable {
    case info, manifest, block, folded, asset, slot, request, hint, backup
    case temporary, aside, placeholder, foreign
    /// Kinds that occur only in a `.sea` folder.
    case store, settings, keys, hook, own
  }

  package var kind: Kind
  package var branch: BranchID?
  package var blocks: ClosedRange<UInt32>?

  private init(_ kind: Kind) { self.kind = kind }

  /// - Parameter path: a path relative to the container or the bundle.
  package init(_ path: String) {
    let name = Path.name(path)
    switch BundlePath(path) {
    case .info: self.init(.info)
    case .key: self.init(.slot)
    case .request: self.init(.request)
    case .folded(let branch, let leaf):
      self.init(.folded)
      (self.branch, blocks) = (branch, leaf.first...leaf.last)
    case .block(let branch, let index):
      self.init(.block)
      (self.branch, blocks) = (branch, index...index)
    case .asset: self.init(.asset)
    case .backup: self.init(.backup)
    case nil:
      if path == BundlePath.manifest || path == BundlePath.end {
        self.init(.manifest)
      } else if Path.parent(path) == SmallFolder.heads.rawValue, SmallFolder.heads.allows(name) {
        self.init(.hint)
      } else if Layout.isTemporary(name) {
        self.init(.temporary)
      } else if Layout.isAside(name) {
        self.init(.aside)
      } else {
        self.init(Layout.promised(by: name) == nil ? .foreign : .placeholder)
      }
    }
  }

  /// - Parameter path: a path relative to the `.sea` folder.
  package init(inDatabase path: String) {
    let top = path.split(separator: "/").first.map(String.init) ?? ""
    switch top {
    case Layout.assets: self.init(path)
    case SeaFolder.configName: self.init(.settings)
    case SeaFolder.keysName: self.init(.keys)
    case Location.hooksName: self.init(.hook)
    case SeaFolder.temporaryName: self.init(.temporary)
    case _ where top == "db" || top.hasPrefix("db-"): self.init(.store)
    default: self.init(AtomicFile.isTemporary(top) ? .temporary : .own)
    }
  }
}

/// The files in a place, by kind and by branch, with their sizes.
package struct PlaceLayout: Sendable {
  package struct Sum: Sendable, Equatable {
    package var files = 0
    package var bytes: Int64 = 0
    package var blocks = 0

    mutating func add(_ size: Int64, _ blocks: ClosedRange<UInt32>? = nil) {
      files += 1
      self.blocks += blocks.map { Int($0.upperBound) - Int($0.lowerBound) + 1 } ?? 0
      bytes = bytes.addingReportingOverflow(max(0, size)).partialValue
    }
  }

  package private(set) var kinds: [FileMeaning.Kind: Sum] = [:]
  package private(set) var branches: [BranchID: Sum] = [:]
  package private(set) var total = Sum()
  package private(set) var files: [(path: String, size: Int64, meaning: FileMeaning)] = []
  package static let mostFiles = 1_000_000
  package var more: Int { isKept ? total.files - files.count : 0 }
  private let isKept: Bool

  init(keepsFiles: Bool) { isKept = keepsFiles }

  mutating func add(_ path: String, _ size: Int64, _ meaning: FileMeaning) {
    total.add(size)
    kinds[meaning.kind, default: Sum()].add(size)
    if let branch = meaning.branch { branches[branch, default: Sum()].add(size, meaning.blocks) }
    if isKept, files.count < PlaceLayout.mostFiles { files.append((path, size, meaning)) }
  }

  mutating func sort() {
    func precedes(_ x: String, _ y: String) -> Bool {
      let (a, b) = (x.split(separator: "/"), y.split(separator: "/"))
      for (p, q) in zip(a, b) where p != q {
        if let m = Int(p), let n = Int(q), m != n { return m < n }
        return p.utf8.lexicographicallyPrecedes(q.utf8)
      }
      return a.count < b.count
    }
    files.sort { precedes($0.path, $1.path) }
  }
}
