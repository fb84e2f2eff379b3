import SeaCore
import SeaEngine

enum FetchAssetsCommand: Command {
  static var title: Title {
    Title("fetch-assets", .assets, .porcelain, needs: [.database, .lock], "download missing assets from containers")
  }
  static var stopsWell: Bool { true }
  static var synopsis: [String] {
    [
      "[-n] [--from=PLACE] \(Option.limitForms) [--history] "
        + "\(AssetOptions.forms) [RECORD]..."
    ]
  }
  static let from = Option(
    "from", nil, .container, "PLACE", "fetch only from this container, bundle or folder of bundles (attached or not)")
  static let sizeLimit = Option("size-limit", nil, .size, "SIZE", "fetch at most SIZE bytes in total")
  static var options: [Option] {
    [from, .timeLimit, sizeLimit, .limitRate, .jobs, AssetOptions.history] + AssetOptions.filters + [.dryRun]
  }
  static var operands: [Operand] { AssetOptions.operands }
  static var exits: [Exit] {
    [
      Exit(.success, "all selected assets are on this device"),
      Exit(.notFound, "no such record, container or bundle, or the name is ambiguous"),
      Exit(.corrupt, "a copy is damaged and was not stored"),
      Exit(.partial, "some assets are still missing and are listed"),
      Exit(.unreachable, "assets are missing and no container is available"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let isDry = arguments.has(.dryRun)
    try arguments.limit(session, passesOver: true)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    if !isDry { try database.assets.finishInstalling() }
    let selection = try arguments.assets(in: database, session, withHistory: arguments.has(AssetOptions.history))
    let missing = try database.assets.missing(selection)
    let source = try FetchSource(arguments.text(from), wanted: missing, database, session)
    var run = FetchRun(session, database, isDry: isDry)
    if !missing.isEmpty { try run.get(missing, from: source) }
    return try run.finish()
  }
}

struct FetchRun {
  private let session: Session
  private let database: Database
  private let isDry: Bool
  private var status = ExitStatus.success
  private var fetched = 0
  private var bytes: Int64 = 0
  private var missing = 0
  private var bad = 0
  private var failed = 0
  private var left = 0
  private var reached = Allowance.Limit.size
  private var sources: [String] = []

  init(_ session: Session, _ database: Database, isDry: Bool) {
    self.session = session
    self.database = database
    self.isDry = isDry
  }

  mutating func get(_ assets: [AssetRow], from source: FetchSource) throws {
    let total = min(assets.reduce(0) { $0 + $1.size }, session.allowance?.most ?? .max)
    var ahead = AssetsAhead<AssetRow>(
      from: source.origins.map(\.source), isLimited: isDry || session.allowance?.isLimited ?? false)
    func getNext(_ asset: AssetRow) throws {
      guard session.allowance?.reserve(asset.size) ?? true else { return leave(session.allowance?.reached ?? .size) }
      session.terminal.wholeWork = (bytes, total)
      defer { session.terminal.wholeWork = nil }
      let before = bytes
      try get(asset, from: source.origins)
      if bytes == before { session.allowance?.refund(asset.size) }
    }
    for asset in assets { try ahead.add(asset, asset.extent.places, getNext) }
    try ahead.finish(getNext)
    if missing > 0 { status = status.and(source.isCutOff ? .unreachable : .partial) }
  }

  private mutating func leave(_ limit: Allowance.Limit) {
    left += 1
    reached = limit
    status = status.and(.partial)
  }

  private mutating func get(_ asset: AssetRow, from origins: [AssetOrigin]) throws {
    var problems: [Problem] = []
    let outcome: FetchOutcome
    do {
      outcome =
        try isDry ? preview(asset, origins) : database.assets.fetch(asset, from: origins) { problems.append($0) }
    } catch is Allowance.Reached {
      return leave(.time)
    } catch  where session.allowance?.hasTimedOut == true && Containers.isLate(error) {
      return leave(.time)
    } catch {
      // A container error affects only one asset, but a local error stops the run.
      guard Containers.state(for: error) != nil else { throw error }
      let failure = Failure.describing(error)
      status = status.and(failure.status)
      failed += 1
      failure.report(to: session.terminal)
      return try report("failed", asset, failure.slug)
    }
    for problem in problems {
      status = status.and(.corrupt)
      try session.terminal.report(problem)
    }
    switch outcome {
    case .here: break
    case .fetched(let names):
      fetched += 1
      bytes += asset.size
      for name in names where !sources.contains(name) { sources.append(name) }
      try report(isDry ? "would-fetch" : "fetched", asset, nil, from: names)
    case .missing:
      missing += 1
      try report("missing", asset, "not in any available container")
    case .bad:
      bad += 1
      try report("bad", asset, "no good copy was found")
    }
  }

  private func preview(_ asset: AssetRow, _ origins: [AssetOrigin]) throws -> FetchOutcome {
    let first = try origins.first { try database.assets.find(asset, in: $0.source) != nil }
    return first.map { .fetched(from: [$0.name]) } ?? .missing
  }

  private func report(_ event: String, _ asset: AssetRow, _ why: String?, from names: [String]? = nil) throws {
    func item() throws -> Item {
      var item = try session.terminal.item(asset, in: database)
      item.add(["from": names.map { .texts($0) } ?? .absent])
      return item
    }
    try session.terminal.report(event, item()) {
      try why.map { ["\(event) \(try session.terminal.words(of: asset, in: database)): \($0)"] } ?? []
    }
  }

  func finish() throws -> ExitStatus {
    // An earlier run may have received everything.
    let from = sources.isEmpty ? "" : ", from \(sources.joined(separator: ", "))"
    let what = "\(Count(fetched, "asset")), \(SizeText.of(bytes))\(from)"
    try session.terminal.remark((isDry ? "would fetch " : "fetched ") + (fetched == 0 ? "nothing" : what))
    if left > 0 { try session.terminal.remark(Left(assets: left).words(reached)) }
    session.terminal.summarize([
      "fetched": .integer(fetched), "bytes": .integer(bytes), "missing": .integer(missing), "bad": .integer(bad),
      "failed": .integer(failed), "left": .integer(left),
    ])
    return status
  }
}

struct FetchSource {
  var origins: [AssetOrigin] = []
  /// Whether every attached container is unavailable.
  var isCutOff = false
  private var unpacked: BundleAssets?

  /// - Parameter name: the name or location of a container, a bundle, or a folder of bundles; nil for all containers.
  init(_ name: String?, wanted: [AssetRow], _ database: Database, _ session: Session) throws {
    if let name, let bundles = try FetchSource.bundles(name, database, session) {
      let found = try database.bundles.bundleAssets(of: bundles, wanted: wanted)
      origins = found.origins
      unpacked = found
      return
    }
    let only = try name.map { try database.containers.setting($0, orAt: session.location($0)) }
    guard !wanted.isEmpty else { return }
    let copies = try session.copies(in: database, only: only)
    origins = copies.origins
    isCutOff = origins.isEmpty && !copies.unavailable.isEmpty
  }

  private static func bundles(
    _ name: String, _ database: Database, _ session: Session
  ) throws -> [(path: String, name: String)]? {
    guard try !database.containers.settings().contains(where: { $0.name == name }) else { return nil }
    switch try BundleOperand.of(session.path(name)) {
    case .file(let path): return [(path, name)]
    case .folder(_, let bundles): return bundles.map { ($0.path, $0.name) }
    case nil: return nil
    }
  }
}
