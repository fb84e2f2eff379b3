import SeaKit
import SeaSystem

/// Takes in several bundles in an order that fits.
struct ImportRun {
  private struct Item {
    let bundle: BundleImport
    /// Whether it was named itself; then it is read even if it seems to hold nothing new.
    let isNamed: Bool
    /// From the root, for programs.
    let path: String
  }

  private let context: Context
  private let database: Database
  private let filter: AssetFilter
  private let hooks: Hooks?
  private var open: [Item] = []
  private var folders: [ExchangeFolder] = []
  private var status = ExitStatus.success
  private(set) var exchange = Exchange()
  private var bundles = 0
  private var known = 0
  private var assets = 0
  private var missing = 0

  init(_ context: Context, _ database: Database, filter: AssetFilter) {
    self.context = context
    self.database = database
    self.filter = filter
    hooks = try? Hooks(context, database, ImportCommand.self)
  }

  // MARK: - What there is

  /// A bundle, a folder of bundles, or standard input.
  mutating func add(_ operand: String) throws {
    if operand == "-" {
      // A password on the first line has to be taken off before.
      let source = PasswordSource.said(context, new: nil)
      let hasPassword = source?.isInput ?? false
      let file = try hasPassword ? context.spooledInput() : File.standardInput()
      return try add(.stream(file), "standard input", "-", isNamed: true)
    }
    let path = try Path.absolute(context.path(operand))
    guard try Path.statusFollowing(path)?.kind == .directory else {
      return try add(.file(path: path), Path.name(path), path, isNamed: true)
    }
    let folder = try ExchangeFolder(path)
    folders.append(folder)
    let bundles = try folder.bundles()
    guard !bundles.isEmpty else { throw TransferError.noBundles(path: operand) }
    var others: TransferError?
    let before = open.count
    for bundle in bundles {
      do {
        try add(.file(path: bundle.path), bundle.name, bundle.path, isNamed: false)
      } catch let error as TransferError {
        guard case .mismatch = error else { throw error }
        others = error
      }
    }
    // A stick may carry those of several databases.
    if let others, open.count == before, status == .success { throw others }
  }

  private mutating func add(_ source: BundleSource, _ name: String, _ path: String, isNamed: Bool) throws {
    do {
      open.append(Item(bundle: try BundleImport(source, named: name, in: database), isNamed: isNamed, path: path))
    } catch let error as TransferError {
      guard case .mismatch = error else { return tell(error) }
      guard isNamed else { throw error }
      // A damaged one may claim anything.
      do {
        if case .file = source { try BundleImport.check(source, named: name, temporary: database.path) }
        tell(error)
      } catch { tell(error) }
    }
  }

  private mutating func tell(_ error: any Error) {
    let failure = Failure.describing(error)
    status = status.and(failure.status)
    failure.tell(context)
  }

  func preview() throws -> ExitStatus {
    var status = status
    for item in open {
      let lacking = try item.bundle.missing().filter { base in
        !open.contains { other in
          other.bundle !== item.bundle && other.bundle.manifest.heads.contains { base.isCovered(by: $0) }
        }
      }
      if !lacking.isEmpty { status = status.and(.partial) }
      let isKnown = try lacking.isEmpty && item.bundle.isKnown()
      let manifest = item.bundle.manifest
      try context.report("would-import") {
        $0.text("file", item.path)
        $0.integer("blocks", manifest.blocks)
        $0.integer("assets", manifest.assets)
        $0.flag("known", isKnown)
        $0.objects("base", manifest.base) { $1.head($0.block) }
        $0.objects("missing", lacking) {
          $1.text("chain", $0.chain)
          $1.integer("index", $0.index)
        }
      } text: {
        let what = isKnown ? "nothing new" : "\(Count(Int(manifest.blocks), "block")), some may be here already"
        return context.shown("\(item.bundle.name): \(lacking.isEmpty ? what : "has to wait for bundles before it")")
      }
    }
    return status
  }

  // MARK: - Taking in

  /// One bundle after another, whichever has all that it starts behind.
  mutating func takeIn() throws {
    try database.enter(through: open.filter { $0.path != "-" }.map { .file(path: $0.path) })
    while let at = try open.firstIndex(where: { try $0.bundle.missing().isEmpty }) {
      let item = open.remove(at: at)
      do {
        if try !item.isNamed && item.bundle.isKnown() {
          known += 1
        } else {
          try report(item, item.bundle.run(assets: filter))
        }
      } catch let error as TransferError {
        tell(error)
      }
    }
    for item in open {
      missing += 1
      do {
        try item.bundle.check()
        throw TransferError.baseMissing(name: item.bundle.name, try item.bundle.missing())
      } catch let error as TransferError { tell(error) }
    }
  }

  private mutating func report(_ item: Item, _ result: BundleImport.Result) throws {
    bundles += 1
    assets += result.assets
    exchange.add(result.exchange)
    for problem in result.exchange.problems { try context.tell(problem) }
    if result.exchange.problems.contains(where: { $0.isError }) { status = status.and(.corrupt) }
    let event = event(item, result)
    if context.options.json {
      try context.object(event)
    } else {
      try context.reportLine(context.shown("\(item.bundle.name): \(try words(item, result))"))
    }
    try hooks?.call(.postImport, event)
  }

  private func words(_ item: Item, _ result: BundleImport.Result) throws -> String {
    var parts: [String] = []
    if result.exchange.pulled > 0 {
      let chains = Set(item.bundle.manifest.heads.map(\.branch.instance))
      let names = try database.instanceNames()
      let author = chains.count == 1 ? chains.first.flatMap { names[$0] } ?? "" : ""
      let whose = author.isEmpty ? "" : " of \(author)"
      parts.append("\(Count(result.exchange.pulled, "block"))\(whose)")
      parts.append("\(Count(result.exchange.records, "record")) changed")
    }
    if result.assets > 0 { parts.append("\(Count(result.assets, "asset")), \(SizeText.of(result.assetBytes))") }
    return parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")
  }

  private func event(_ item: Item, _ result: BundleImport.Result) -> JSONObject {
    let manifest = item.bundle.manifest
    var object = JSONObject()
    object.text("event", "imported")
    object.text("file", item.path)
    object.text("manifest", result.digest.description)
    object.text("from", manifest.from.description)
    object.integer("blocks", result.exchange.pulled)
    object.integer("records", result.exchange.records)
    object.integer("revisions", result.exchange.revisions)
    object.integer("assets", result.assets)
    object.integer("asset_bytes", result.assetBytes)
    object.objects("base", manifest.base) { $1.head($0.block) }
    object.objects("heads", manifest.heads) { $1.head($0.block) }
    return object
  }

  // MARK: - The end

  mutating func finish(merges: Bool, failOnConflict: Bool) throws -> ExitStatus {
    exchange.merged = try database.settleImport(merges: merges)
    for folder in folders { try database.leaveHeads(in: folder) }
    if bundles == 0, known > 0, status == .success { try context.reportLine("nothing new") }
    try MergedLines(context, database).report(exchange.merged)
    try ConflictLines(context, database).report(exchange.conflicts, in: database)
    try context.tellHeld(database.held(), asEvents: false)
    if context.programFailures > 0 { status = status.and(.refused) }
    let conflicts = try database.conflicts.count()
    if failOnConflict, conflicts > 0 { status = status.and(.conflict) }
    try context.summary(status) {
      $0.integer("bundles", bundles)
      $0.integer("known", known)
      $0.integer("missing", missing)
      $0.integer("blocks", exchange.pulled)
      $0.integer("records", exchange.records)
      $0.integer("assets", assets)
      $0.integer("merged", exchange.merged.count)
      $0.integer("new_conflicts", try database.conflicts.count(among: exchange.conflicts))
      $0.integer("conflicts", conflicts)
      $0.integer("problems", exchange.problems.count)
    }
    return status
  }
}
