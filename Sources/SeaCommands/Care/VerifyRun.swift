import SeaCore
import SeaEngine
import SeaSystem
import enum SeaContainer.BundleSource
import protocol SeaContainer.Container
import struct SeaContainer.BundleManifest

final class VerifyRun {
  let database: Database?
  let session: Session
  var status = ExitStatus.success
  private var chains = 0
  private var blocks = 0
  private var bytes = 0
  var problems = 0
  var places = 0
  private var unavailable = 0
  private var unopened = 0
  private var assets = 0
  private var unopenedAssets = 0
  /// The number of removed blocks whose purge orders this instance cannot read.
  var unknownRemovals = 0
  let opens: Bool
  let readsAssets: Bool

  init(_ session: Session, _ database: Database?, opens: Bool, assets: Bool) {
    readsAssets = assets
    self.session = session
    self.database = database
    self.opens = opens
  }

  func container(_ container: Container, _ place: String, _ only: [UUID?]) throws {
    let keys =
      opens
      ? try session.passwords.retrying {
        try Verification.keys(of: container, named: place, by: database?.keychain) {
          try session.passwords.password(for: $0)
        }
      } : nil
    var chains: [ChainReport] = []
    var wrong: Set<BranchID> = []
    for one in only {
      unknownRemovals += try Verification.container(
        container, named: place, readsPayloads: opens, keys: keys, own: database?.folder, only: one,
        progress: session.terminal.workReport, checkStop: session.host.checkStop,
        {
          chains.append($0)
          try self.chain($0)
        },
        { problem in
          if problem.isDamage, let branch = problem.branch { wrong.insert(branch) }
          try self.reportProblem(problem)
        })
    }
    if only.contains(nil), let database {
      wrong.formUnion(chains.filter { $0.problem != nil }.map(\.branch))
      // If a whole branch is missing, the container shows no trace of it. Only the database can detect the loss.
      for problem in try database.verification.gone(from: container, place, besides: wrong) {
        try reportProblem(problem)
      }
    }
    if readsAssets { try assets(of: container, place, chains, keys) }
    places += 1
  }

  /// Replaces damaged files with intact copies from the other container.
  func repair(_ container: Container, _ place: String, from other: Container) throws {
    var result = try Mirror.copy(
      from: other, to: container, own: database?.folder.path, dryRun: false, progress: session.terminal.workReport)
    let isOurs = try database?.verification.isOwn(other) ?? false
    try Verification.repairAssets(
      of: container, from: other, keys: isOurs ? database?.keychain.availableKeyRing() : nil, readsAll: readsAssets,
      dryRun: false, progress: session.terminal.workReport, &result)
    for problem in result.mended.prefix(20) { try session.terminal.report(problem) }
    for problem in result.problems where problem.isError { try reportProblem(problem) }
    let item: Item = [
      "where": .text(place), "from": .text(other.location), "blocks": .integer(result.blocks),
      "assets": .integer(result.assets),
    ]
    try session.terminal.report("repaired", item) {
      let files = result.assets > 0 ? " and \(Count(result.assets, "asset file"))" : ""
      return ["\(place): repaired \(Count(result.blocks, "block"))\(files) from \(other.location)"]
    }
  }

  private func assets(of container: Container, _ place: String, _ chains: [ChainReport], _ keys: KeyRing?) throws {
    if let database, try database.verification.isOwn(container) {
      return try reportAssets(
        database.verification.verifyAssets(in: container, named: place) { try self.reportProblem($0) })
    }
    let report = try Verification.readAssets(
      of: container, named: place, chains, keys: keys, progress: session.terminal.workReport,
      checkStop: session.host.checkStop
    ) { try self.reportProblem($0) }
    try reportAssets(report, isOurs: false)
  }

  /// Prints a line about the assets at a location, if there are any.
  /// - Parameter isOurs: whether the database knows the assets. If false, the line counts files.
  func reportAssets(_ report: AssetReport, isOurs: Bool = true) throws {
    assets += report.good
    bytes += Int(report.bytes)
    unopenedAssets += report.unopened
    let place = report.place.isEmpty ? Location.folderName : report.place
    try session.terminal.report(
      "assets",
      [
        "where": .text(place), "good": .integer(report.good), "bytes": .integer(report.bytes),
        "problems": .integer(report.problems), "unopened": .integer(report.unopened),
        "unnamed": .integer(report.unnamed), "ok": .flag(report.problems == 0),
      ]
    ) {
      var parts = report.good > 0 ? ["\(Count(report.good, "asset")) ok"] : []
      if report.unopened > 0 {
        let what = isOurs ? Count(report.unopened, "asset").description : "\(Count(report.unopened, "asset file"))"
        parts.append("\(what) not checked: no key")
      }
      if report.unnamed > 0 {
        let why = isOurs ? "not used by any record here" : "not checked: no valid block here uses them"
        parts.append("\(Count(report.unnamed, "asset file")) \(why)")
      }
      let head = report.place.isEmpty ? "" : "\(place): "
      return parts.isEmpty ? [] : [head + parts.joined(separator: ", ")]
    }
  }

  func store(_ only: UUID?) throws {
    guard let database else { throw KitError.noDatabase(path: session.path(".")) }
    if opens { _ = try database.keychain.ring() }
    let before = problems
    try database.verification.verifyStore(
      { try self.chain($0) }, { try self.reportProblem($0) }, only: only, projection: only == nil,
      tellsUnopened: !opens)
    if opens, only == nil { for held in try database.members.uncounted.unauthorized() { try reportProblem(held) } }
    places += 1
    if only == nil, problems == before { try session.terminal.remark("local index ok") }
    guard only == nil else { return }
    let report = try database.verification.verifyAssets(in: database.assets.files, named: "") {
      try self.reportProblem($0)
    }
    try reportAssets(report)
  }

  func block(_ row: BlockRow) throws {
    places += 1
    blocks += 1
    if let problem = try database?.verification.verifyBlock(row) { return try reportProblem(problem) }
    let shown = session.terminal.short(row.instance) + row.tail
    let item: Item = [
      "where": .text(Location.folderName), "instance": .id(row.instance), "index": .integer(row.index),
      "ok": .flag(true),
    ]
    try ok("block", item, chain: String(row.place.prefix { $0 != "/" }), last: row.index, "block \(shown) ok")
  }

  func reportUnavailable(_ error: any Error) {
    unavailable += 1
    let failure = Failure.describing(error)
    session.terminal.warning(failure.slug, failure.message)
  }

  func chain(_ report: ChainReport) throws {
    try session.host.checkStop()
    chains += 1
    blocks += report.blocks
    bytes += report.bytes
    let trunk = report.name.isEmpty ? session.terminal.short(report.instance) : report.name
    let name = trunk + report.branch.tail
    let place = report.place.isEmpty ? "" : report.place + ": "
    let start = report.first > 0 ? " from \(report.first)" : ""
    let text = "\(place)chain \(name) \(Count(report.blocks, "block"))\(start) ok"
    unopened += report.unopened
    if let problem = report.problem {
      try reportProblem(problem, after: text)
      return try report.faults.forEach { try reportProblem($0) }
    }
    let remark = report.isSigned ? "" : ", \(report.isSealed ? "encrypted" : "without its key"): signatures not checked"
    let item: Item = [
      "where": .text(report.place.isEmpty ? Location.folderName : report.place), "instance": .id(report.instance),
      "branch": report.fork == nil ? .absent : .text(report.chain), "name": .text(report.name),
      "first": report.first > 0 ? .integer(report.first) : .absent, "blocks": .integer(report.blocks),
      "bytes": .integer(report.bytes), "ok": .flag(report.isClean), "signed": .flag(report.isSigned),
      "unopened": .integer(report.unopened),
    ]
    try ok("chain", item, chain: report.chain, last: report.first + UInt32(max(1, report.blocks) - 1), text + remark)
    for fault in report.faults { try reportProblem(fault) }
    if opens, let first = report.firstUnopened {
      try reportProblem(Problem(.noKey, place: report.place, instance: report.instance, index: first))
    }
  }

  private func ok(_ event: String, _ item: Item, chain: String, last: UInt32, _ text: String) throws {
    guard session.options.porcelain else { return try session.terminal.report(event, item, text: { text }) }
    if session.options.quiet { return }
    try session.terminal.fields(["ok", item["where"].plain, chain, String(last), "-", "-", "-"])
  }

  func reportProblem(_ problem: Problem, after text: String? = nil) throws {
    problems += 1
    if problem.isDamage { status = .corrupt }
    if problem.code == .noKey { status = status.and(.partial) }
    let copy = problem.isDamage ? try database?.verification.goodCopy(of: problem) : nil
    var item = session.terminal.item(problem, goodCopy: copy)
    if session.options.porcelain { item["branch"] = .text(problem.chainText) }
    try session.terminal.show(item, frozen: ["code", "where", "branch", "index", "expected", "actual", "good_copy"]) {
      let head = text.map { "\($0), then " } ?? (problem.place.isEmpty ? "" : problem.place + ": ")
      var rest = problem
      rest.place = ""
      let tail = copy.map { "; good copy: \($0)" } ?? ""
      return ["\(head)\(problem.code.rawValue): \(Failure.words(rest, in: session.terminal))\(tail)"]
    }
  }

  func finish() throws -> ExitStatus {
    if opens && unopened > 0 || unopenedAssets > 0 || unknownRemovals > 0 { status = status.and(.partial) }
    if unknownRemovals > 0 {
      session.terminal.warning(
        "no-key", "\(Count(unknownRemovals, "purged block")) not checked: their purge orders cannot be read here"
      )
    }
    if unavailable > 0 { status = status.and(places > 0 ? .partial : .unreachable) }
    session.terminal.summarize([
      "chains": .integer(chains), "blocks": .integer(blocks), "bytes": .integer(bytes),
      "problems": .integer(problems), "unavailable": .integer(unavailable), "unopened": .integer(unopened),
      "assets": .integer(assets),
    ])
    return status
  }
}

extension VerifyRun {
  /// Verifies an operand that names a bundle, a folder of bundles, or standard input.
  /// - Returns: false for any other operand.
  func bundles(_ operand: String) throws -> Bool {
    // The name of an attached container takes precedence over a path.
    if let database, (try? database.containers.setting(operand)) != nil { return false }
    if operand == "-" {
      try bundle(.stream(.standardInput()), "standard input")
      return true
    }
    switch try BundleOperand.of(session.path(operand)) {
    case nil: return false
    case .file(let path): try bundle(.file(path: path), operand)
    case .folder(_, let bundles):
      for one in bundles { try bundle(.file(path: one.path), Path.join(operand, one.name)) }
    }
    return true
  }

  private func bundle(_ source: BundleSource, _ place: String) throws {
    do {
      let keys = try opens ? bundleKeys(source, place) : nil
      let report = try Verification.bundle(
        source, named: place, temporary: session.temporaryFolder, readsPayloads: opens, keys: keys,
        names: database?.members.names() ?? [:], own: database?.folder,
        vouched: opens ? database?.keychain.availableConfirmedKeys() : nil, readsAssets: readsAssets,
        assetKeys: readsAssets ? database?.keychain.availableKeyRing() : nil, report: session.terminal.workReport,
        checkStop: session.host.checkStop)
      for chain in report.chains { try self.chain(chain) }
      for one in report.removals + report.unvouched { try reportProblem(one) }
      unknownRemovals += report.unknownRemovals
      try members(report)
      if let checked = report.checked {
        for one in checked.problems { try reportProblem(one) }
        try reportAssets(checked.report, isOurs: false)
      }
      places += 1
    } catch let error as TransferError {
      try fault(error, place)
    }
  }

  private func bundleKeys(_ source: BundleSource, _ place: String) throws -> KeyRing? {
    guard case .file = source else { return try database?.keychain.ring() }
    return try Verification.keys(of: source, named: place, temporary: session.temporaryFolder, by: database?.keychain) {
      try session.passwords.password(for: $0)
    }
  }

  private func members(_ report: BundleReport) throws {
    try session.terminal.report(
      "bundle",
      [
        "verdict": .aside("ok"), "where": .text(report.place), "manifest": .text(report.digest),
        "from": .id(report.manifest.from),
        "blocks": .integer(report.manifest.blocks), "assets": .integer(report.assets),
        "absent_assets": .integer(report.manifest.absentAssets), "base": .heads(report.manifest.base),
        "heads": .heads(report.manifest.heads), "ok": .flag(report.checked.map { $0.problems.isEmpty } ?? true),
      ], frozen: ["verdict", "where", "instance", "index", "expected", "actual", "good_copy"]
    ) {
      let absent = Int(report.manifest.absentAssets)
      var lines: [String] = []
      if report.checked == nil ? report.assets > 0 || absent > 0 : absent > 0 {
        let left = absent > 0 ? ", \(Count(absent, "asset")) left out" : ""
        let found = "\(Count(report.assets, "asset")) \(report.checked == nil ? "ok" : "in it")"
        lines = ["\(report.place): \(found)\(left)"]
      }
      return lines + (report.chains.isEmpty && report.assets == 0 ? ["\(report.place): ok, no blocks"] : [])
    }
  }

  private func fault(_ error: TransferError, _ place: String) throws {
    let failure = Failure.describing(error)
    problems += 1
    status = status.and(failure.status)
    let item: Item = ["code": .text(failure.slug), "where": .text(place), "message": .text(failure.message)]
    let frozen = ["code", "where", "instance", "index", "expected", "actual", "good_copy"]
    try session.terminal.show(Item(event: "problem", item), frozen: frozen) {
      var rest = failure.message[...]
      if rest.hasPrefix(place) { rest = rest.dropFirst(place.count).drop { $0 == " " } }
      return ["\(place): \(failure.slug): \(rest)"]
    }
  }
}
