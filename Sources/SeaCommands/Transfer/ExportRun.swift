import SeaCore
import SeaEngine
import SeaSystem
import enum SeaContainer.BundleCompression
import struct SeaContainer.BundleManifest

struct ExportRun {
  let session: Session
  let database: Database
  let arguments: Arguments
  private let compression: BundleCompression
  private let start: ExportStart?
  private let isBackup: Bool
  private let filter: AssetFilter
  private let report: ExportReport
  private let retention: ExportRetention?

  init(_ session: Session, _ database: Database, _ arguments: Arguments) throws {
    self.session = session
    self.database = database
    self.arguments = arguments
    report = ExportReport(session: session, database: database)
    retention = ExportRetention(session, database, arguments)
    compression = arguments.text(ExportCommand.compress).flatMap { BundleCompression(rawValue: $0) } ?? .zstd
    isBackup = arguments.has(ExportCommand.backup)
    filter = arguments.has(ExportCommand.noAssets) ? .none : .all
    if let text = arguments.text(ExportCommand.since) {
      start = try session.exportStart(text)
    } else if let name = arguments.text(ExportCommand.receiver) {
      start = .instance(try database.members.instance(named: name))
    } else {
      start = arguments.has(ExportCommand.full) || isBackup ? .everything : nil
    }
  }

  private func plan() throws -> ExportPlan {
    try database.atOneState {
      let behind = try start.map { try database.bundles.frontier(of: $0) } ?? VersionVector()
      return try database.bundles.plan(behind: behind, assets: filter, backup: isBackup)
    }
  }

  private static let mostAttempts = 100

  /// Writes a bundle to an exchange folder. If another export takes the name first, makes a new plan that includes that
  /// export's bundle.
  func into(folder location: String, isElsewhere: Bool) throws -> ExitStatus {
    for _ in 1..<ExportRun.mostAttempts {
      do { return try once(into: location, isElsewhere) } catch TransferError.bundle(_, .system(let error))
        where error.isExisting
      {}
    }
    return try once(into: location, isElsewhere)
  }

  private func once(into location: String, _ isElsewhere: Bool) throws -> ExitStatus {
    let isDry = arguments.has(.dryRun)
    if isElsewhere { _ = try Containers.at(location, session.helpers) }
    guard let place = try bundleDirectory(location, isDry: isDry) else {
      let plan = try plan()
      return try wouldWrite(plan, Path.join(location, name(for: plan, avoiding: [])))
    }
    let survey = try database.bundles.survey(place)
    try retention?.check(survey, of: location)
    warn(of: survey)
    let plan = try plan(in: survey)
    guard plan.isNews else {
      if !isDry { try place.recordUse(of: database.bundles, writing: plan) }
      let shown = isElsewhere ? location : Path.name(location)
      try session.terminal.remark("nothing new for \(shown); nothing was written")
      let status = nothingNew()
      try isDry ? retention?.preview(survey, adding: nil) : retention?.run(place, survey, adding: nil)
      return status
    }
    let name = try name(for: plan, avoiding: place.usedNames())
    let path = Path.join(location, name)
    if start == nil { try session.terminal.remark(report.base(plan, survey)) }
    if isDry {
      let status = try wouldWrite(plan, path)
      try retention?.preview(survey, adding: plan)
      return status
    }
    let exported = try write(plan, named: name, to: place, as: path)
    try place.recordUse(of: database.bundles, writing: plan)
    try reportExport(plan, exported, path)
    try retention?.run(place, survey, adding: plan)
    if !isElsewhere, exported.isVerified,
      let medium = Medium.mounted(at: location, otherThan: database.path)
    {
      try session.terminal.remark("\(medium) can be unmounted now")
    }
    return .success
  }

  private func warn(of survey: ExchangeSurvey) {
    for (name, error) in survey.unreadable {
      let failure = Failure.row(error, name)
      session.terminal.warning(failure.slug, failure.message, hint: "its content is exported again")
    }
  }

  private func plan(in survey: ExchangeSurvey) throws -> ExportPlan {
    try survey.plan(for: database.bundles, from: start, assets: filter, backup: isBackup)
  }

  func into(file path: String) throws -> ExitStatus {
    let plan = try plan()
    guard plan.isNews else {
      try session.terminal.remark("nothing new for \(Path.name(path)); nothing was written")
      return nothingNew()
    }
    if !arguments.has(.force), let obstacle = try BundleObstacle.found(at: path, for: plan, of: database.bundles) {
      throw CommandError.fileExists(arguments.text(ExportCommand.file) ?? path, obstacle)
    }
    if arguments.has(.dryRun) { return try wouldWrite(plan, path) }
    try needParent(of: path)
    let exported = try write(plan, path, replace: true)
    try reportExport(plan, exported, path)
    return .success
  }

  func intoStream() throws -> ExitStatus {
    let plan = try plan()
    guard plan.isNews else {
      session.terminal.outputIsTaken = true
      session.terminal.notice("nothing new; nothing was written")
      return nothingNew()
    }
    if arguments.has(.dryRun) { return try wouldWrite(plan, "-") }
    try callHook(plan, "-")
    let counter = ByteCounter()
    let digest = try database.bundles.export(plan, compression, named: "standard output") { bytes in
      counter.count += Int64(bytes.count)
      try session.terminal.output.write(bytes)
    }
    try session.terminal.output.flush()
    let exported = Exported(digest: digest, size: counter.count)
    session.terminal.outputIsTaken = true
    if session.options.json {
      try session.terminal.report("exported", report.item(plan, exported, "-")) { [] }
    } else {
      session.terminal.notice(report.line("standard output", plan, exported))
    }
    summarize(plan, exported)
    return .success
  }

  private func write(_ plan: ExportPlan, _ path: String, replace: Bool) throws -> Exported {
    try callHook(plan, path)
    return try database.bundles.export(
      plan, compression, to: path, volumeSize: arguments.size(ExportCommand.split), replace: replace,
      verifies: arguments.has(ExportCommand.verify))
  }

  private func write(_ plan: ExportPlan, named name: String, to place: BundleDirectory, as path: String) throws
    -> Exported
  {
    try callHook(plan, path)
    return try place.write(
      plan, named: name, compression, volumeSize: arguments.size(ExportCommand.split),
      verifies: arguments.has(ExportCommand.verify), of: database.bundles)
  }

  private func callHook(_ plan: ExportPlan, _ path: String) throws {
    try Hooks(session, database, ExportCommand.self)?.call(
      .preExport, report.event("export", plan, nil, path))
  }

  private func name(for plan: ExportPlan, avoiding others: [String]) throws -> String {
    BundleName.next(
      contentType: plan.manifest.contentType, label: try database.name(), isFull: plan.isFull, compression,
      avoiding: others)
  }

  private func bundleDirectory(_ location: String, isDry: Bool) throws -> BundleDirectory? {
    do {
      return try BundleDirectory.toWrite(
        location, for: database.bundles, isNew: arguments.has(ExportCommand.create), isDry: isDry)
    } catch KitError.placeInUse {
      func real(_ location: String) -> String { (try? Path.real(location)) ?? location }
      let attached = try database.containers.settings().first { real($0.location) == real(location) }
      throw CommandError.bundleIntoContainer(arguments.text(ExportCommand.to) ?? location, name: attached?.name)
    }
  }

  private func needParent(of path: String) throws {
    let parent = Path.parent(path)
    guard try Path.statusFollowing(parent) == nil else { return }
    throw CommandError.nothingAt(parent)
  }

  private func nothingNew() -> ExitStatus {
    session.terminal.summarize(["blocks": .integer(0), "assets": .integer(0), "bytes": .integer(0)])
    return arguments.has(.exitCode) ? .no : .success
  }

  private func wouldWrite(_ plan: ExportPlan, _ path: String) throws -> ExitStatus {
    try session.terminal.report("would-export", report.item(plan, nil, path)) {
      "would write \(report.line(Path.name(path), plan, nil))"
    }
    return .success
  }

  private func reportExport(_ plan: ExportPlan, _ exported: Exported, _ path: String) throws {
    try session.terminal.report("exported", report.item(plan, exported, path)) {
      let last = exported.files.count > 1 ? " to \(exported.files.last!.suffix(4))" : ""
      let digest = exported.digest.description.prefix(session.terminal.abbrev)
      return [report.line(exported.files[0] + last, plan, exported)]
        + (exported.isVerified ? ["written, flushed and read back from the medium: ok   manifest \(digest)"] : [])
    }
    summarize(plan, exported)
  }

  private func summarize(_ plan: ExportPlan, _ exported: Exported) {
    session.terminal.summarize([
      "blocks": .integer(plan.manifest.blocks), "assets": .integer(plan.assetCount),
      "bytes": .integer(exported.size),
    ])
  }
}

private final class ByteCounter {
  var count: Int64 = 0
}

enum Medium {
  /// Returns the mount point of a path; nil if it is the root or the file system of the other path.
  static func mounted(at path: String, otherThan other: String) -> String? {
    guard var here = try? Path.real(path), let device = try? Path.statusFollowing(here)?.device,
      let own = try? Path.statusFollowing(other)?.device, device != own
    else { return nil }
    while here != "/" {
      let above = Path.parent(here)
      guard let next = try? Path.statusFollowing(above)?.device else { return nil }
      if next != device { return here }
      here = above
    }
    return nil
  }
}

struct ExportReport {
  let session: Session
  let database: Database

  /// Returns a line such as `NAME   3 blocks, 213 changes, 1 asset, 501 KiB`.
  func line(_ name: String, _ plan: ExportPlan, _ exported: Exported?) -> String {
    var parts = ["\(Count(Int(plan.manifest.blocks), "block"))", "\(Count(plan.changes, "change"))"]
    if plan.assetCount > 0 { parts.append("\(Count(plan.assetCount, "asset"))") }
    if let exported { parts.append(SizeText.of(exported.size)) }
    let absent = plan.manifest.absentAssets
    let left = absent > 0 ? "; \(Count(Int(absent), "asset")) left out" : ""
    return "\(name)   \(parts.joined(separator: ", "))\(left)"
  }

  func base(_ plan: ExportPlan, _ survey: ExchangeSurvey) -> String {
    if survey.bundles.isEmpty, survey.heads.isEmpty { return "the exchange directory is new: writing everything" }
    if plan.behind.isEmpty { return "no receiver is known to have any block: writing everything" }
    let names = (try? database.members.names()) ?? [:]
    func name(_ instance: UUID) -> String {
      names[instance].flatMap { $0.isEmpty ? nil : $0 } ?? session.terminal.short(instance)
    }
    let base = plan.behind.map { "\(name($0.chain.instance)) \($0.index)" }.sorted()
    let receivers = survey.heads.map { name($0.instance) }.sorted()
    let list = base.prefix(5).joined(separator: ", ") + (base.count > 5 ? " and \(base.count - 5) more" : "")
    if receivers.count == 1 { return "increment for \(receivers[0]) (it has: \(list))" }
    return "increment for receivers with: \(list)"
  }

  func event(_ event: String, _ plan: ExportPlan, _ exported: Exported?, _ path: String) -> Item {
    Item(event: event, item(plan, exported, path))
  }

  func item(_ plan: ExportPlan, _ exported: Exported?, _ path: String) -> Item {
    let manifest = plan.manifest
    let files = exported?.files ?? []
    return [
      "file": .text(path), "files": files.count > 1 ? .texts(files) : .absent, "manifest": .text(exported?.digest),
      "database": .id(manifest.database), "full": .flag(plan.isFull), "blocks": .integer(manifest.blocks),
      "changes": .integer(plan.changes), "assets": .integer(plan.assetCount),
      "asset_bytes": .integer(plan.assetBytes), "absent_assets": .integer(manifest.absentAssets),
      "bytes": .integer(exported?.size), "verified": exported.map { .flag($0.isVerified) } ?? .absent,
      "base": .heads(manifest.base), "heads": .heads(manifest.heads),
    ]
  }
}

extension Item {
  init(head: BlockRef) {
    self.init(branch: head.branch.description, head.index)
    add(["hash": .text(head.digest)])
  }

  init(branch: String, _ index: UInt32) {
    self = [
      "instance": .id(branch.prefix(36)), "branch": branch.utf8.count > 36 ? .text(branch) : .absent,
      "index": .integer(index),
    ]
  }
}

extension Field {
  static func heads(_ heads: [BundleHead]) -> Field { .items(heads) { Item(head: $0.block) } }
}
