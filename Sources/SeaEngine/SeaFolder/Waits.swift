/// The waits for placeholders of a cloud client in a container, except for blocks. If they are lost, each wait starts
/// over.
struct Waits {
  enum Kind: String { case info, slot, asset, stray }

  /// A wait ends after more than this number of syncs and the time in the setting `sync.patience`.
  static let patientSyncs: UInt32 = 3
  /// The maximum number of waits of each kind. Any further waits start later.
  static let most = 1000

  private let folder: SeaFolder
  private let container: String
  private let kind: Kind
  private let now: Int64
  private let before: [String: ContainerState.Wait]
  private var met: [String: ContainerState.Wait] = [:]

  init(_ folder: SeaFolder, for container: String, _ kind: Kind) throws {
    (self.folder, self.container, self.kind) = (folder, container, kind)
    now = folder.settings.clock()
    before = try folder.state(of: container).placeholders[kind.rawValue] ?? [:]
  }

  mutating func hasPassed(_ name: String) throws -> Bool {
    guard before[name] != nil || met.count < Waits.most else { return false }
    var wait = before[name] ?? ContainerState.Wait(since: now, syncs: 0)
    wait.syncs += 1
    met[name] = wait
    return try wait.syncs > Waits.patientSyncs && now - wait.since >= folder.settings.patience()
  }

  /// Stores the current waits and drops earlier ones of this kind.
  func finish() throws {
    try folder.remember(of: container) { $0.placeholders[kind.rawValue] = met.isEmpty ? nil : met }
  }
}
