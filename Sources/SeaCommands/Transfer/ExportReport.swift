import SeaCore
import SeaEngine
import SeaWords

import struct SeaContainer.BundleManifest

/// What is told of a bundle that was written.
struct ExportReport {
  let session: Session
  let database: Database

  /// `NAME   3 blocks, 213 changes, 1 asset, 501 KiB`
  func line(_ name: String, _ plan: ExportPlan, _ exported: Exported?) -> String {
    var parts = ["\(Count(Int(plan.manifest.blocks), "block"))", "\(Count(plan.changes, "change"))"]
    if plan.assetCount > 0 { parts.append("\(Count(plan.assetCount, "asset"))") }
    if let exported { parts.append(SizeText.of(exported.size)) }
    let absent = plan.manifest.absentAssets
    let left = absent > 0 ? "; \(Count(Int(absent), "asset")) left out" : ""
    return "\(name)   \(parts.joined(separator: ", "))\(left)"
  }

  /// Why a bundle begins where it does.
  func base(_ plan: ExportPlan, _ survey: ExchangeSurvey) -> String {
    if survey.bundles.isEmpty, survey.heads.isEmpty { return "exchange directory is new: writing everything" }
    if plan.behind.isEmpty { return "nobody is known to have anything: writing everything" }
    let names = (try? database.members.names()) ?? [:]
    func name(_ instance: UUID) -> String {
      names[instance].flatMap { $0.isEmpty ? nil : $0 } ?? session.terminal.short(instance)
    }
    let base = plan.behind.map { "\(name($0.chain.instance)) \($0.index)" }.sorted()
    let receivers = survey.heads.map { name($0.instance) }.sorted()
    let list = base.prefix(5).joined(separator: ", ") + (base.count > 5 ? " and \(base.count - 5) more" : "")
    if receivers.count == 1 { return "increment for \(receivers[0]) (it has: \(list))" }
    return "increment for who has: \(list)"
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
  /// The last block of a branch.
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
