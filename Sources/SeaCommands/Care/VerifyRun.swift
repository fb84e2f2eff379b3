import SeaCore
import SeaKit

/// Verifies one thing after the other and tells what it finds.
struct VerifyRun {
  let database: Database?
  let context: Context
  var status = ExitStatus.success
  private var chains = 0
  private var blocks = 0
  private var bytes = 0
  var problems = 0
  var places = 0
  private var away = 0
  private var unopened = 0
  private var assets = 0
  private var unopenedAssets = 0
  /// Whether sealed blocks are to be opened.
  let opens: Bool
  /// Whether the assets of containers are to be read.
  private let readsAssets: Bool

  init(_ context: Context, _ database: Database?, opens: Bool, assets: Bool) {
    readsAssets = assets
    self.context = context
    self.database = database
    self.opens = opens
  }

  mutating func container(_ container: Container, _ place: String, _ only: [UUID?]) throws {
    var run = self
    let keys =
      opens ? try Verify.keys(of: container, named: place, in: database) { try context.password(for: $0) } : nil
    for one in only {
      try Verify.container(
        container, named: place, readsPayloads: opens, keys: keys, database: database, only: one,
        progress: context.workReport, { try run.chain($0) }, { try run.tell($0) })
    }
    if readsAssets { try run.assets(of: container, place) }
    self = run
    places += 1
  }

  private mutating func assets(of container: Container, _ place: String) throws {
    var run = self
    let report: AssetReport
    var isOurs = true
    if let database, try container.info().database == database.databaseID {
      report = try database.verifyAssets(in: container, named: place) { try run.tell($0) }
    } else {
      isOurs = false
      report = try Verify.readAssets(of: container, named: place, progress: context.workReport)
    }
    try run.tell(report, isOurs: isOurs)
    self = run
  }

  /// A line about the assets of a place, if there are any.
  /// - Parameter isOurs: whether there is a database that says what they should be.
  private mutating func tell(_ report: AssetReport, isOurs: Bool = true) throws {
    assets += report.good
    bytes += Int(report.bytes)
    unopenedAssets += report.unopened
    let place = report.place.isEmpty ? Location.folderName : report.place
    if context.options.json {
      return try context.object {
        $0.text("event", "assets")
        $0.text("where", place)
        $0.integer("good", report.good)
        $0.integer("bytes", report.bytes)
        $0.integer("problems", report.problems)
        $0.integer("unopened", report.unopened)
        $0.integer("unnamed", report.unnamed)
        $0.flag("ok", report.problems == 0)
      }
    }
    guard !context.options.porcelain, !context.options.quiet else { return }
    var parts = report.good > 0 ? ["\(Count(report.good, "asset")) ok"] : []
    if report.unopened > 0 { parts.append("\(Count(report.unopened, "asset")) not checked: there is no key") }
    if report.unnamed > 0 {
      let why = isOurs ? "that no record here names" : "read; what they should be says the database alone"
      parts.append("\(Count(report.unnamed, "file")) of assets \(why)")
    }
    guard !parts.isEmpty else { return }
    let head = report.place.isEmpty ? "" : "\(place): "
    try context.line(context.shown(head + parts.joined(separator: ", ")))
  }

  mutating func store(_ only: UUID?) throws {
    guard let database else { throw KitError.noDatabase(path: context.path(".")) }
    if opens { _ = try database.keyRing() }
    var run = self
    let before = problems
    try database.verify({ try run.chain($0) }, { try run.tell($0) }, only: only, projection: only == nil)
    self = run
    if opens, only == nil { for held in try database.unauthorised() { try tell(held) } }
    places += 1
    let isText = !context.options.json && !context.options.porcelain && !context.options.quiet
    if only == nil, problems == before, isText { try context.line("projection ok") }
    guard only == nil else { return }
    run = self
    let report = try database.verifyAssets(in: database.assetFolder, named: "") { try run.tell($0) }
    try run.tell(report)
    self = run
  }

  mutating func block(_ row: BlockRow) throws {
    places += 1
    blocks += 1
    if let problem = try database?.verifyBlock(row) { return try tell(problem) }
    let shown = context.short(row.instance) + row.place.dropFirst(36)
    try ok("block \(shown) ok", Location.folderName, String(row.place.prefix { $0 != "/" }), row.index) {
      $0.text("event", "block")
      $0.text("where", Location.folderName)
      $0.text("instance", row.instance.description)
      $0.integer("index", row.index)
      $0.flag("ok", true)
    }
  }

  mutating func isAway(_ error: any Error) {
    away += 1
    let failure = Failure.describing(error)
    context.warning(failure.slug, failure.message)
  }

  mutating func chain(_ report: ChainReport) throws {
    chains += 1
    blocks += report.blocks
    bytes += report.bytes
    let name = report.name.isEmpty ? context.short(report.instance) : report.name
    let place = report.place.isEmpty ? "" : report.place + ": "
    let start = report.first > 0 ? " from \(report.first) on" : ""
    let text = "\(place)chain \(name) \(Count(report.blocks, "block"))\(start) ok"
    unopened += report.unopened
    if let problem = report.problem { return try tell(problem, after: text) }
    let remark = report.isSigned ? "" : ", sealed: signatures not checked"
    try ok(text + remark, report.place, report.chain, report.first + UInt32(max(1, report.blocks) - 1)) {
      $0.text("event", "chain")
      $0.text("where", report.place.isEmpty ? Location.folderName : report.place)
      $0.text("instance", report.instance.description)
      if report.fork != nil { $0.text("branch", report.chain) }
      $0.text("name", report.name)
      if report.first > 0 { $0.integer("first", report.first) }
      $0.integer("blocks", report.blocks)
      $0.integer("bytes", report.bytes)
      $0.flag("ok", true)
      $0.flag("signed", report.isSigned)
      $0.integer("unopened", report.unopened)
    }
    if opens, let first = report.firstUnopened {
      try tell(Problem(.noKey, place: report.place, instance: report.instance, index: first))
    }
  }

  private func ok(
    _ text: String, _ place: String, _ chain: String, _ index: UInt32, _ event: (inout JSONObject) throws -> Void
  ) throws {
    if context.options.json { return try context.object(event) }
    if context.options.porcelain {
      let place = place.isEmpty ? Location.folderName : place
      return try context.fields(["ok", place, chain, String(index), "-", "-", "-"])
    }
    if !context.options.quiet { try context.line(context.shown(text)) }
  }

  private mutating func tell(_ problem: Problem, after text: String? = nil) throws {
    problems += 1
    if problem.isDamage { status = .corrupt }
    let copy = problem.isDamage ? try database?.goodCopy(of: problem) : nil
    if context.options.json { return try context.object { context.describe(problem, goodCopy: copy, in: &$0) } }
    if context.options.porcelain {
      return try context.fields([
        problem.code.rawValue, problem.place.isEmpty ? Location.folderName : problem.place,
        problem.chainText ?? "-", problem.index.map { String($0) } ?? "-", "-",
        problem.detail.isEmpty ? "-" : problem.detail, copy ?? "-",
      ])
    }
    let head = text.map { "\($0), then " } ?? (problem.place.isEmpty ? "" : problem.place + ": ")
    var rest = problem
    rest.place = ""
    let tail = copy.map { "; good copy: \($0)" } ?? ""
    try context.line(
      context.shown("\(head)\(problem.code.rawValue): \(Failure.words(rest, in: context))\(tail)"))
  }

  mutating func finish() throws -> ExitStatus {
    if opens && unopened > 0 || unopenedAssets > 0 { status = status.and(.partial) }
    if away > 0 { status = status.and(places > 0 ? .partial : .unreachable) }
    try context.summary(status) {
      $0.integer("chains", chains)
      $0.integer("blocks", blocks)
      $0.integer("bytes", bytes)
      $0.integer("problems", problems)
      $0.integer("away", away)
      $0.integer("unopened", unopened)
      $0.integer("assets", assets)
    }
    return status
  }
}
