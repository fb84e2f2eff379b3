extension FileMeaning.Kind {
  package func words(_ count: Int) -> String {
    switch self {
    case .info: "description of the container"
    case .manifest: "list of the files of the bundle"
    case .store: "database: chains and the local index"
    case .settings: "settings"
    case .own: "locks, notes and requests"
    case .backup: "settings and hooks of a backup"
    case .temporary: "temporary files"
    case .aside: "quarantined (damaged)"
    case .placeholder: "placeholders of a cloud client"
    case .foreign: "other files"
    case .keys: "private keys"
    case .block: count == 1 ? "block" : "blocks"
    case .folded: count == 1 ? "pack of 1000 blocks" : "packs of 1000 blocks"
    case .asset: count == 1 ? "asset file" : "asset files"
    case .slot: count == 1 ? "key slot" : "key slots"
    case .request: count == 1 ? "access request" : "access requests"
    case .hint: count == 1 ? "summary file" : "summary files"
    case .hook: count == 1 ? "hook" : "hooks"
    }
  }
}

extension FileMeaning {
  package var words: String {
    guard let blocks, kind == .folded else { return blocks.map { "block \($0.lowerBound)" } ?? kind.words(1) }
    return "blocks \(blocks.lowerBound) to \(blocks.upperBound)"
  }
}
