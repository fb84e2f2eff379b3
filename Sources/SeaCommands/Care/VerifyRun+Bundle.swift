import SeaCore
import SeaEngine
import SeaSystem
import SeaWords

import enum SeaContainer.BundleSource
import struct SeaContainer.BundleManifest

extension VerifyRun {
  /// Verifies what an operand names, if that is a bundle, a folder of them, or standard input.
  /// - Returns: false if it is something else.
  func bundles(_ operand: String) throws -> Bool {
    // What the database has under that name is meant first.
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
        vouched: opens ? database?.keychain.vouchedKeysAtHand() : nil, readsAssets: readsAssets,
        assetKeys: readsAssets ? database?.keychain.ringAtHand() : nil, report: session.terminal.workReport,
        checkStop: session.host.checkStop)
      for chain in report.chains { try self.chain(chain) }
      for one in report.removals + report.unvouched { try tell(one) }
      unknownRemovals += report.unknownRemovals
      try members(report)
      if let checked = report.checked {
        for one in checked.problems { try tell(one) }
        try tell(checked.report, isOurs: false)
      }
      places += 1
    } catch let error as TransferError {
      try fault(error, place)
    }
  }

  /// - Throws: `noKey` if there are none.
  private func bundleKeys(_ source: BundleSource, _ place: String) throws -> KeyRing? {
    guard case .file = source else { return try database?.keychain.ring() }
    return try Verification.keys(of: source, named: place, temporary: session.temporaryFolder, by: database?.keychain) {
      try session.passwords.password(for: $0)
    }
  }

  /// Everything of it is what its manifest says.
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

  /// A bundle that is not as it should be, as a whole.
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
