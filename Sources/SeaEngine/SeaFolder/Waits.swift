import SeaStore

/// What placeholders of a cloud client stand for in a container, beside blocks: since when it is waited for, and in how many syncs. All of
/// this may be lost: then it is waited for longer.
struct Waits {
  enum Kind: String { case info, slot, asset, stray }

  /// In so many syncs it is waited for, and for as long as patience lasts.
  static let patientSyncs = 3
  /// So much of each kind is waited for at a time; the rest has its turn then.
  static let most = 1000

  private let store: Store
  private let key: String
  private let kind: Kind
  private let now: Int64
  private let patience: () throws -> Int64
  private let others: [Substring]
  private let before: [String: (since: Int64, syncs: Int64)]
  private var met: [String: (since: Int64, syncs: Int64)] = [:]

  init(_ folder: SeaFolder, for container: String, _ kind: Kind) throws {
    store = folder.store
    key = "waits:" + container
    self.kind = kind
    now = folder.settings.clock()
    patience = folder.settings.patience
    let lines = try store.metaText(key)?.split(separator: "\n") ?? []
    others = lines.filter { !$0.hasPrefix(kind.rawValue + " ") }
    var before: [String: (since: Int64, syncs: Int64)] = [:]
    for line in lines where line.hasPrefix(kind.rawValue + " ") {
      let words = line.split(separator: " ")
      guard words.count == 4, let since = Int64(words[1]), let syncs = Int64(words[2]) else { continue }
      before[String(words[3])] = (since, syncs)
    }
    self.before = before
  }

  /// Whether a placeholder has stood for something for long enough, counting this sync.
  mutating func hasPassed(_ name: String) throws -> Bool {
    guard before[name] != nil || met.count < Waits.most else { return false }
    var wait = before[name] ?? (now, 0)
    wait.syncs += 1
    met[name] = wait
    return try wait.syncs > Waits.patientSyncs && now - wait.since >= patience()
  }

  /// Keeps what was met now; nothing else of the kind is waited for.
  func finish() throws {
    guard !met.isEmpty || !before.isEmpty else { return }
    let lines = met.sorted { $0.key < $1.key }.map { "\(kind.rawValue) \($0.value.since) \($0.value.syncs) \($0.key)" }
    try store.write { try store.setMeta(key, .text((others.map(String.init) + lines).joined(separator: "\n"))) }
  }
}
