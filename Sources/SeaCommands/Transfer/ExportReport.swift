import SeaCore
import SeaKit

/// What is told of a bundle that was written.
struct ExportReport {
  private let context: Context
  private let database: Database

  init(_ context: Context, _ database: Database) {
    self.context = context
    self.database = database
  }

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
    let names = (try? database.instanceNames()) ?? [:]
    func name(_ instance: UUID) -> String {
      names[instance].flatMap { $0.isEmpty ? nil : $0 } ?? context.short(instance)
    }
    let base = plan.behind.map { "\(name($0.chain.instance)) \($0.index)" }.sorted()
    let receivers = survey.heads.map { name($0.instance) }.sorted()
    let list = base.prefix(5).joined(separator: ", ") + (base.count > 5 ? " and \(base.count - 5) more" : "")
    if receivers.count == 1 { return "increment for \(receivers[0]) (it has: \(list))" }
    return "increment for who has: \(list)"
  }

  func event(_ event: String, _ plan: ExportPlan, _ exported: Exported?, _ path: String) -> JSONObject {
    let manifest = plan.manifest
    var object = JSONObject()
    object.text("event", event)
    object.text("file", path)
    if let exported, exported.files.count > 1 { object.texts("files", exported.files) }
    object.text("manifest", exported?.digest.description)
    object.text("database", manifest.database.description)
    object.flag("full", plan.isFull)
    object.integer("blocks", manifest.blocks)
    object.integer("changes", plan.changes)
    object.integer("assets", plan.assetCount)
    object.integer("asset_bytes", plan.assetBytes)
    object.integer("absent_assets", manifest.absentAssets)
    if let exported {
      object.integer("bytes", exported.size)
      object.flag("verified", exported.isVerified)
    }
    object.objects("base", manifest.base) { $1.head($0.block) }
    object.objects("heads", manifest.heads) { $1.head($0.block) }
    return object
  }
}

extension JSONObject {
  mutating func head(_ head: BlockRef) {
    text("chain", head.branch.description)
    integer("index", head.index)
    text("digest", head.digest.description)
  }
}
