import SeaEngine
import SeaSystem
import SeaCore

import enum SeaContainer.BundleSource
import struct SeaContainer.BundleManifest

/// Imports several bundles, each after the bundles that it depends on.
struct ImportRun {
  private struct Entry {
    let bundle: BundleImport
    /// Whether the command line names the bundle. If so, the bundle is read even if it seems to contain nothing new.
    let isNamed: Bool
    let path: String
    /// The absolute path or the location, for programs.
    let shown: String
  }

  private let session: Session
  private let database: Database
  private let filter: AssetFilter
  private let isDry: Bool
  private let hooks: Hooks?
  private var open: [Entry] = []
  private var imported: [BundleImport] = []
  private var places: [BundleDirectory] = []
  private var status = ExitStatus.success
  private(set) var exchange = SyncResult()
  private var bundles = 0
  private var known = 0
  private var assets = 0
  private var missing = 0

  init(_ session: Session, _ database: Database, filter: AssetFilter, isDry: Bool) {
    self.isDry = isDry
    self.session = session
    self.database = database
    self.filter = filter
    hooks = try? Hooks(session, database, ImportCommand.self)
  }

  // MARK: - Adding bundles

  mutating func add(_ operand: String) throws {
    if operand == "-" {
      // If the first line of standard input is a password, it must be removed before the bundle is read.
      let file = try session.passwords.isOnStandardInput ? session.spooledInput() : File.standardInput()
      return try add(.stream(file), "standard input", "-", isNamed: true)
    }
    if BundleDirectory.isMeant(by: operand, session) {
      return try add(.at(operand, for: database, session), operand)
    }
    let path = try Path.absolute(session.bundlePath(operand))
    guard try Path.statusFollowing(path)?.kind == .directory else {
      return try add(.file(path: path), Path.name(path), path, isNamed: true, operand)
    }
    try add(BundleDirectory(path), operand)
  }

  private mutating func add(_ place: BundleDirectory, _ operand: String) throws {
    places.append(place)
    let bundles = try place.bundles()
    guard !bundles.isEmpty else { throw TransferError.noBundles(path: operand) }
    var others: TransferError?
    let before = open.count
    for bundle in bundles {
      do {
        let opened = try place.opened(bundle, in: database.bundles, isDry ? nil : filter)
        open.append(Entry(bundle: opened, isNamed: false, path: bundle.path, shown: bundle.location))
      } catch let error as TransferError {
        if case .mismatch = error { others = error } else { report(error) }
      }
    }
    // A USB drive may contain bundles of several databases.
    if let others, open.count == before, status == .success { throw others }
  }

  private mutating func add(
    _ source: BundleSource, _ name: String, _ path: String, isNamed: Bool, _ operand: String? = nil
  ) throws {
    do {
      open.append(
        Entry(
          bundle: try BundleImport(source, named: name, in: database.bundles), isNamed: isNamed, path: path, shown: path
        ))
    } catch TransferError.bundle(let name, .notABundle) {
      let error = TransferError.bundle(name: name, .notABundle)
      guard let operand, LoadInput.form(of: operand) != nil else { return report(error) }
      report(CommandError.foreignForm(error, file: operand))
    } catch let error as TransferError {
      guard case .mismatch = error else { return report(error) }
      guard isNamed else { throw error }
      // A damaged bundle may claim to belong to any database, so report the damage instead.
      do {
        if case .file = source { try BundleImport.check(source, named: name, temporary: database.path) }
        report(error)
      } catch { report(error) }
    }
  }

  private mutating func report(_ error: any Error) {
    let failure = Failure.describing(error)
    status = status.and(failure.status)
    failure.report(to: session.terminal)
  }

  func preview() throws -> ExitStatus {
    var status = status
    for item in open {
      let lacking = try item.bundle.missing().filter { base in
        !open.contains { other in
          other.bundle !== item.bundle && other.bundle.brought.contains { base.isCovered(by: $0) }
        }
      }
      if !lacking.isEmpty { status = status.and(.partial) }
      let isKnown = try lacking.isEmpty && item.bundle.isKnown(filter)
      let manifest = item.bundle.manifest
      try session.terminal.report(
        "would-import",
        [
          "file": .text(item.shown), "blocks": .integer(manifest.blocks), "assets": .integer(manifest.assets),
          "known": .flag(isKnown), "base": .heads(manifest.base),
          "missing": .items(lacking) { Item(branch: $0.chain, $0.index) },
        ]
      ) {
        let what = isKnown ? "nothing new" : "\(Count(Int(manifest.blocks), "block")), some may be here already"
        return "\(item.bundle.name): \(lacking.isEmpty ? what : "needs earlier bundles")"
      }
    }
    session.terminal.summarize(["bundles": .integer(open.count)])
    return status
  }

  // MARK: - Importing

  /// Imports the bundles one by one. Each bundle is imported as soon as all bundles that it depends on have been.
  mutating func importAll() throws {
    try database.bundles.enter(through: open.filter { $0.path != "-" }.map { .file(path: $0.path) })
    while let at = try open.firstIndex(where: { try $0.bundle.missing().isEmpty }) {
      // Imported bundles are kept and reported.
      if session.host.stopSignal() != nil {
        status = status.and(.interrupted)
        return open.removeAll()
      }
      let item = open.remove(at: at)
      do {
        if try !item.isNamed && item.bundle.isKnown(filter) {
          known += 1
        } else {
          try report(item, item.bundle.run(assets: filter))
        }
        imported.append(item.bundle)
      } catch is Stopped {
        continue
      } catch let error as TransferError {
        report(error)
      }
    }
    for item in open {
      missing += 1
      do {
        try item.bundle.check()
        throw TransferError.baseMissing(name: item.bundle.name, try item.bundle.missing())
      } catch let error as TransferError { report(error) }
    }
  }

  private mutating func report(_ item: Entry, _ result: BundleImport.Result) throws {
    bundles += 1
    assets += result.assets
    exchange.add(result.exchange)
    for problem in result.exchange.problems { try session.terminal.report(problem) }
    if result.exchange.problems.contains(where: { $0.isError }) { status = status.and(.corrupt) }
    let event = self.item(item, result)
    try session.terminal.report("imported", event) { "\(item.bundle.name): \(try words(item, result))" }
    try hooks?.call(.postImport, Item(event: "imported", event))
  }

  private func words(_ item: Entry, _ result: BundleImport.Result) throws -> String {
    var parts: [String] = []
    if result.exchange.pulled > 0 {
      let chains = Set(item.bundle.brought.map(\.branch.instance))
      let names = try database.members.names()
      let author = chains.count == 1 ? chains.first.flatMap { names[$0] } ?? "" : ""
      let whose = author.isEmpty ? "" : " of \(author)"
      parts.append("\(Count(result.exchange.pulled, "block"))\(whose)")
      parts.append("\(Count(result.exchange.records, "record")) changed")
    }
    if result.assets > 0 { parts.append("\(Count(result.assets, "asset")), \(SizeText.of(result.assetBytes))") }
    return parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")
  }

  private func item(_ item: Entry, _ result: BundleImport.Result) -> Item {
    let manifest = item.bundle.manifest
    return [
      "file": .text(item.shown), "manifest": .text(result.digest), "from": .id(manifest.from),
      "blocks": .integer(result.exchange.pulled), "records": .integer(result.exchange.records),
      "revisions": .integer(result.exchange.revisions), "assets": .integer(result.assets),
      "asset_bytes": .integer(result.assetBytes), "base": .heads(manifest.base), "heads": .heads(manifest.heads),
    ]
  }

  // MARK: - Finishing

  mutating func finish(merges: Bool, failOnConflict: Bool) throws -> ExitStatus {
    var left: [Problem] = []
    exchange.merged = try database.bundles.followUp(merges: merges) { left.append(Problem(tooMuchWork: $0)) }
    for problem in left { try session.terminal.report(problem) }
    exchange.problems += left
    if !left.isEmpty { status = status.and(.partial) }
    for place in places { try place.recordUse(of: database.bundles, writing: nil) }
    // A bundle that was imported later may have provided the key.
    if try exchange.problems.contains(where: { try $0.code == .noKey && database.exchange.isStillUnread($0) }) {
      status = status.and(.partial)
    }
    if bundles == 0, known > 0, status == .success { try session.terminal.remark("nothing new") }
    try MergedLines(session, database).report(exchange.merged)
    try ConflictLines(session, database).report(exchange.conflicts, in: database)
    for problem in try database.bundles.withheld(imported) { try session.terminal.report(problem) }
    try session.terminal.remark(database.members.uncounted.pendingBlocksToReport())
    try WaitingNotice(session, database).report()
    session.terminal.summarize([
      "bundles": .integer(bundles), "known": .integer(known), "missing": .integer(missing),
      "blocks": .integer(exchange.pulled), "assets": .integer(assets),
    ])
    return try session.sumUp(exchange, in: database, status, failOnConflict: failOnConflict)
  }
}
