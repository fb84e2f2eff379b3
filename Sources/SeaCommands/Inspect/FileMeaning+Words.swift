import SeaCore
import SeaEngine

extension FileMeaning.Kind {
  func words(_ count: Int) -> String {
    switch self {
    case .info: "what the place says of itself"
    case .manifest: "what the bundle says of its files"
    case .store: "the store: chains, and what follows from them"
    case .settings: "settings"
    case .own: "locks, notes and requests"
    case .backup: "settings and hooks of a backup"
    case .temporary: "in the making, or left by a command that died"
    case .aside: "set aside, because damaged"
    case .placeholder: "names of what a cloud client is yet to bring"
    case .foreign: "none of sea's"
    case .keys: "private keys"
    case .block: count == 1 ? "block" : "blocks"
    case .folded: count == 1 ? "folder of 1000 blocks, made one file" : "folders of 1000 blocks, each made one file"
    case .asset: count == 1 ? "file of assets" : "files of assets"
    case .slot: count == 1 ? "slot with a key" : "slots with keys"
    case .request: count == 1 ? "request to be let in" : "requests to be let in"
    case .hint: count == 1 ? "hint of what is here" : "hints of what is here"
    case .hook: count == 1 ? "hook" : "hooks"
    }
  }
}

extension FileMeaning {
  /// What one file is, for people.
  var words: String {
    guard let blocks, kind == .folded else { return blocks.map { "block \($0.lowerBound)" } ?? kind.words(1) }
    return "blocks \(blocks.lowerBound) to \(blocks.upperBound)"
  }
}
