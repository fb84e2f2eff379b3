import SeaCore
import SeaKit
import SeaSystem

extension VerifyRun {
  /// Verifies what an operand names, if that is a bundle, a folder of them, or standard input.
  /// - Returns: false if it is something else.
  mutating func bundles(_ operand: String) throws -> Bool {
    // What the database has under that name is meant first.
    if let database, (try? database.containerSetting(operand)) != nil { return false }
    if operand == "-" {
      try bundle(.stream(.standardInput()), "standard input")
      return true
    }
    switch try BundleOperand.of(context.path(operand)) {
    case nil: return false
    case .file(let path): try bundle(.file(path: path), operand)
    case .folder(_, let bundles):
      for one in bundles { try bundle(.file(path: one.path), Path.join(operand, one.name)) }
    }
    return true
  }

  private mutating func bundle(_ source: BundleSource, _ place: String) throws {
    do {
      let keys = try opens ? bundleKeys(source, place) : nil
      let report = try Verify.bundle(
        source, named: place, temporary: context.temporaryFolder, readsPayloads: opens, keys: keys,
        names: database?.instanceNames() ?? [:], report: context.workReport)
      for chain in report.chains { try self.chain(chain) }
      try members(report)
      places += 1
    } catch let error as TransferError {
      try fault(error, place)
    }
  }

  /// - Throws: `noKey` if there are none.
  private func bundleKeys(_ source: BundleSource, _ place: String) throws -> KeyRing? {
    guard case .file = source else { return try database?.keyRing() }
    return try Verify.keys(of: source, named: place, temporary: context.temporaryFolder, in: database) {
      try context.password(for: $0)
    }
  }

  /// Everything of it is what its manifest says.
  private func members(_ report: BundleReport) throws {
    if context.options.porcelain { return try context.fields(["ok", report.place, "-", "-", "-", "-", "-"]) }
    if context.options.json {
      return try context.object {
        $0.text("event", "bundle")
        $0.text("where", report.place)
        $0.text("manifest", report.digest.description)
        $0.text("from", report.manifest.from.description)
        $0.integer("blocks", report.manifest.blocks)
        $0.integer("assets", report.assets)
        $0.integer("absent_assets", report.manifest.absentAssets)
        $0.objects("base", report.manifest.base) { $1.head($0.block) }
        $0.objects("heads", report.manifest.heads) { $1.head($0.block) }
        $0.flag("ok", true)
      }
    }
    if context.options.quiet { return }
    let absent = Int(report.manifest.absentAssets)
    if report.assets > 0 || absent > 0 {
      let left = absent > 0 ? ", \(Count(absent, "asset")) left out" : ""
      try context.line(context.shown("\(report.place): \(Count(report.assets, "asset")) ok\(left)"))
    }
    if report.chains.isEmpty, report.assets == 0 { try context.line(context.shown("\(report.place): ok, no blocks")) }
  }

  /// A bundle that is not as it should be, as a whole.
  private mutating func fault(_ error: TransferError, _ place: String) throws {
    let failure = Failure.describing(error)
    problems += 1
    status = status.and(failure.status)
    if context.options.json {
      return try context.object {
        $0.text("event", "problem")
        $0.text("code", failure.slug)
        $0.text("where", place)
        $0.text("message", failure.message)
      }
    }
    if context.options.porcelain { return try context.fields([failure.slug, place, "-", "-", "-", "-", "-"]) }
    var rest = failure.message[...]
    if rest.hasPrefix(place) { rest = rest.dropFirst(place.count).drop { $0 == " " } }
    try context.line(context.shown("\(place): \(failure.slug): \(rest)"))
  }
}
